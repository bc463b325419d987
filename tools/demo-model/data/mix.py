#!/usr/bin/env python3
"""Writes the training documents and the evaluation cases of the demo model.

  python3 tools/demo-model/data/mix.py --corpus DIR --seed 1 --docs 1000000 --out train.jsonl --processes 8
  python3 tools/demo-model/data/mix.py --corpus DIR --seed 1 --docs 4000 --out validation.jsonl --validation
  python3 tools/demo-model/data/mix.py --corpus DIR --eval eval.jsonl
  python3 tools/demo-model/data/mix.py --corpus DIR --stats

Document number i of a seed is the same whatever --docs and --processes are. Every module gen_*.py beside this file
takes part. A module may also define
  setup(corpus: Path) -> None    called once with the corpus folder, before anything else (needs --corpus)
  INTERLEAVE: set[str]           tasks whose conversation may be interrupted by another topic before its last question
"""

import argparse
import importlib
import json
import multiprocessing
import random
import sys
import time
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from common import Doc, fits  # noqa: E402
from corpus import Corpus, load_corpus  # noqa: E402

# Share of the generated text (by characters, not by documents) of each module; one that isn't listed gets
# DEFAULT_SHARE.
MODULE_SHARES: dict[str, float] = {
    "gen_stories": 19,
    "gen_story_questions": 14,
    "gen_reading": 8,
    "gen_arithmetic": 14,
    "gen_chat": 13,
    "gen_everyday": 12,
    "gen_words": 11,
    "gen_world": 10,
}
DEFAULT_SHARE = 8.0

# Modules of one group appear once in a joined chat: two names of one user, or two stories, would make "what was my
# name?" and "who was the story about?" ambiguous.
GROUPS: dict[str, str] = {"gen_chat": "user", "gen_stories": "story", "gen_story_questions": "story"}

CORPUS_SHARE = 0.12  # of all text
JOIN_CHANCE = 0.30  # of a chat: other samples join it
EVAL_CAP = 400  # cases a task
CHUNK = 1000  # documents a job of a process
MEASURED = 200  # documents a module, to learn how long its documents are


# Sources -------------------------------------------------------------------------------------------------------------


@dataclass
class Mix:
    """All there is to draw from, with its chances."""

    modules: list[ModuleType]
    tasks: list[tuple[list[str], list[float]]]
    chances: list[float]
    corpus: Corpus | None
    corpus_chance: float
    forbidden: frozenset[int] = frozenset()


def load_modules(folder: Path, skip: Iterable[str]) -> list[ModuleType]:
    """Imports the generators, in the order of their names."""
    names = sorted(path.stem for path in folder.glob("gen_*.py"))
    modules = [importlib.import_module(name) for name in names if name not in set(skip)]
    for module in modules:
        if not hasattr(module, "TASKS"):
            print(f"{module.__name__} has no TASKS: left out", file=sys.stderr)
    return [module for module in modules if hasattr(module, "TASKS")]


def text_length(doc: Doc) -> int:
    return len(doc["text"]) if "text" in doc else sum(len(m["content"]) for m in doc["messages"])


_NO_MARKS = str.maketrans("", "", " .,;:!?'\"()")


def _conversation_key(messages: list[dict[str, str]]) -> str:
    return "\n".join(m["content"] for m in messages).lower().translate(_NO_MARKS)


def _key_number(key: str) -> int:
    raw = key.encode("utf-8")
    return zlib.crc32(raw) << 32 | zlib.adler32(raw)


def all_eval_cases(modules: list[ModuleType]) -> list[Doc]:
    """Every module's cases, without repeats, spread evenly over what a task offers where it has more than the cap."""
    cases: list[Doc] = []
    for module in modules:
        for task in module.TASKS:
            seen: set[str] = set()
            offered = []
            for case in module.eval_cases(task):
                key = _conversation_key(case["messages"])
                if key not in seen:
                    seen.add(key)
                    offered.append(case)
            step = max(1.0, len(offered) / EVAL_CAP)
            cases += [offered[int(i * step)] for i in range(min(EVAL_CAP, len(offered)))]
    return cases


