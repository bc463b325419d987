#!/usr/bin/env python3
"""Trains the demo model on one GPU within a time budget.

  python3 tools/demo-model/train.py --corpus DIR --tokenizer tokenizer.json --seconds 900 --out checkpoint.pt

Learning rate and quantisation follow the share of the budget used, so that the decay ends when the time does.
--steps N (printed at the end of a run) makes the schedule follow the steps instead, which repeats a run.
In the last part the experts are rounded before each step, MXFP4 and W2 in turn, and the gradient goes to the
unrounded weights (straight-through).
"""

import argparse
import json
import math
import sys
import time
from pathlib import Path
from typing import Any, Iterator, Optional

import numpy as np
import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).resolve().parent))

import fake_quant  # noqa: E402
from model import Config, DemoModel, Packing, use_grouped_products, use_varlen_attention  # noqa: E402
from stream import RowStream, Rows  # noqa: E402

WARMUP_STEPS = 200
DECAY_FROM = 0.70           # share of the budget
ROUNDING_FROM = 0.60
BALANCE_WEIGHT = 0.01
ROUTER_Z_WEIGHT = 0.001
DOCUMENTS_PER_ROW = 48      # at most, on average over a batch


class Batch:
    """One batch on the device."""

    def __init__(self, rows: Rows, device: torch.device) -> None:
        count, length = rows.tokens.shape
        positions = rows.positions.reshape(-1).astype(np.int64)
        begins = np.flatnonzero(positions == 0)
        capacity = max(count * DOCUMENTS_PER_ROW, len(begins))   # one size, so that nothing is compiled again
        starts = np.full(capacity + 1, positions.size, np.int32)
        starts[:len(begins)] = begins
        documents = np.cumsum(positions == 0).astype(np.int32)
        labels = np.zeros((count, length), np.int64)
        labels[:, :-1] = rows.tokens[:, 1:]
        weights = np.zeros((count, length), np.float32)
        weights[:, :-1] = rows.weights[:, 1:]
        # Padding is the tail of a row with weight 0 throughout: it has no targets, so nothing counts there.
        valid = np.flip(np.maximum.accumulate(np.flip(rows.weights > 0, 1), 1), 1)

        def put(array: np.ndarray, kind: Any) -> Tensor:
            tensor = torch.from_numpy(np.ascontiguousarray(array).reshape(-1).astype(kind))
            return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor

        self.tokens = put(rows.tokens, np.int64)
        self.labels = put(labels, np.int64)
        self.weights = put(weights, np.float32)
        self.valid = put(valid, np.float32)
        self.packing = Packing(put(positions, np.int64), put(starts, np.int32), put(documents, np.int32), length)


class RoundedExperts:
    """Rounds the expert weights for a step and puts the exact ones back for the update."""

    def __init__(self, model: DemoModel) -> None:
        self._parameters = [p for n, p in model.named_parameters() if ".experts." in n]
        self._exact: list[Tensor] = []

    @torch.no_grad()
    def apply(self, kind: str) -> None:
        rounding = {"mxfp4": fake_quant.mxfp4, "w2": fake_quant.w2_of_mxfp4}[kind]
        self._exact = [p.detach().clone() for p in self._parameters]
        for parameter in self._parameters:
            parameter.copy_(rounding(parameter))

    @torch.no_grad()
    def restore(self) -> None:
        for parameter, exact in zip(self._parameters, self._exact):
            parameter.copy_(exact)
        self._exact = []


def rate(progress: float, step: int) -> float:
    """Share of the peak learning rate: warm-up, constant, linear decay to nothing."""
    warm = min(1.0, (step + 1) / WARMUP_STEPS)
    return warm * min(1.0, max(0.0, (1 - progress) / (1 - DECAY_FROM)))


def rounding_of(progress: float, step: int, w2_every: int) -> Optional[str]:
    """Which rounding a step trains under: first none, then W2 in every w2_every-th step and MXFP4 in the others."""
    if progress < ROUNDING_FROM:
        return None
    return "w2" if w2_every > 0 and step % w2_every == 0 else "mxfp4"


def make_optimizer(model: DemoModel, learning_rate: float, fused: bool) -> torch.optim.Optimizer:
    decayed = [p for n, p in model.named_parameters() if p.dim() > 1 and "embed" not in n and not n.endswith("gate.weight")]
    ids = {id(p) for p in decayed}
    other = [p for p in model.parameters() if id(p) not in ids]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": other, "weight_decay": 0.0}]
    extra = {"fused": True} if fused else {}
    return torch.optim.AdamW(groups, lr=learning_rate, betas=(0.9, 0.95), eps=1e-8, **extra)


class Pace:
    """Keeps the host at most two steps ahead of the GPU, so that its clock tells how far training is."""

    def __init__(self, device: torch.device) -> None:
        self._cuda = device.type == "cuda"
        self._events: list[Any] = []

    def mark(self) -> None:
        if self._cuda:
            self._events.append(torch.cuda.Event())
            self._events[-1].record()

    def wait(self) -> None:
        if len(self._events) > 2:
            self._events.pop(0).synchronize()


