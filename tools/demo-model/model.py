"""The demo model: a Qwen3-MoE decoder over packed documents, with the parameter names of Hugging Face's in memory.

Tokens come flat, [T], as documents laid end to end; `Packing` says where each begins. Documents don't see each other.
The same code trains (bfloat16 products, float32 sums) and, with compute_dtype float32, serves as the reference.
"""

import inspect
import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True)
class Config:
    """Sizes of the model; the defaults are the demo model's."""

    vocab: int = 8192
    hidden: int = 384
    layers: int = 8
    heads: int = 6
    kv_heads: int = 2
    head_dim: int = 64
    experts: int = 16
    experts_used: int = 2
    expert_ff: int = 288
    context: int = 1024
    rope_theta: float = 10000.0
    eps: float = 1e-6

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


class Packing(NamedTuple):
    """Where the documents of a flat batch lie."""

    positions: Tensor   # [T] int64: position inside the document
    starts: Tensor      # [N + 1] int32: first token of each document, then T (repeated up to a fixed N)
    documents: Tensor   # [T] int32: number of the document; unique in the batch
    row_length: int     # no document crosses a multiple of this


class RouterStats(NamedTuple):
    balance: Tensor     # load-balancing loss, 1 when even
    z: Tensor           # mean squared log-sum-exp of the router's logits
    load: Tensor        # [experts] share of choices


# Attention over documents ------------------------------------------------------------------------------------------

_VARLEN: Optional[Any] = None
_VARLEN_ARGS: dict[str, Any] = {}


def use_varlen_attention(device: torch.device) -> bool:
    """Turns the fused kernel for packed documents on, if this PyTorch has one that agrees with the plain formula."""
    global _VARLEN
    if device.type != "cuda":
        return False
    try:
        from torch.nn.attention.varlen import varlen_attn
        parameters = inspect.signature(varlen_attn).parameters
        _VARLEN_ARGS.clear()
        _VARLEN_ARGS.update({"is_causal": True} if "is_causal" in parameters else {"window_size": (-1, 0)})
        generator = torch.Generator(device).manual_seed(0)
        q, k, v = (torch.randn(256, 6, 64, device=device, generator=generator).bfloat16() for _ in range(3))
        documents = (torch.arange(256, device=device) >= 100).int()
        starts = torch.tensor([0, 100, 256, 256], dtype=torch.int32, device=device)
        packing = Packing(torch.zeros(0), starts, documents, 256)
        expected = _attend_masked(q, k, v, packing)
        _VARLEN = varlen_attn
        error = (attend(q, k, v, packing).float() - expected.float()).norm() / expected.float().norm()
        if not error < 2e-2:
            raise RuntimeError(f"varlen_attn differs from the plain formula by {error:.3f}")
        return True
    except Exception as problem:  # an older or newer interface: the masked kernel serves
        print(f"varlen attention is not used: {problem!r}", flush=True)
        _VARLEN = None
        return False


def attend(q: Tensor, k: Tensor, v: Tensor, packing: Packing) -> Tensor:
    """Causal attention inside each document; q, k, v are [T, heads, head_dim]."""
    if _VARLEN is not None and q.dtype == torch.bfloat16:
        length = packing.row_length
        return _VARLEN(q, k, v, packing.starts, packing.starts, length, length, **_VARLEN_ARGS)
    return _attend_masked(q, k, v, packing)


def _attend_masked(q: Tensor, k: Tensor, v: Tensor, packing: Packing) -> Tensor:
    length = packing.row_length
    q, k, v = (t.reshape(-1, length, t.shape[1], t.shape[2]).transpose(1, 2) for t in (q, k, v))
    documents = packing.documents.view(-1, 1, length)
    causal = torch.ones(length, length, dtype=torch.bool, device=q.device).tril()
    mask = (documents.unsqueeze(-1) == documents.unsqueeze(-2)) & causal
    out = masked_attention(q, k, v, mask)
    return out.transpose(1, 2).reshape(-1, q.shape[1], q.shape[3])


def masked_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """q [B, heads, Q, d], k and v [B, heads, K, d], mask [B, 1, Q, K] true where seen."""
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    scores = (q @ k.transpose(-1, -2)).float() / math.sqrt(q.shape[-1])
    return torch.softmax(scores.masked_fill(~mask, -math.inf), -1).to(q.dtype) @ v


