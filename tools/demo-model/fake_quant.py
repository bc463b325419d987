"""Rounding to the expert formats in PyTorch, for training: the same values as quantise.py encodes (a test compares)."""

import torch
from torch import Tensor


def _biased_exponent(blocks: Tensor) -> Tensor:
    """floor(log2 of the block's largest magnitude) + 127, [N, 1] int32."""
    return blocks.abs().amax(-1, keepdim=True).view(torch.int32) >> 23


def _power(biased: Tensor) -> Tensor:
    """2^(biased - 127) exactly, from exponent bits 1 … 254."""
    return (biased.clamp(1, 254) << 23).view(torch.float32)


def _better(best: tuple[Tensor, Tensor], values: Tensor, blocks: Tensor) -> tuple[Tensor, Tensor]:
    error = (values - blocks).square().sum(-1, keepdim=True)
    take = error < best[1]
    return torch.where(take, values, best[0]), torch.where(take, error, best[1])


def mxfp4(weights: Tensor) -> Tensor:
    """Nearest values in MXFP4, with the scale of least squared error for each 32 weights of a row."""
    blocks = weights.float().reshape(-1, 32)
    biased = _biased_exponent(blocks)
    best = (blocks, torch.full_like(blocks[:, :1], torch.inf))
    for offset in (-3, -2, -1):
        scale = _power(biased + offset)
        magnitude = (blocks.abs() / scale).clamp(max=6.0)
        step = torch.where(magnitude < 2, 0.5, torch.where(magnitude < 4, 1.0, 2.0))
        level = torch.ceil(magnitude / step - 0.5) * step     # a tie goes to the smaller level
        best = _better(best, torch.where(blocks < 0, -level, level) * scale, blocks)
    return best[0].view(weights.shape)


def w2(weights: Tensor) -> Tensor:
    """Nearest values in W2 (-4, -1, 1, 4 times a power of two); exact zeros alternate in sign."""
    blocks = weights.float().reshape(-1, 32)
    biased = _biased_exponent(blocks)
    odd = torch.arange(32, device=blocks.device) % 2 == 1
    negative = (blocks < 0) | ((blocks == 0) & odd)
    best = (blocks, torch.full_like(blocks[:, :1], torch.inf))
    for offset in range(-5, 2):
        scale = _power(biased + offset)
        level = torch.where(blocks.abs() >= 2.5 * scale, 4.0, 1.0) * scale
        best = _better(best, torch.where(negative, -level, level), blocks)
    return best[0].view(weights.shape)


def w2_of_mxfp4(weights: Tensor) -> Tensor:
    """What the page makes of the file's experts."""
    return w2(mxfp4(weights))
