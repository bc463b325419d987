"""Batched text generation with a key/value cache, for the evaluation."""

from typing import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from model import DemoModel, linear, masked_attention, run_experts
from tokenizer import END_OF_TEXT_ID, IM_END_ID


class Generator:
    """Continues `rows` prompts at once, up to `capacity` tokens each with their answers."""

    def __init__(self, model: DemoModel, rows: int, capacity: int) -> None:
        self.model = model
        c = model.c
        self.device = model.model.embed_tokens.weight.device
        shape = (c.layers, rows, capacity, c.kv_heads, c.head_dim)
        self.k = torch.zeros(shape, dtype=model.compute_dtype, device=self.device)
        self.v = torch.zeros_like(self.k)
        self.rows = torch.arange(rows, device=self.device).unsqueeze(1)
        self.cos, self.sin = model.rope_table(self.device)

    def run(self, ids: Tensor, positions: Tensor, seen: int) -> Tensor:
        """Hidden states after ids [rows, Q] at positions [rows, Q], all below `seen`."""
        model, dtype = self.model, self.model.compute_dtype
        rows, count = ids.shape
        cos, sin = self.cos[positions.reshape(-1)], self.sin[positions.reshape(-1)]
        mask = (torch.arange(seen, device=self.device) <= positions.unsqueeze(-1)).unsqueeze(1)
        x = F.embedding(ids.reshape(-1), model.model.embed_tokens.weight).float()
        repeat = model.c.heads // model.c.kv_heads
        for layer, block in enumerate(model.model.layers):
            q, k, v = block.self_attn.qkv(block.input_layernorm(x), cos, sin, dtype)
            self.k[layer][self.rows, positions] = k.view(rows, count, *k.shape[1:])
            self.v[layer][self.rows, positions] = v.view(rows, count, *v.shape[1:])
            keys, values = (cache[layer, :, :seen].transpose(1, 2).repeat_interleave(repeat, 1) for cache in (self.k, self.v))
            out = masked_attention(q.view(rows, count, *q.shape[1:]).transpose(1, 2), keys, values, mask)
            x = x + linear(out.transpose(1, 2).reshape(rows * count, -1), block.self_attn.o_proj, dtype)
            h = block.post_attention_layernorm(x)
            _, _, weights, chosen = block.mlp.route(h)
            x = x + run_experts(h.to(dtype), chosen, weights, block.mlp.experts.gate_up_proj, block.mlp.experts.down_proj)
        return model.model.norm(x).view(rows, count, -1)

    def logits(self, hidden: Tensor) -> Tensor:
        dtype = self.model.compute_dtype
        return F.linear(hidden.to(dtype), self.model.model.embed_tokens.weight.to(dtype)).float()


def pick(logits: Tensor, temperature: float, top_p: float, generators: Sequence[torch.Generator]) -> Tensor:
    """Greedy at temperature 0, else a nucleus sample with one random generator a row."""
    if temperature == 0:
        return logits.argmax(-1)
    chosen = []
    for row, generator in zip(logits.cpu(), generators):
        probabilities, ids = torch.softmax(row / temperature, -1).sort(descending=True)
        keep = probabilities.cumsum(-1) - probabilities < top_p
        chosen.append(ids[torch.multinomial(probabilities * keep, 1, generator=generator)])
    return torch.cat(chosen).to(logits.device)


@torch.no_grad()
def continue_prompts(
    model: DemoModel, prompts: Sequence[Sequence[int]], new_tokens: int, temperature: float = 0.0, top_p: float = 1.0,
    seeds: Sequence[int] = (),
) -> list[list[int]]:
    """The ids that follow each prompt, without the end mark. Prompts of like length make a good batch."""
    longest = max(len(p) for p in prompts)
    generator = Generator(model, len(prompts), longest + new_tokens)
    lengths = torch.tensor([len(p) for p in prompts], device=generator.device)
    ids = torch.tensor([list(p) + [END_OF_TEXT_ID] * (longest - len(p)) for p in prompts], device=generator.device)
    randoms = [torch.Generator().manual_seed(seed) for seed in seeds]
    hidden = generator.run(ids, torch.arange(longest, device=generator.device).expand(len(prompts), -1), longest)
    last = hidden[torch.arange(len(prompts), device=generator.device), lengths - 1]
    out = []
    ended = torch.zeros(len(prompts), dtype=torch.bool, device=generator.device)
    for step in range(new_tokens):
        token = pick(generator.logits(last), temperature, top_p, randoms)
        token = torch.where(ended, torch.full_like(token, IM_END_ID), token)
        out.append(token)
        ended |= (token == IM_END_ID) | (token == END_OF_TEXT_ID)
        if step + 1 == new_tokens or (step % 8 == 7 and bool(ended.all())):
            break
        last = generator.run(token.unsqueeze(1), (lengths + step).unsqueeze(1), longest + step + 1)[:, 0]
    answers = []
    for row in torch.stack(out, 1).tolist():
        end = next((i for i, token in enumerate(row) if token in (IM_END_ID, END_OF_TEXT_ID)), len(row))
        answers.append(row[:end])
    return answers
