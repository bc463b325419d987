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

BLOCKS = 256
SEED = 4000
TYPES = {
    'F16': 1, 'Q4_0': 2, 'Q4_1': 3, 'Q5_0': 6, 'Q5_1': 7, 'Q8_0': 8, 'Q2_K': 10, 'Q3_K': 11, 'Q4_K': 12, 'Q5_K': 13,
    'Q6_K': 14, 'IQ2_XXS': 16, 'IQ2_XS': 17, 'IQ3_XXS': 18, 'IQ1_S': 19, 'IQ4_NL': 20, 'IQ3_S': 21, 'IQ2_S': 22,
    'IQ4_XS': 23, 'IQ1_M': 29, 'BF16': 30, 'TQ1_0': 34, 'TQ2_0': 35, 'MXFP4': 39, 'NVFP4': 40, 'Q1_0': 41, 'Q2_0': 42,
}


class TypeTraits(ctypes.Structure):
    _fields_ = [
        ('name', ctypes.c_char_p), ('block_elems', ctypes.c_int64), ('block_elems_interleave', ctypes.c_int64),
        ('block_bytes', ctypes.c_size_t), ('is_quantized', ctypes.c_bool),
        ('to_float', ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)),
    ]


class InitParams(ctypes.Structure):
    _fields_ = [('mem_size', ctypes.c_size_t), ('mem_buffer', ctypes.c_void_p), ('no_alloc', ctypes.c_bool)]


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
    ggml = ctypes.CDLL(sys.argv[1])
    # ggml fills its f16 table when the first context is made.
    ggml.ggml_init.restype = ctypes.c_void_p
    ggml.ggml_init.argtypes = [InitParams]
    ggml.ggml_init(InitParams(1 << 20, None, True))
    ggml.ggml_get_type_traits.restype = ctypes.POINTER(TypeTraits)
    result = {}
    for name, type_id in TYPES.items():
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
