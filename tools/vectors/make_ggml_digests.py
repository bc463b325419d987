"""Digests of what ggml itself decodes from random blocks, for test/vectors/quant/ggml_digests.json.

Usage: python3 make_ggml_digests.py PATH/libggml-base.so > ggml_digests.json

The library is that of llama.cpp v0.5.0 (npm: @node-llama-cpp/linux-x64 3.22, installed by tools/peers). Blocks are bytes
of a xorshift32 stream, so scales take any value: zeros, subnormals, infinities and NaNs are among them. The test makes
the same bytes, decodes them and compares SHA-256 of the f32 values (all NaNs written as 0x7fc00000).
"""
import ctypes
import hashlib
import json
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import ggml_library  # noqa: E402

BLOCKS = 256
SEED = 4000


def random_bytes(count, seed):
    """Top bytes of Marsaglia's xorshift32."""
    state = (seed * 2654435761 + 1) & 0xFFFFFFFF
    out = bytearray(count)
    for i in range(count):
        state ^= (state << 13) & 0xFFFFFFFF
        state ^= state >> 17
        state ^= (state << 5) & 0xFFFFFFFF
        out[i] = state >> 24
    return bytes(out)


def digest(values):
    canonical = bytearray()
    for bits in struct.unpack(f'<{len(values) // 4}I', values):
        nan = bits & 0x7F800000 == 0x7F800000 and bits & 0x007FFFFF
        canonical += struct.pack('<I', 0x7FC00000 if nan else bits)
    return hashlib.sha256(canonical).hexdigest()


def main():
    ggml = ggml_library.load(sys.argv[1])
    result = {}
    for name, type_id in ggml_library.TYPES.items():
        traits = ggml.ggml_get_type_traits(type_id).contents
        raw = random_bytes(BLOCKS * traits.block_bytes, SEED + type_id)
        out = ctypes.create_string_buffer(BLOCKS * traits.block_elems * 4)
        traits.to_float(raw, out, BLOCKS * traits.block_elems)
        values = out.raw
        finite = sum(bits & 0x7F800000 != 0x7F800000 for bits in struct.unpack(f'<{len(values) // 4}I', values))
        result[name] = {
            'ggml_name': traits.name.decode(), 'block_elems': traits.block_elems, 'block_bytes': traits.block_bytes,
            'seed': SEED + type_id, 'blocks': BLOCKS, 'finite': finite, 'sha256': digest(values),
        }
    json.dump(result, sys.stdout, indent=1)
    print()


main()
