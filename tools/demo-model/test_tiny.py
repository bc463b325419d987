#!/usr/bin/env python3
"""Checks of the training code on the CPU, with tiny sizes: python3 tools/demo-model/test_tiny.py (needs torch, numpy)."""

import argparse
import random
import sys
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parent))

import fake_quant  # noqa: E402
import quantise  # noqa: E402
import stream  # noqa: E402
import train  # noqa: E402
from model import Config, DemoModel, run_experts, single_packing  # noqa: E402
from tokenizer import SPECIAL  # noqa: E402

TINY = Config(vocab=512, hidden=64, layers=2, heads=2, kv_heads=1, head_dim=32, experts=4, experts_used=2, expert_ff=32,
              context=128)


class ByteTokenizer:
    """Stands in for the tokenizers library: one token a character."""

    class Encoding:
        def __init__(self, ids: list[int]) -> None:
            self.ids = ids

    def encode_batch(self, texts: list[str]) -> list["ByteTokenizer.Encoding"]:
        encodings = []
        for text in texts:
            for i, special in enumerate(SPECIAL):
                text = text.replace(special, chr(0xE000 + i))
            encodings.append(self.Encoding([ord(c) - 0xE000 if ord(c) >= 0xE000 else 3 + min(ord(c), 500) for c in text]))
        return encodings


def some_rows(count: int) -> stream.Rows:
    rng = random.Random(3)
    docs = []
    for _ in range(count):
        a, b = rng.randrange(10), rng.randrange(10)
        docs.append({"task": "add", "messages": [{"role": "user", "content": f"{a}+{b}?"},
                                                 {"role": "assistant", "content": str(a + b)}]})
    return stream.rows_of_documents(ByteTokenizer(), docs, TINY.context, rng)


def test_packing() -> None:
    rows = some_rows(40)
    starts = (rows.positions == 0) & (rows.tokens == 1)
    assert starts.any() and (rows.tokens[:, 0] == 1).all()
    answers = rows.tokens[rows.weights == 1]
    assert set(answers.tolist()) <= {3 + ord(c) for c in "0123456789"} | {2}, "only answers and their end count fully"
    assert (answers == 2).sum() == 40
    again = some_rows(40)
    assert np.array_equal(rows.tokens, again.tokens)


def test_documents_are_separate() -> None:
    model = DemoModel(TINY)
    rows = some_rows(30)
    batch = train.Batch(rows.take(0, 1), torch.device("cpu"))
    together = model.logits(batch.tokens, batch.packing)
    begins = np.flatnonzero(rows.positions[0] == 0).tolist() + [TINY.context]
    for begin, end in zip(begins, begins[1:]):
        alone = model.logits(batch.tokens[begin:end], single_packing(end - begin, 1, torch.device("cpu")))
        assert torch.allclose(together[begin:end], alone, atol=1e-4), (begin, end)


def test_experts() -> None:
    """Against one expert after the other, values and gradients."""
    torch.manual_seed(0)
    x, gate_up, down = torch.randn(9, 64), torch.randn(4, 64, 64), torch.randn(4, 64, 32)
    weights, ids = torch.randn(9, 4).softmax(-1).topk(2)
    results = []
    for plain in (False, True):
        leaves = [t.clone().requires_grad_() for t in (x, gate_up, down, weights)]
        if plain:
            rows = []
            for t in range(9):
                total = torch.zeros(64)
                for j in range(2):
                    gate, up = (leaves[1][ids[t, j]] @ leaves[0][t]).chunk(2)
                    total = total + leaves[3][t, j] * (leaves[2][ids[t, j]] @ (torch.nn.functional.silu(gate) * up))
                rows.append(total)
            out = torch.stack(rows)
        else:
            out = run_experts(leaves[0], ids, leaves[3], leaves[1], leaves[2])
        out.square().sum().backward()
        results.append([out.detach()] + [leaf.grad for leaf in leaves])
    for a, b in zip(*results):
        assert torch.allclose(a, b, rtol=1e-3, atol=1e-2), (a - b).abs().max()


def test_rounding() -> None:
    """PyTorch and numpy round to the same values, and the stored bytes mean them."""
    rng = np.random.default_rng(1)
    x = (rng.standard_normal((64, 96)) * np.exp(rng.standard_normal((64, 96)))).astype(np.float32)
    x[3, :32] = 0
    x[4, 5] = 0
    four = fake_quant.mxfp4(torch.from_numpy(x)).numpy()
    assert np.array_equal(four, quantise.round_mxfp4(x))
    assert np.array_equal(four, quantise.round_mxfp4(four)), "rounding twice changes nothing"
    assert np.array_equal(fake_quant.w2(torch.from_numpy(four)).numpy(), quantise.round_w2(four))
    raw = np.frombuffer(quantise.encode_mxfp4(x), np.uint8).reshape(-1, 17)
    codes = np.concatenate([raw[:, 1:] & 15, raw[:, 1:] >> 4], 1)
    values = quantise.E2M1[codes & 7] * np.where(codes & 8, -1, 1) * np.exp2(raw[:, :1].astype(np.float64) - 127)
    assert np.array_equal(values.reshape(x.shape).astype(np.float32), four)


def test_training_learns() -> None:
    rows = some_rows(400)
    args = argparse.Namespace(learning_rate=3e-3, steps=120, seconds=0, w2_every=3, log_every=20)

    def forever():
        while True:
            for begin in range(0, len(rows) - 4, 4):
                yield rows.take(begin, begin + 4)

    model = DemoModel(TINY)
    result = train.train(model, forever(), args, torch.device("cpu"))
    assert result["curve"][-1]["loss"] < 0.7 * result["curve"][0]["loss"], result["curve"]
    assert {c["rounding"] for c in result["curve"]} >= {"none", "mxfp4"}


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: ok", flush=True)
