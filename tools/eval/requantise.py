"""A model folder whose expert weights went through one of ggml's own quantisers and back, for `npm run eval`.

Usage: python3 requantise.py LIBRARY/libggml-base.so TYPE MODEL_FOLDER OUT_FOLDER

The library is that of llama.cpp v0.5.0 (npm: @node-llama-cpp/linux-x64 3.22, installed by tools/peers). TYPE is a ggml
type such as Q4_K. Experts are written as F32 values, so that any back end runs the result and nothing but the type's loss
differs from the original. Blocks run over the whole matrix in row-major order: rows of the demo model (384 and 288
weights) are no multiple of the 256-weight blocks, and llama.cpp would store those tensors in a larger type instead. Types
that want an importance matrix get one of ones. Prints bits per weight.
"""
import ctypes
import json
import re
import shutil
import struct
import sys
from pathlib import Path

import numpy as np

TYPES = {
    'Q4_0': 2, 'Q4_1': 3, 'Q5_0': 6, 'Q5_1': 7, 'Q8_0': 8, 'Q2_K': 10, 'Q3_K': 11, 'Q4_K': 12, 'Q5_K': 13, 'Q6_K': 14,
    'IQ2_XXS': 16, 'IQ2_XS': 17, 'IQ3_XXS': 18, 'IQ1_S': 19, 'IQ4_NL': 20, 'IQ3_S': 21, 'IQ2_S': 22, 'IQ4_XS': 23,
    'IQ1_M': 29, 'TQ1_0': 34, 'TQ2_0': 35, 'MXFP4': 39, 'NVFP4': 40, 'Q1_0': 41, 'Q2_0': 42,
}
EXPERT = re.compile(r'\.experts\..*(gate|up|down)_proj')


class TypeTraits(ctypes.Structure):
    _fields_ = [
        ('name', ctypes.c_char_p), ('block_elems', ctypes.c_int64), ('block_elems_interleave', ctypes.c_int64),
        ('block_bytes', ctypes.c_size_t), ('is_quantized', ctypes.c_bool),
        ('to_float', ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)),
    ]


class InitParams(ctypes.Structure):
    _fields_ = [('mem_size', ctypes.c_size_t), ('mem_buffer', ctypes.c_void_p), ('no_alloc', ctypes.c_bool)]


class Ggml:
    def __init__(self, path, type_id):
        self.library = ctypes.CDLL(path)
        self.library.ggml_init.restype = ctypes.c_void_p
        self.library.ggml_init.argtypes = [InitParams]
        self.library.ggml_init(InitParams(1 << 20, None, True))  # fills ggml's f16 table
        self.library.ggml_get_type_traits.restype = ctypes.POINTER(TypeTraits)
        self.library.ggml_quantize_init(type_id)
        quantize = self.library.ggml_quantize_chunk
        quantize.restype = ctypes.c_size_t
        quantize.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p] + [ctypes.c_int64] * 3 + [ctypes.c_void_p]
        self.quantize = quantize
        self.type_id = type_id
        self.traits = self.library.ggml_get_type_traits(type_id).contents

    def there_and_back(self, values):
        flat = np.ascontiguousarray(values, np.float32).reshape(-1)
        count, block = flat.size, self.traits.block_elems
        if count % block:
            raise SystemExit(f'{count} weights are no multiple of the block of {block}')
        packed = np.zeros(count // block * self.traits.block_bytes, np.uint8)
        importance = np.ones(count, np.float32)
        self.quantize(self.type_id, flat.ctypes.data, packed.ctypes.data, 0, 1, count, importance.ctypes.data)
        out = np.empty(count, np.float32)
        self.traits.to_float(packed.ctypes.data, out.ctypes.data, count)
        return out.reshape(values.shape)


def read_safetensors(path):
    data = path.read_bytes()
    length = struct.unpack('<Q', data[:8])[0]
    directory = json.loads(data[8:8 + length])
    directory.pop('__metadata__', None)
    for name, entry in directory.items():
        begin, end = entry['data_offsets']
        yield name, entry['dtype'], entry['shape'], data[8 + length + begin:8 + length + end]


def floats(dtype, raw, shape):
    if dtype == 'BF16':
        return (np.frombuffer(raw, '<u2').astype(np.uint32) << 16).view(np.float32).reshape(shape)
    if dtype == 'F16':
        return np.frombuffer(raw, '<f2').astype(np.float32).reshape(shape)
    if dtype == 'F32':
        return np.frombuffer(raw, '<f4').reshape(shape)
    raise SystemExit(f'experts in {dtype} are not supported, only BF16, F16 and F32')


def main():
    library, type_name, source, target = sys.argv[1:5]
    ggml = Ggml(library, TYPES[type_name])
    source, target = Path(source), Path(target)
    target.mkdir(parents=True, exist_ok=True)
    directory, pieces, offset = {}, [], 0
    for name, dtype, shape, raw in read_safetensors(source / 'model.safetensors'):
        if EXPERT.search(name):
            dtype, raw = 'F32', ggml.there_and_back(floats(dtype, raw, shape)).astype('<f4').tobytes()
        directory[name] = {'dtype': dtype, 'shape': shape, 'data_offsets': [offset, offset + len(raw)]}
        pieces.append(raw)
        offset += len(raw)
    head = json.dumps(directory).encode()
    head += b' ' * (-len(head) % 8)
    (target / 'model.safetensors').write_bytes(struct.pack('<Q', len(head)) + head + b''.join(pieces))
    for side in source.iterdir():
        if side.suffix in ('.json', '.jinja') and not side.name.endswith('.index.json'):
            shutil.copy(side, target / side.name)
    print(f'{type_name}: {8 * ggml.traits.block_bytes / ggml.traits.block_elems} bits a weight')


main()