def build_mix(corpus_folder: Path | None, validation: bool, skip: Iterable[str], documents: bool = True) -> Mix:
    """Loads modules and corpus and works out the chance of each, from the shares of text and the measured lengths."""
    modules = load_modules(Path(__file__).resolve().parent, skip)
    for module in modules:
        if hasattr(module, "setup"):
            if corpus_folder is None:
                raise SystemExit(f"{module.__name__} needs --corpus")
            module.setup(corpus_folder)
    tasks = [(list(module.TASKS), [float(w) for w in module.TASKS.values()]) for module in modules]
    chances: list[float] = []
    total_share = sum(MODULE_SHARES.get(m.__name__, DEFAULT_SHARE) for m in modules)
    for module, (names, weights) in zip(modules, tasks):
        rng = random.Random("measure:" + module.__name__)
        length = (
            sum(text_length(module.sample(rng.choices(names, weights)[0], rng)) for _ in range(MEASURED)) / MEASURED
        )
        share = MODULE_SHARES.get(module.__name__, DEFAULT_SHARE) / total_share
        chances.append(share / length)
    mean_length = 1 / sum(chances)
    corpus = load_corpus(corpus_folder, validation) if corpus_folder and documents else None
    corpus_chance = 0.0
    if corpus:
        rng = random.Random("measure:corpus")
        length = sum(text_length(corpus.sample(rng)) for _ in range(MEASURED)) / MEASURED
        per_generated = CORPUS_SHARE / length
        generated = (1 - CORPUS_SHARE) / (mean_length * (1 + JOIN_CHANCE * 1.2))
        corpus_chance = per_generated / (per_generated + generated)
    forbidden = frozenset(
        _key_number(_conversation_key(case["messages"])) for case in all_eval_cases(modules) if not case.get("open")
    )
    return Mix(modules, tasks, chances, corpus, corpus_chance, forbidden)


# Documents -----------------------------------------------------------------------------------------------------------


def _is_forbidden(mix: Mix, doc: Doc) -> bool:
    """True when the document holds an evaluation case word for word: the conversation up to one of its questions."""
    if "messages" not in doc:
        return False
    messages = doc["messages"]
    key = ""
    for at, message in enumerate(messages):
        part = _conversation_key([message])
        key = part if at == 0 else f"{key}\n{part}"
        if message["role"] == "user" and _key_number(key) in mix.forbidden:
            return True
    return False


def _draw(mix: Mix, rng: random.Random) -> tuple[ModuleType, Doc]:
    """One sample of one module that isn't an evaluation case and isn't too long."""
    for _ in range(200):
        at = rng.choices(range(len(mix.modules)), mix.chances)[0]
        names, weights = mix.tasks[at]
        doc = mix.modules[at].sample(rng.choices(names, weights)[0], rng)
        if fits(doc) and not _is_forbidden(mix, doc):
            return mix.modules[at], doc
    raise RuntimeError("the generators give only evaluation cases or documents that are too long")


def _can_join(doc: Doc) -> bool:
    return "messages" in doc and doc["messages"][0]["role"] != "system" and text_length(doc) < 1500


def make_document(mix: Mix, seed: str, number: int) -> Doc:
    """Document `number` of a seed: from the corpus, one sample, or two or three samples in one chat."""
    rng = random.Random(f"{seed}:{number}")
    if mix.corpus and rng.random() < mix.corpus_chance:
        return mix.corpus.sample(rng)
    module, doc = _draw(mix, rng)
    if rng.random() >= JOIN_CHANCE or not _can_join(doc):
        return doc
    others = []
    groups = {GROUPS.get(module.__name__, "")} - {""}
    for _ in range(1 if rng.random() < 0.7 else 2):
        other_module, other = _draw(mix, rng)
        group = GROUPS.get(other_module.__name__, "")
        if _can_join(other) and group not in groups:
            others.append(other["messages"])
            groups |= {group} - {""}
    if not others:
        return doc
    messages = doc["messages"]
    between = [message for other in others for message in other]
    if doc["task"] in getattr(module, "INTERLEAVE", ()) and len(messages) >= 4 and rng.random() < 0.7:
        joined = messages[:-2] + between + messages[-2:]
    elif rng.random() < 0.5:
        joined = messages + between
    else:
        joined = between + messages
    result = {"task": "mixed", "messages": joined}
    return result if fits(result) else doc


