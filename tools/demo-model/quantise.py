"""Encoders of the GGUF formats that the export uses, in numpy; the same rules as src/quant/ (a test compares)."""

import numpy as np

E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)
MIDPOINTS = np.array([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5], np.float32)


def _blocks(x: np.ndarray) -> np.ndarray:
    if x.shape[-1] % 32:
        raise ValueError(f"rows of {x.shape[-1]} values are no multiple of 32")
    return np.ascontiguousarray(x, np.float32).reshape(-1, 32)


def _biased_exponent(blocks: np.ndarray) -> np.ndarray:
    return np.abs(blocks).max(1, keepdims=True).view(np.int32) >> 23


def _power(biased: np.ndarray) -> np.ndarray:
    return np.exp2(np.clip(biased, 1, 254).astype(np.float64) - 127).astype(np.float32)


def mxfp4_codes(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Codes [N, 32] (bit 3 is the sign) and exponent bytes [N, 1], by least squared error."""
    blocks = _blocks(x)
    biased = _biased_exponent(blocks)
    best_error = np.full((len(blocks), 1), np.inf)
    codes = np.zeros(blocks.shape, np.uint8)
    exponents = np.zeros((len(blocks), 1), np.uint8)
    for offset in (-3, -2, -1):
        exponent = np.clip(biased + offset, 1, 252)
        scale = _power(exponent)
        magnitude = np.searchsorted(MIDPOINTS, np.abs(blocks) / scale, side="left").astype(np.uint8)
        error = np.square(E2M1[magnitude].astype(np.float64) * scale - np.abs(blocks)).sum(1, keepdims=True)
        take = error < best_error
        codes = np.where(take, magnitude, codes)
        exponents = np.where(take, exponent.astype(np.uint8), exponents)
        best_error = np.where(take, error, best_error)
    negative = (blocks < 0) & (codes > 0)
    return codes | np.where(negative, 8, 0).astype(np.uint8), exponents


def encode_mxfp4(x: np.ndarray) -> bytes:
    """ggml type 39: exponent byte, then 16 bytes with the first half of the block in the low nibbles."""
    codes, exponents = mxfp4_codes(x)
    return np.concatenate([exponents, codes[:, :16] | (codes[:, 16:] << 4)], 1).tobytes()


def round_mxfp4(x: np.ndarray) -> np.ndarray:
    """The values that encode_mxfp4 stores."""
    codes, exponents = mxfp4_codes(x)
    values = E2M1[codes & 7] * _power(exponents.astype(np.int32))
    return np.where(codes & 8, -values, values).reshape(x.shape)


def round_w2(x: np.ndarray) -> np.ndarray:
    """The values of W2 by least squared error: -4, -1, 1, 4 times a power of two; zeros alternate in sign."""
    blocks = _blocks(x)
    biased = _biased_exponent(blocks)
    odd = np.arange(32) % 2 == 1
    negative = (blocks < 0) | ((blocks == 0) & odd)
    best = np.zeros_like(blocks)
    best_error = np.full((len(blocks), 1), np.inf)
    for offset in range(-5, 2):
        scale = _power(biased + offset)
        level = np.where(np.abs(blocks) >= 2.5 * scale, 4 * scale, scale)
        error = np.square(level.astype(np.float64) - np.abs(blocks)).sum(1, keepdims=True)
        take = error < best_error
        best = np.where(take, np.where(negative, -level, level), best)
        best_error = np.where(take, error, best_error)
    return best.reshape(x.shape)


def _q8_0(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    blocks = _blocks(x)
    scale = (np.abs(blocks).max(1, keepdims=True) / np.float32(127)).astype(np.float32)
    inverse = np.divide(np.float32(1), scale, out=np.zeros_like(scale), where=scale != 0)
    scaled = blocks * inverse
    codes = (np.sign(scaled) * np.floor(np.abs(scaled) + np.float32(0.5))).astype(np.int8)
    return codes, scale.astype(np.float16)


def encode_q8_0(x: np.ndarray) -> bytes:
    """ggml type 8: f16 scale, then 32 int8."""
    codes, scale = _q8_0(x)
    return np.concatenate([scale.view(np.uint8), codes.view(np.uint8)], 1).tobytes()


def round_q8_0(x: np.ndarray) -> np.ndarray:
    """The values that encode_q8_0 stores."""
    codes, scale = _q8_0(x)
    return (codes.astype(np.float32) * scale.astype(np.float32)).reshape(x.shape)
