"""Documents to packed training rows, in parallel processes, in an order that depends on the seed alone."""

import multiprocessing
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Sequence

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent / "data"))

from tokenizer import END_OF_TEXT_ID, IM_END_ID, IM_START_ID, render  # noqa: E402

PROMPT_WEIGHT = 0.1        # loss weight of what isn't the assistant's
CHUNK = 1500               # documents a process makes at a time
AHEAD = 3                  # chunks a process may be ahead


@dataclass
class Rows:
    """Packed rows, each [rows, length]."""

    tokens: np.ndarray      # uint16
    weights: np.ndarray     # float16: loss weight of the token as a target
    positions: np.ndarray   # uint16: inside the document; 0 begins one

    def __len__(self) -> int:
        return len(self.tokens)

    def take(self, begin: int, end: int) -> "Rows":
        return Rows(self.tokens[begin:end], self.weights[begin:end], self.positions[begin:end])


def concatenate(parts: Sequence[Rows]) -> Rows:
    return Rows(*(np.concatenate([getattr(p, name) for p in parts]) for name in ("tokens", "weights", "positions")))


def target_weights(ids: np.ndarray, assistant: np.ndarray, is_chat: bool) -> np.ndarray:
    """1 on the assistant's words and their end mark, or on all of a plain text; PROMPT_WEIGHT elsewhere; 0 at the start."""
    weights = np.ones(len(ids), np.float16)
    if is_chat:
        weights[:] = PROMPT_WEIGHT
        ends = np.flatnonzero(ids == IM_END_ID)
        for begin in np.flatnonzero(ids == IM_START_ID):
            content = begin + 1 + len(assistant)
            if np.array_equal(ids[begin + 1:content], assistant):
                end = ends[np.searchsorted(ends, begin)] if ends.size and ends[-1] > begin else len(ids) - 1
                weights[content:end + 1] = 1
    weights[0] = 0
    return weights


def pack(documents: Sequence[tuple[np.ndarray, np.ndarray]], length: int, rng: random.Random) -> Rows:
    """Best fit, longest first; no document is split, one that is too long is cut. Rows come in random order."""
    by_space: dict[int, list[int]] = {}
    contents: list[list[int]] = []
    spaces = np.zeros(length + 1, np.int64)      # open rows with this much space
    for index in sorted(range(len(documents)), key=lambda i: -len(documents[i][0])):
        size = min(len(documents[index][0]), length)
        fitting = np.flatnonzero(spaces[size:])
        if fitting.size:
            space = size + int(fitting[0])
            row = by_space[space].pop()
            spaces[space] -= 1
        else:
            space, row = length, len(contents)
            contents.append([])
        contents[row].append(index)
        by_space.setdefault(space - size, []).append(row)
        spaces[space - size] += 1
    rng.shuffle(contents)
    rows = Rows(
        np.full((len(contents), length), END_OF_TEXT_ID, np.uint16), np.zeros((len(contents), length), np.float16),
        np.zeros((len(contents), length), np.uint16))
    for row, members in enumerate(contents):
        rng.shuffle(members)
        at = 0
        for index in members:
            ids, weights = documents[index]
            size = min(len(ids), length)
            rows.tokens[row, at:at + size] = ids[:size]
            rows.weights[row, at:at + size] = weights[:size]
            rows.positions[row, at:at + size] = np.arange(size)
            at += size
        rows.positions[row, at:] = np.arange(length - at)
    return rows


def rows_of_documents(tokenizer: Any, docs: Sequence[dict[str, Any]], length: int, rng: random.Random) -> Rows:
    """Tokenises and packs. `tokenizer` needs encode_batch as the tokenizers library has it."""
    encoded = tokenizer.encode_batch([render(doc) for doc in docs])
    assistant = np.asarray(tokenizer.encode_batch(["assistant\n"])[0].ids)
    documents = []
    for doc, encoding in zip(docs, encoded):
        ids = np.asarray(encoding.ids, np.int64)
        if len(ids) > 1:
            documents.append((ids, target_weights(ids, assistant, "messages" in doc)))
    return pack(documents, length, rng)


# Parallel production -----------------------------------------------------------------------------------------------

_MIX: Any = None


def _documents(job: tuple[str, int, int]) -> list[dict[str, Any]]:
    from mix import make_document
    return [make_document(_MIX, job[0], number) for number in range(job[1], job[2])]


def sample_documents(mix: Any, seed: str, count: int, processes: int) -> list[dict[str, Any]]:
    """The first `count` documents of a seed."""
    global _MIX
    _MIX = mix
    jobs = [(seed, begin, min(begin + 500, count)) for begin in range(0, count, 500)]
    if processes <= 1:
        return [doc for job in jobs for doc in _documents(job)]
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        return [doc for part in pool.imap(_documents, jobs) for doc in part]


def _produce(tokenizer_path: str, seed: str, first: int, step: int, length: int, queue: Any) -> None:
    """A process: chunks first, first + step, … of the seed, for ever."""
    from mix import make_document
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(tokenizer_path)
    chunk = first
    while True:
        docs = [make_document(_MIX, seed, n) for n in range(chunk * CHUNK, (chunk + 1) * CHUNK)]
        rows = rows_of_documents(tokenizer, docs, length, random.Random(f"pack:{seed}:{chunk}"))
        queue.put((rows.tokens, rows.weights, rows.positions))
        chunk += step


class RowStream:
    """Endless batches of packed rows. Start it before CUDA is initialised: it forks."""

    def __init__(self, mix: Any, tokenizer_path: str, seed: str, length: int, processes: int) -> None:
        global _MIX
        _MIX = mix
        context = multiprocessing.get_context("fork")
        self._queues = [context.Queue(AHEAD) for _ in range(processes)]
        self._processes = [
            context.Process(target=_produce, args=(tokenizer_path, seed, i, processes, length, queue), daemon=True)
            for i, queue in enumerate(self._queues)
        ]
        for process in self._processes:
            process.start()

    def batches(self, rows: int) -> Iterator[Rows]:
        """A chunk of every process at a time, its rows dealt out in turn, so that each batch has rows of all."""
        rest: list[Rows] = []
        while True:
            parts = [Rows(*queue.get()) for queue in self._queues]
            shortest = min(len(part) for part in parts)
            mixed = [np.stack([getattr(p, name)[:shortest] for p in parts], 1).reshape(-1, parts[0].tokens.shape[1])
                     for name in ("tokens", "weights", "positions")]
            pool = concatenate([*rest, Rows(*mixed), *(part.take(shortest, len(part)) for part in parts)])
            full = len(pool) // rows * rows
            for begin in range(0, full, rows):
                yield pool.take(begin, begin + rows)
            rest = [pool.take(full, len(pool))]

    def close(self) -> None:
        for process in self._processes:
            process.terminate()