# Parallel writing ----------------------------------------------------------------------------------------------------

_MIX: Mix | None = None


def _chunk(job: tuple[str, int, int]) -> bytes:
    seed, first, last = job
    assert _MIX is not None
    lines = [
        json.dumps(make_document(_MIX, seed, i), ensure_ascii=False, separators=(",", ":")) for i in range(first, last)
    ]
    return ("\n".join(lines) + "\n").encode("utf-8")


def _jobs(seed: str, docs: int) -> Iterator[tuple[str, int, int]]:
    return ((seed, first, min(first + CHUNK, docs)) for first in range(0, docs, CHUNK))


def write_documents(mix: Mix, seed: str, docs: int, out: Path, processes: int) -> int:
    """Writes the documents in order; returns the bytes written. The file gets its name when it is whole."""
    global _MIX
    _MIX = mix
    written = 0
    unfinished = out.with_name(out.name + ".part")
    with unfinished.open("wb") as file:
        if processes <= 1:
            for job in _jobs(seed, docs):
                written += file.write(_chunk(job))
        else:
            with multiprocessing.get_context("fork").Pool(processes) as pool:
                for block in pool.imap(_chunk, _jobs(seed, docs)):
                    written += file.write(block)
    unfinished.rename(out)
    return written


def print_stats(mix: Mix, seed: str, docs: int) -> None:
    """Documents, text and mean length by task, from the first `docs` documents of the seed."""
    count: dict[str, int] = {}
    length: dict[str, int] = {}
    distinct: dict[str, set[int]] = {}
    began = time.perf_counter()
    for number in range(docs):
        doc = make_document(mix, seed, number)
        task = doc["task"]
        count[task] = count.get(task, 0) + 1
        length[task] = length.get(task, 0) + text_length(doc)
        distinct.setdefault(task, set()).add(hash(json.dumps(doc.get("messages") or doc["text"])))
    seconds = time.perf_counter() - began
    total = sum(length.values())
    print(
        f"{docs} documents, {total / 1e6:.1f} MB of text, {total / docs:.0f} characters each, "
        f"{total / seconds / 1e6:.1f} MB/s"
    )
    print(f"{'task':28} {'documents':>9} {'distinct':>9} {'of text':>8} {'characters':>10}")
    for task in sorted(count, key=lambda t: -length[t]):
        print(
            f"{task:28} {count[task]:9} {len(distinct[task]):9} "
            f"{length[task] / total:8.1%} {length[task] / count[task]:10.0f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="folder with wordnet.jsonl, books/, …; without it, generators only")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--docs", type=int, default=20000)
    parser.add_argument("--out", type=Path, help="write documents (JSON Lines)")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument(
        "--validation", action="store_true", help="documents that no training seed gives, held-out corpus text"
    )
    parser.add_argument("--eval", type=Path, help="write the evaluation cases (JSON Lines)")
    parser.add_argument("--stats", action="store_true", help="print shares by task of the first --docs documents")
    parser.add_argument("--skip", nargs="*", default=[], help="names of modules to leave out")
    args: Any = parser.parse_args()
    if not (args.out or args.eval or args.stats):
        parser.error("give --out, --eval or --stats")
    mix = build_mix(args.corpus, args.validation, args.skip, bool(args.out or args.stats))
    seed = f"{'validation' if args.validation else 'train'}:{args.seed}"
    if args.eval:
        cases = all_eval_cases(mix.modules)
        args.eval.write_text("".join(json.dumps(case, ensure_ascii=False) + "\n" for case in cases), encoding="utf-8")
        print(f"{len(cases)} evaluation cases of {len({case['task'] for case in cases})} tasks")
    if args.out:
        began = time.perf_counter()
        written = write_documents(mix, seed, args.docs, args.out, args.processes)
        seconds = time.perf_counter() - began
        print(f"{args.docs} documents, {written / 1e6:.1f} MB in {seconds:.0f} s ({written / seconds / 1e6:.1f} MB/s)")
    if args.stats:
        print_stats(mix, seed, args.docs)


if __name__ == "__main__":
    main()