# Experts -----------------------------------------------------------------------------------------------------------

_GROUPED = False


def _grouped_mm(x: Tensor, weights: Tensor, ends: Tensor) -> Tensor:
    """x [M, K] sorted by group, weights [groups, K, N], ends [groups] int32: one product a group."""
    if _GROUPED and x.dtype == torch.bfloat16:
        if hasattr(F, "grouped_mm"):
            return F.grouped_mm(x, weights, offs=ends)
        return torch._grouped_mm(x, weights, offs=ends)
    begins = [0] + ends.tolist()
    return torch.cat([x[a:b] @ weights[e] for e, (a, b) in enumerate(zip(begins, begins[1:]))])


class _Dispatch(torch.autograd.Function):
    """Row i of the result is token order[i] // used. Written out so that backward is a gather too, not atomics."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, order: Tensor, inverse: Tensor, used: int) -> Tensor:
        ctx.save_for_backward(inverse)
        ctx.used = used
        return x[torch.div(order, used, rounding_mode="floor")]

    @staticmethod
    def backward(ctx: Any, grad: Tensor):  # type: ignore[override]
        (inverse,) = ctx.saved_tensors
        return grad[inverse].view(-1, ctx.used, grad.shape[1]).sum(1), None, None, None


class _Return(torch.autograd.Function):
    """Rows back in the order of (token, choice)."""

    @staticmethod
    def forward(ctx: Any, y: Tensor, order: Tensor, inverse: Tensor) -> Tensor:
        ctx.save_for_backward(order)
        return y[inverse]

    @staticmethod
    def backward(ctx: Any, grad: Tensor):  # type: ignore[override]
        (order,) = ctx.saved_tensors
        return grad[order], None, None


def run_experts(x: Tensor, ids: Tensor, weights: Tensor, gate_up: Tensor, down: Tensor) -> Tensor:
    """Sum over each token's chosen experts. x [T, H]; ids, weights [T, used]; gate_up [E, 2F, H]; down [E, H, F]."""
    used = ids.shape[1]
    flat = ids.reshape(-1)
    order = torch.argsort(flat, stable=True)
    inverse = torch.empty_like(order).scatter_(0, order, torch.arange(order.shape[0], device=order.device))
    counts = (flat.unsqueeze(1) == torch.arange(gate_up.shape[0], device=flat.device)).sum(0)
    ends = counts.cumsum(0).to(torch.int32)
    rows = _Dispatch.apply(x, order, inverse, used)
    gate, up = _grouped_mm(rows, gate_up.to(x.dtype).transpose(1, 2), ends).chunk(2, -1)
    y = _grouped_mm((F.silu(gate) * up).contiguous(), down.to(x.dtype).transpose(1, 2), ends)
    y = _Return.apply(y, order, inverse).view(x.shape[0], used, x.shape[1])
    return (y * weights.unsqueeze(-1).to(x.dtype)).sum(1)


def use_grouped_products(device: torch.device) -> bool:
    """Turns grouped matrix products on, if values and gradients agree with one product an expert."""
    global _GROUPED
    if device.type != "cuda":
        return False
    try:
        results = []
        for grouped in (False, True):
            _GROUPED = grouped
            generator = torch.Generator(device).manual_seed(0)
            draw = lambda *shape: torch.randn(*shape, device=device, generator=generator)  # noqa: E731
            x, gate_up, down = draw(515, 384), draw(16, 576, 384) * 0.05, draw(16, 384, 288) * 0.05
            scores, ids = draw(515, 16).softmax(-1).topk(2)
            ids[ids == 3] = 4                       # an expert without tokens
            leaves = [t.bfloat16().requires_grad_() for t in (x, gate_up, down)]
            out = run_experts(leaves[0], ids, scores, leaves[1], leaves[2])
            out.square().sum().backward()
            results.append([out.detach()] + [t.grad for t in leaves])
        for name, a, b in zip(("value", "x", "gate_up", "down"), *results):
            error = (a.float() - b.float()).norm() / a.float().norm()
            if not error < 2e-2:
                raise RuntimeError(f"grouped products differ in {name} by {error:.3f}")
        return True
    except Exception as problem:
        print(f"grouped products are not used: {problem!r}", flush=True)
        _GROUPED = False
        return False


