"""The evaluation as Markdown."""

import math
from typing import Any, Sequence

GREEDY_PROMPTS = (
    "Hello!", "who are you?", "What is 7 + 5?", "What is 34 + 48?", "what is 90 - 37", "What is the capital of France?",
    "whats the capital of japan", "What is the opposite of cold?", "What does 'brave' mean?", "How do you spell rhythm?",
    "What rhymes with cat?", "What day comes after Tuesday?", "How do I boil an egg?", "Why is the sky blue?",
    "What is the weather like right now?", "Which is bigger, 45 or 54?", "I feel sad today.", "Can you count to ten?",
)

# What issue 3 asks for: name, tasks, share of right answers.
GOALS: tuple[tuple[str, tuple[str, ...], float], ...] = (
    ("arithmetic, one digit", ("add1", "sub1", "mul1"), 0.95),
    ("arithmetic, two digits", ("add2", "sub2"), 0.80),
    ("capitals", ("capital",), 0.90),
    ("opposites", ("opposite",), 0.90),
    ("name recall", ("recall_name",), 0.90),
)


def _share(tasks: dict[str, Any], names: Sequence[str]) -> str:
    found = [tasks[name] for name in names if name in tasks]
    cases = sum(t["cases"] for t in found)
    return f"{sum(t['right'] for t in found) / cases:.1%} of {cases}" if cases else "no cases"


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def evenness(shares: Sequence[float]) -> float:
    """Effective number of experts: e to the entropy."""
    return math.exp(-sum(s * math.log(s) for s in shares if s > 0))


def distance(a: Sequence[float], b: Sequence[float]) -> float:
    """Share of choices that would have to move to another expert (total variation)."""
    return sum(abs(x - y) for x, y in zip(a, b)) / 2


def _expert_tables(use: dict[str, list[list[float]]]) -> str:
    layers = use["all"]
    per_layer = [[layer, f"{min(s):.1%}", f"{max(s):.1%}", f"{evenness(s):.1f} of {len(s)}"] for layer, s in enumerate(layers)]
    rows = []
    for task in sorted(t for t in use if t != "all"):
        shares = use[task]
        cells = []
        for layer, share in enumerate(shares):
            top = sorted(range(len(share)), key=lambda e: -share[e])[:2]
            cells.append(" ".join(f"{e}:{share[e]:.0%}" for e in top))
        apart = sum(distance(a, b) for a, b in zip(shares, layers)) / len(layers)
        rows.append([task, f"{apart:.2f}", *cells])
    return "\n\n".join((
        "Share of choices over all held-out text; the effective number of experts is e to the entropy.",
        _table(("layer", "least used", "most used", "effective experts"), per_layer),
        "The two experts that each task uses most, by layer, and how far its use is from that of all text (0 the same, 1 disjoint).",
        _table(("task", "apart", *(f"layer {i}" for i in range(len(layers)))), rows)))


def markdown(result: dict[str, Any]) -> str:
    precisions = result["precisions"]
    names = list(precisions)
    parts = ["# Evaluation of the demo model", "## Perplexity on held-out documents", _table(
        ("", *names), [[what, *(f"{precisions[p]['perplexity'][what]:.3f}" for p in names)] for what in ("answers", "all")])]
    if "transformers" in result:
        parts.append(f"Against Hugging Face transformers (float32): {result['transformers']}")
    parts += ["## Goals", _table(("what", "goal", *names), [
        [name, f"{goal:.0%}", *(_share(precisions[p]["tasks"], tasks) for p in names)] for name, tasks, goal in GOALS])]
    tasks = sorted(precisions[names[0]]["tasks"])
    parts += [f"## Held-out questions by task ({result['cases']} in all, greedy)", _table(
        ("task", "cases", *names),
        [[t, precisions[names[0]]["tasks"][t]["cases"], *(
            f"{precisions[p]['tasks'][t]['right'] / precisions[p]['tasks'][t]['cases']:.1%}" for p in names)] for t in tasks]
        + [["all", result["cases"], *(f"{precisions[p]['accuracy']:.1%}" for p in names)]])]
    parts += ["## Use of the experts (MXFP4)", _expert_tables(result["expert_use"])]
    shown = "MXFP4" if "MXFP4" in precisions else names[0]
    parts.append(f"## Five stories ({shown}, temperature 0.7, top-p 0.95, unedited)")
    for seed, (prompt, story) in enumerate(zip(result["story_prompts"], precisions[shown]["stories"]), 1):
        parts.append(f"**{prompt}** (seed {seed})\n\n{story}")
    parts.append("## Greedy answers")
    parts.append(_table(("question", *names), [
        [prompt, *(precisions[p]["greedy"][i].replace("\n", " ").replace("|", "/") for p in names)]
        for i, prompt in enumerate(GREEDY_PROMPTS)]))
    return "\n\n".join(parts) + "\n"
