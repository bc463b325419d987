"""A small writer of GGUF v3 files (little endian)."""

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Sequence

import numpy as np

import quantise

ALIGNMENT = 32
F32, Q8_0, MXFP4 = 0, 8, 39             # ggml tensor types

_SCALARS = {"u8": (0, "<B"), "i8": (1, "<b"), "u16": (2, "<H"), "i16": (3, "<h"), "u32": (4, "<I"), "i32": (5, "<i"),
            "f32": (6, "<f"), "bool": (7, "<?"), "u64": (10, "<Q"), "i64": (11, "<q"), "f64": (12, "<d")}
_STRING, _ARRAY = 8, 9


@dataclass(frozen=True)
class Value:
    """A metadata value: kind 'u32', 'f32', 'bool', 'string', … or '[string]', '[i32]', …"""

    kind: str
    value: Any


@dataclass(frozen=True)
class Tensor:
    """Row-major numpy shape; GGUF stores the dimensions the other way round."""

    name: str
    shape: tuple[int, ...]
    type: int
    data: bytes


def tensor(name: str, values: np.ndarray, kind: int) -> Tensor:
    """Encodes values in a ggml type."""
    if kind == F32:
        data = np.ascontiguousarray(values, np.float32).tobytes()
    else:
        data = {Q8_0: quantise.encode_q8_0, MXFP4: quantise.encode_mxfp4}[kind](values)
    return Tensor(name, tuple(values.shape), kind, data)


def _string(text: str) -> bytes:
    raw = text.encode("utf-8")
    return struct.pack("<Q", len(raw)) + raw


def _value(value: Value) -> bytes:
    if value.kind == "string":
        return struct.pack("<I", _STRING) + _string(value.value)
    if value.kind.startswith("["):
        item = value.kind[1:-1]
        kind = _STRING if item == "string" else _SCALARS[item][0]
        items = (_string(v) if item == "string" else struct.pack(_SCALARS[item][1], v) for v in value.value)
        return struct.pack("<IIQ", _ARRAY, kind, len(value.value)) + b"".join(items)
    kind, layout = _SCALARS[value.kind]
    return struct.pack("<I", kind) + struct.pack(layout, value.value)


def write(path: Path, metadata: Mapping[str, Value], tensors: Sequence[Tensor]) -> int:
    """Writes the file; returns its length in bytes."""
    header = [b"GGUF", struct.pack("<IQQ", 3, len(tensors), len(metadata))]
    header += [_string(key) + _value(value) for key, value in metadata.items()]
    offset = 0
    for t in tensors:
        dimensions = struct.pack(f"<I{len(t.shape)}Q", len(t.shape), *reversed(t.shape))
        header.append(_string(t.name) + dimensions + struct.pack("<IQ", t.type, offset))
        offset += len(t.data) + -len(t.data) % ALIGNMENT
    head = b"".join(header)
    with path.open("wb") as file:
        file.write(head + bytes(-len(head) % ALIGNMENT))
        for t in tensors:
            file.write(t.data + bytes(-len(t.data) % ALIGNMENT))
        return file.tell()