def prefetched(batches: Iterator[Rows], device: torch.device) -> Iterator[Batch]:
    """The next batch is copied while the current one is worked on."""
    upcoming = Batch(next(batches), device)
    for rows in batches:
        current, upcoming = upcoming, Batch(rows, device)
        yield current


def train(model: DemoModel, batches: Iterator[Rows], args: argparse.Namespace, device: torch.device) -> dict[str, Any]:
    """Runs until the budget is used; returns what happened."""
    optimizer = make_optimizer(model, args.learning_rate, device.type == "cuda")
    rounded = RoundedExperts(model)
    stream = prefetched(batches, device)
    pace = Pace(device)
    curve: list[dict[str, Any]] = []
    began = None
    step = 0
    tokens_seen = 0
    window_began, window_tokens = time.perf_counter(), 0
    while True:
        batch = next(stream)
        pace.wait()
        # The clock begins after the first step, which compiles.
        elapsed = 0.0 if began is None else time.perf_counter() - began
        progress = step / args.steps if args.steps else elapsed / args.seconds
        if progress >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = args.learning_rate * rate(progress, step)
        rounding = rounding_of(progress, step, args.w2_every)
        if rounding:
            rounded.apply(rounding)
        loss, _, stats = model(batch.tokens, batch.labels, batch.weights, batch.packing, batch.valid)
        balance = torch.stack([s.balance for s in stats]).mean()
        z = torch.stack([s.z for s in stats]).mean()
        (loss + BALANCE_WEIGHT * balance + ROUTER_Z_WEIGHT * z).backward()
        if rounding:
            rounded.restore()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        pace.mark()
        step += 1
        tokens_seen += batch.tokens.shape[0]
        window_tokens += batch.tokens.shape[0]
        if began is None:
            loss.item()
            began = time.perf_counter()
            print(f"first step after {began - window_began:.1f} s (compilation)", flush=True)
            window_began, window_tokens = began, 0
        if step % args.log_every == 0 or (rounding and rounding == "w2" and step % args.log_every <= 2):
            values = {
                "step": step, "progress": round(progress, 4), "loss": loss.item(), "balance": balance.item(), "z": z.item(),
                "norm": float(norm), "rounding": rounding or "none",
                "max_load": max(s.load.max().item() for s in stats), "min_load": min(s.load.min().item() for s in stats),
            }
            now = time.perf_counter()
            values["tokens_per_s"] = round(window_tokens / (now - window_began))
            window_began, window_tokens = now, 0
            if not math.isfinite(values["loss"]):
                raise SystemExit(f"the loss became {values['loss']} at step {step}")
            curve.append(values)
            print(f"step {step} {progress:.1%} loss {values['loss']:.4f} ({values['rounding']}) balance {values['balance']:.3f} "
                  f"load {values['min_load']:.3f}-{values['max_load']:.3f} norm {values['norm']:.2f} "
                  f"lr {rate(progress, step):.2f} {values['tokens_per_s'] / 1e6:.2f} M tokens/s", flush=True)
    return {"steps": step, "tokens": tokens_seen, "seconds": time.perf_counter() - (began or 0), "curve": curve}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=900)
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--rows", type=int, default=128, help="rows of 1,024 tokens in a batch")
    parser.add_argument("--learning-rate", type=float, default=2e-3)
    parser.add_argument("--w2-every", type=int, default=3)
    parser.add_argument("--processes", type=int, default=12)
    parser.add_argument("--log-every", type=int, default=100)
    parser.add_argument("--no-compile", action="store_true")
    args = parser.parse_args()
    import mix

    config = Config()
    print("preparing documents", flush=True)
    stream = RowStream(mix.build_mix(args.corpus, False, []), str(args.tokenizer), f"train:{args.seed}", config.context,
                       args.processes)
    torch.manual_seed(args.seed)
    device = torch.device("cuda")
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}; packed attention: {use_varlen_attention(device)}, "
          f"grouped products: {use_grouped_products(device)}", flush=True)
    model = DemoModel(config, torch.bfloat16)
    model.reset(args.seed)
    model.to(device)
    total, active = model.counts()
    print(f"{total / 1e6:.2f} M parameters, {active / 1e6:.2f} M active", flush=True)
    if not args.no_compile:
        torch._dynamo.config.recompile_limit = 64
        model.compile()
    result = train(model, stream.batches(args.rows), args, device)
    stream.close()
    print(f"{result['steps']} steps, {result['tokens'] / 1e6:.0f} M tokens in {result['seconds']:.0f} s", flush=True)
    torch.save({"config": config.to_dict(), "model": model.state_dict(), "seed": args.seed, "steps": result["steps"]}, args.out)
    args.out.with_suffix(".json").write_text(json.dumps({**result, "seed": args.seed, "parameters": total, "active": active,
                                                         "rows": args.rows, "learning_rate": args.learning_rate}))


if __name__ == "__main__":
    main()
