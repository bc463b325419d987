#!/usr/bin/env python3
"""Held-out perplexity and task scores at bf16, MXFP4 and W2, the experts' use, and samples; JSON and Markdown.

  python3 tools/demo-model/evaluate.py --checkpoint checkpoint.pt --tokenizer tokenizer.json --corpus DIR --out folder [--hf folder]

MXFP4 is what the GGUF holds (other matrices in Q8_0); W2 is what the page makes of it. --hf compares our logits with
Hugging Face transformers' on the exported folder.
"""

import argparse
import json
import math
import random
import re
import sys
import time
from pathlib import Path
from typing import Any, Sequence

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parent))

import export  # noqa: E402
import fake_quant  # noqa: E402
import quantise  # noqa: E402
import report  # noqa: E402
from generate import continue_prompts  # noqa: E402
from model import Config, DemoModel, single_packing, use_grouped_products, use_varlen_attention  # noqa: E402
from stream import rows_of_documents, sample_documents  # noqa: E402
from tokenizer import render  # noqa: E402
from train import Batch  # noqa: E402

PRECISIONS = ("bf16", "MXFP4", "W2")
NEW_TOKENS = 72
BATCH = 384
STORY_PROMPTS = (
    "Tell me a story about a fox.", "Can you tell me a short story about a lost kite?", "Write a story about a shy robot.",
    "tell me a bedtime story", "Please tell me a story about two friends and a storm.",
)


def set_precision(model: DemoModel, state: export.State, precision: str) -> None:
    """Puts the checkpoint's weights into the model as a file of that precision holds them."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            values = torch.from_numpy(np.array(state[name])).to(parameter.device)
            if precision == "bf16":
                values = values.bfloat16().float()
            elif ".experts." in name:
                values = fake_quant.mxfp4(values) if precision == "MXFP4" else fake_quant.w2_of_mxfp4(values)
            elif values.dim() > 1 and not name.endswith("mlp.gate.weight"):
                values = torch.from_numpy(quantise.round_q8_0(state[name])).to(parameter.device)
            parameter.copy_(values)


# Scores ------------------------------------------------------------------------------------------------------------

def contains(answer: str, wanted: str) -> bool:
    """`wanted` as whole words or numbers: '5' is not in '15' or '5.2'."""
    before = r"(?<![\w])(?<!\d[.,])" if wanted[:1].isalnum() else ""
    after = r"(?!\w)(?![.,]\d)" if wanted[-1:].isalnum() else ""
    return re.search(before + re.escape(wanted) + after, answer) is not None


def is_right(case: dict[str, Any], answer: str) -> bool:
    if "exact" in case:
        return answer.strip() == case["exact"].strip()
    low = answer.lower()
    if not all(contains(low, wanted.lower()) for wanted in case.get("require", [])):
        return False
    return any(contains(low, wanted.lower()) for wanted in case["accept"])


def answer_cases(model: DemoModel, tokenizer: Any, cases: Sequence[dict[str, Any]]) -> list[str]:
    """Greedy answers, in the order of the cases."""
    prompts = [tokenizer.encode(render(case, add_generation_prompt=True)).ids for case in cases]
    order = sorted((i for i in range(len(cases)) if len(prompts[i]) + NEW_TOKENS <= model.c.context), key=lambda i: len(prompts[i]))
    answers = [""] * len(cases)
    for begin in range(0, len(order), BATCH):
        part = order[begin:begin + BATCH]
        for index, ids in zip(part, continue_prompts(model, [prompts[i] for i in part], NEW_TOKENS)):
            answers[index] = tokenizer.decode(ids)
    return answers


def task_scores(cases: Sequence[dict[str, Any]], answers: Sequence[str]) -> dict[str, dict[str, Any]]:
    tasks: dict[str, dict[str, Any]] = {}
    for case, answer in zip(cases, answers):
        entry = tasks.setdefault(case["task"], {"cases": 0, "right": 0, "wrong_examples": []})
        entry["cases"] += 1
        if is_right(case, answer):
            entry["right"] += 1
        elif len(entry["wrong_examples"]) < 4:
            entry["wrong_examples"].append({
                "question": case["messages"][-1]["content"][-300:], "answer": answer[:200], "wanted": case.get("exact", case.get("accept")),
            })
    return tasks


@torch.no_grad()
def perplexity(model: DemoModel, batches: Sequence[Batch]) -> dict[str, float]:
    """Of the assistant's words (and plain text), and of all tokens, on held-out documents."""
    sums = {"answers": [0.0, 0.0], "all": [0.0, 0.0]}
    for batch in batches:
        _, each, _ = model(batch.tokens, batch.labels, batch.weights, batch.packing, batch.valid)
        for name, used in (("answers", batch.weights == 1), ("all", batch.weights > 0)):
            sums[name][0] += float((each * used).sum())
            sums[name][1] += float(used.sum())
    return {name: math.exp(total / count) for name, (total, count) in sums.items()}


@torch.no_grad()
def expert_use(model: DemoModel, batches: Sequence[tuple[str, Batch]]) -> dict[str, list[list[float]]]:
    """Share of choices of each expert, [layer][expert], for each task."""
    sums: dict[str, list[np.ndarray]] = {}
    for task, batch in batches:
        _, stats = model.hidden(batch.tokens, batch.packing, batch.valid)
        load = torch.stack([s.load for s in stats]).cpu().numpy() * float(batch.valid.sum())
        sums.setdefault(task, []).append(load)
    shares = {}
    for task, loads in sums.items():
        total = np.sum(loads, 0)
        shares[task] = (total / total.sum(1, keepdims=True)).round(4).tolist()
    return shares