# The model ---------------------------------------------------------------------------------------------------------

class RMSNorm(nn.Module):
    def __init__(self, size: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        x = x.float()
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps) * self.weight


def linear(x: Tensor, module: nn.Linear, dtype: torch.dtype) -> Tensor:
    return F.linear(x.to(dtype), module.weight.to(dtype))


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """RoPE with halves; x [T, heads, d], cos and sin [T, d / 2]."""
    a, b = x.chunk(2, -1)
    cos, sin = cos.unsqueeze(1), sin.unsqueeze(1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


class Attention(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        self.c = c
        self.q_proj = nn.Linear(c.hidden, c.heads * c.head_dim, bias=False)
        self.k_proj = nn.Linear(c.hidden, c.kv_heads * c.head_dim, bias=False)
        self.v_proj = nn.Linear(c.hidden, c.kv_heads * c.head_dim, bias=False)
        self.o_proj = nn.Linear(c.heads * c.head_dim, c.hidden, bias=False)
        self.q_norm = RMSNorm(c.head_dim, c.eps)
        self.k_norm = RMSNorm(c.head_dim, c.eps)

    def qkv(self, x: Tensor, cos: Tensor, sin: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor]:
        c = self.c
        q = self.q_norm(linear(x, self.q_proj, dtype).view(-1, c.heads, c.head_dim))
        k = self.k_norm(linear(x, self.k_proj, dtype).view(-1, c.kv_heads, c.head_dim))
        v = linear(x, self.v_proj, dtype).view(-1, c.kv_heads, c.head_dim)
        return rotate(q, cos, sin).to(dtype), rotate(k, cos, sin).to(dtype), v

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, packing: Packing, dtype: torch.dtype) -> Tensor:
        q, k, v = self.qkv(x, cos, sin, dtype)
        repeat = self.c.heads // self.c.kv_heads
        out = attend(q, k.repeat_interleave(repeat, 1), v.repeat_interleave(repeat, 1), packing)
        return linear(out.reshape(x.shape[0], -1), self.o_proj, dtype)


class Experts(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        self.gate_up_proj = nn.Parameter(torch.empty(c.experts, 2 * c.expert_ff, c.hidden))
        self.down_proj = nn.Parameter(torch.empty(c.experts, c.hidden, c.expert_ff))


class SparseMlp(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        self.c = c
        self.gate = nn.Linear(c.hidden, c.experts, bias=False)
        self.experts = Experts(c)

    def route(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Logits, probabilities, and the chosen experts' ids and weights (which sum to 1), all in float32."""
        logits = F.linear(x.float(), self.gate.weight.float())
        probabilities = torch.softmax(logits, -1)
        weights, ids = torch.topk(probabilities, self.c.experts_used, dim=-1)
        return logits, probabilities, weights / weights.sum(-1, keepdim=True), ids

    def forward(self, x: Tensor, valid: Tensor, dtype: torch.dtype) -> tuple[Tensor, RouterStats]:
        """`valid` [T] is 1 for tokens that count in the statistics and 0 for padding."""
        logits, probabilities, weights, ids = self.route(x)
        out = run_experts(x.to(dtype), ids, weights, self.experts.gate_up_proj, self.experts.down_proj)
        total = valid.sum()
        chosen = (ids.unsqueeze(-1) == torch.arange(self.c.experts, device=ids.device)).float().sum(1)
        load = (chosen * valid.unsqueeze(-1)).sum(0) / (total * self.c.experts_used)
        importance = (probabilities * valid.unsqueeze(-1)).sum(0) / total
        balance = self.c.experts * (load.detach() * importance).sum()
        z = (torch.logsumexp(logits, -1).square() * valid).sum() / total
        return out, RouterStats(balance, z, load.detach())


class Block(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        self.input_layernorm = RMSNorm(c.hidden, c.eps)
        self.self_attn = Attention(c)
        self.post_attention_layernorm = RMSNorm(c.hidden, c.eps)
        self.mlp = SparseMlp(c)

    def forward(
        self, x: Tensor, cos: Tensor, sin: Tensor, packing: Packing, valid: Tensor, dtype: torch.dtype,
    ) -> tuple[Tensor, RouterStats]:
        x = x + self.self_attn(self.input_layernorm(x), cos, sin, packing, dtype)
        out, stats = self.mlp(self.post_attention_layernorm(x), valid, dtype)
        return x + out, stats


class Decoder(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(c.vocab, c.hidden)
        self.layers = nn.ModuleList(Block(c) for _ in range(c.layers))
        self.norm = RMSNorm(c.hidden, c.eps)


def head_loss(x: Tensor, embedding: Tensor, labels: Tensor, weights: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Weighted mean of the cross entropy, and the cross entropy of each token."""
    logits = F.linear(x.to(dtype), embedding.to(dtype)).float()
    each = F.cross_entropy(logits, labels, reduction="none")
    return (each * weights).sum() / weights.sum(), each


class DemoModel(nn.Module):
    """The decoder with its head, which is the embedding."""

    def __init__(self, c: Config, compute_dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.c = c
        self.compute_dtype = compute_dtype
        self.model = Decoder(c)
        self._block = Block.forward
        self._head_loss = head_loss
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Normal values, those that write into the residual stream smaller."""
        generator = torch.Generator().manual_seed(seed)
        small = 0.02 / math.sqrt(2 * self.c.layers)
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if parameter.dim() > 1:
                    deviation = small if name.endswith(("o_proj.weight", "down_proj")) else 0.02
                    parameter.copy_(torch.randn(parameter.shape, generator=generator) * deviation)

    def compile(self) -> None:  # type: ignore[override]
        """One compiled block, shared by all layers, and one compiled head."""
        self._block = torch.compile(Block.forward, dynamic=False)
        self._head_loss = torch.compile(head_loss, dynamic=False)

    def rope_table(self, device: torch.device) -> tuple[Tensor, Tensor]:
        """cos and sin, [context, head_dim / 2]."""
        half = self.c.head_dim // 2
        frequencies = self.c.rope_theta ** (-torch.arange(half, dtype=torch.float64) / half)
        angles = torch.arange(self.c.context, dtype=torch.float64).unsqueeze(1) * frequencies
        return angles.cos().float().to(device), angles.sin().float().to(device)

    def hidden(self, tokens: Tensor, packing: Packing, valid: Tensor) -> tuple[Tensor, list[RouterStats]]:
        cos, sin = (table[packing.positions] for table in self.rope_table(tokens.device))
        x = F.embedding(tokens, self.model.embed_tokens.weight.float())
        stats = []
        for block in self.model.layers:
            x, layer_stats = self._block(block, x, cos, sin, packing, valid, self.compute_dtype)
            stats.append(layer_stats)
        return self.model.norm(x), stats

    def logits(self, tokens: Tensor, packing: Packing) -> Tensor:
        x, _ = self.hidden(tokens, packing, torch.ones(tokens.shape[0], device=tokens.device))
        return F.linear(x.to(self.compute_dtype), self.model.embed_tokens.weight.to(self.compute_dtype)).float()

    def forward(
        self, tokens: Tensor, labels: Tensor, weights: Tensor, packing: Packing, valid: Tensor,
    ) -> tuple[Tensor, Tensor, list[RouterStats]]:
        """Loss, loss of each token and router statistics of each layer."""
        x, stats = self.hidden(tokens, packing, valid)
        loss, each = self._head_loss(x, self.model.embed_tokens.weight, labels, weights, self.compute_dtype)
        return loss, each, stats

    def counts(self) -> tuple[int, int]:
        """Parameters in all, and those one token uses."""
        total = sum(p.numel() for p in self.parameters())
        experts = sum(p.numel() for n, p in self.named_parameters() if ".experts." in n)
        return total, total - experts + experts * self.c.experts_used // self.c.experts


def single_packing(length: int, rows: int, device: torch.device) -> Packing:
    """`rows` documents of `length` tokens each."""
    positions = torch.arange(length, device=device).repeat(rows)
    starts = torch.arange(0, (rows + 1) * length, length, dtype=torch.int32, device=device)
    documents = torch.arange(rows, dtype=torch.int32, device=device).repeat_interleave(length)
    return Packing(positions, starts, documents, length)