def compare_with_transformers(model: DemoModel, folder: Path, tokens: Sequence[int]) -> dict[str, Any]:
    """Relative L2 distance of the logits in float32, and whether the most likely tokens agree."""
    from transformers import AutoModelForCausalLM
    theirs = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    ids = torch.tensor(tokens)
    device = model.model.embed_tokens.weight.device
    ours_dtype, model.compute_dtype = model.compute_dtype, torch.float32
    with torch.no_grad():
        ours = model.logits(ids.to(device), single_packing(len(tokens), 1, device)).cpu()
        expected = theirs(ids.unsqueeze(0)).logits[0]
    model.compute_dtype = ours_dtype
    return {"relative_l2": float((ours - expected).norm() / expected.norm()),
            "same_argmax": float((ours.argmax(-1) == expected.argmax(-1)).float().mean())}


def chat_samples(model: DemoModel, tokenizer: Any, prompts: Sequence[str], **how: Any) -> list[str]:
    ids = [tokenizer.encode(render({"messages": [{"role": "user", "content": p}]}, True)).ids for p in prompts]
    return [tokenizer.decode(answer) for answer in continue_prompts(model, ids, 320, **how)]


def spread(cases: list[dict[str, Any]], limit: int) -> list[dict[str, Any]]:
    """At most `limit` cases of each task, evenly spread."""
    by_task: dict[str, list[dict[str, Any]]] = {}
    for case in cases:
        by_task.setdefault(case["task"], []).append(case)
    chosen = []
    for offered in by_task.values():
        count = min(limit, len(offered))
        chosen += [offered[i * len(offered) // count] for i in range(count)]
    return chosen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--hf", type=Path)
    parser.add_argument("--limit", type=int, default=200, help="cases of each task")
    parser.add_argument("--docs", type=int, default=6000, help="held-out documents")
    parser.add_argument("--processes", type=int, default=12)
    args = parser.parse_args()
    from tokenizers import Tokenizer

    import mix

    began = time.perf_counter()
    held_out = mix.build_mix(args.corpus, True, [])
    documents = sample_documents(held_out, "validation:1", args.docs, args.processes)
    cases = spread(mix.all_eval_cases(held_out.modules), args.limit)
    tokenizer = Tokenizer.from_file(str(args.tokenizer))
    config, state = export.load_checkpoint(args.checkpoint)
    device = torch.device("cuda")
    use_varlen_attention(device)
    use_grouped_products(device)
    model = DemoModel(Config(**config), torch.bfloat16).to(device).eval()

    def batches(docs: Sequence[dict[str, Any]], rows: int = 64) -> list[Batch]:
        packed = rows_of_documents(tokenizer, docs, model.c.context, random.Random(1))
        return [Batch(packed.take(i, i + rows), device) for i in range(0, len(packed), rows)]

    by_task: dict[str, list[dict[str, Any]]] = {}
    for doc in documents:
        by_task.setdefault(doc["task"], []).append(doc)
    validation = batches(documents)
    result: dict[str, Any] = {"cases": len(cases), "documents": len(documents), "precisions": {}}
    if args.hf:
        set_precision(model, state, "bf16")
        ids = tokenizer.encode(render(max(documents[:200], key=lambda d: len(str(d))))).ids[:256]
        result["transformers"] = compare_with_transformers(model, args.hf, ids)
        print(f"transformers: {result['transformers']}", flush=True)
    args.out.mkdir(parents=True, exist_ok=True)
    for precision in PRECISIONS:
        set_precision(model, state, precision)
        answers = answer_cases(model, tokenizer, cases)
        tasks = task_scores(cases, answers)
        result["precisions"][precision] = {
            "perplexity": perplexity(model, validation), "tasks": tasks,
            "accuracy": sum(t["right"] for t in tasks.values()) / max(1, len(cases)),
            "stories": chat_samples(model, tokenizer, STORY_PROMPTS, temperature=0.7, top_p=0.95, seeds=(1, 2, 3, 4, 5)),
            "greedy": chat_samples(model, tokenizer, report.GREEDY_PROMPTS),
        }
        print(f"{precision}: perplexity {result['precisions'][precision]['perplexity']}, "
              f"accuracy {result['precisions'][precision]['accuracy']:.3f}, {time.perf_counter() - began:.0f} s", flush=True)
        # What is known so far, should the machine be taken away before the rest.
        (args.out / "evaluation.json").write_text(json.dumps(result, indent=1, ensure_ascii=False), encoding="utf-8")
    set_precision(model, state, "MXFP4")
    used = [(task, batch) for task, docs in by_task.items() for batch in batches(docs)]
    result["expert_use"] = expert_use(model, [("all", batch) for batch in validation] + used)
    result["story_prompts"] = STORY_PROMPTS
    (args.out / "evaluation.json").write_text(json.dumps(result, indent=1, ensure_ascii=False), encoding="utf-8")
    text = report.markdown(result)
    (args.out / "evaluation.md").write_text(text, encoding="utf-8")
    print(text, flush=True)


if __name__ == "__main__":
    main()
