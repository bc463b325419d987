"""A GGUF whose expert weights went through one of ggml's own quantisers and back, for `npm run eval`.

Usage: python3 requantise.py LIBRARY/libggml-base.so TYPE MODEL.gguf OUT.gguf

The library is that of llama.cpp v0.5.0 (npm: @node-llama-cpp/linux-x64 3.22, installed by tools/peers). TYPE is a ggml
type such as Q4_K. Experts are written as F32 values, so that any back end runs the result and nothing but the type's loss
differs from the original. Blocks run over the whole matrix in row-major order: rows of the demo model (384 and 288
weights) are no multiple of the 256-weight blocks, and llama.cpp would store those tensors in a larger type instead. Types
that want an importance matrix get one of ones. Prints bits per weight.
"""
import ctypes
import struct
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import ggml_library  # noqa: E402

ALIGNMENT = 32


class Ggml:
    def __init__(self, path):
        self.library = ggml_library.load(path)
        quantize = self.library.ggml_quantize_chunk
        quantize.restype = ctypes.c_size_t
        quantize.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p] + [ctypes.c_int64] * 3 + [ctypes.c_void_p]

    def type(self, type_id):
        traits = self.library.ggml_get_type_traits(type_id).contents
        traits.id = type_id
        return traits

    def floats(self, traits, raw, count):
        if traits.id == 0:
            return raw.view(np.float32)
        out = np.empty(count, np.float32)
        traits.to_float(raw.ctypes.data, out.ctypes.data, count)
        return out

    def there_and_back(self, traits, values):
        count, block = values.size, traits.block_elems
        if count % block:
            raise SystemExit(f'{count} weights are no multiple of the block of {block}')
        self.library.ggml_quantize_init(traits.id)
        packed = np.zeros(count // block * traits.block_bytes, np.uint8)
        importance = np.ones(count, np.float32)
        self.library.ggml_quantize_chunk(traits.id, values.ctypes.data, packed.ctypes.data, 0, 1, count, importance.ctypes.data)
        return self.floats(traits, packed, count)


class Reader:
    """GGUF v3, little endian: docs/gguf.md of the ggml project."""

    SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        self.at += count
        return self.data[self.at - count:self.at]

    def integer(self, count):
        return int.from_bytes(self.take(count), 'little')

    def text(self):
        return self.take(self.integer(8))

    def skip_value(self, kind):
        if kind == 8:
            self.text()
        elif kind == 9:
            of, count = self.integer(4), self.integer(8)
            for _ in range(count if of in (8, 9) else 0):
                self.skip_value(of)
            if of not in (8, 9):
                self.take(count * self.SIZES[of])
        else:
            self.take(self.SIZES[kind])


def main():
    library, type_name, source, target = sys.argv[1:5]
    reader = Reader(Path(source).read_bytes())
    if reader.take(4) != b'GGUF' or reader.integer(4) != 3:
        raise SystemExit(f'{source} is no GGUF of version 3')
    tensor_count, key_count = reader.integer(8), reader.integer(8)
    keys_begin = reader.at
    for _ in range(key_count):
        reader.text()
        reader.skip_value(reader.integer(4))
    keys = reader.data[keys_begin:reader.at]
    tensors = []
    for _ in range(tensor_count):
        name = reader.text()
        dims = [reader.integer(8) for _ in range(reader.integer(4))]
        tensors.append((name, dims, reader.integer(4), reader.integer(8)))
    data_begin = -(-reader.at // ALIGNMENT) * ALIGNMENT
    ggml = Ggml(library)
    wanted = ggml.type(ggml_library.TYPES[type_name])
    directory, pieces, offset = b'', [], 0
    for name, dims, kind, begin in tensors:
        count = int(np.prod(dims))
        stored = ggml.type(kind)
        raw = reader.data[data_begin + begin:data_begin + begin + count // stored.block_elems * stored.block_bytes]
        if b'_exps.' in name:
            values = ggml.there_and_back(wanted, ggml.floats(stored, np.frombuffer(raw, np.uint8), count))
            kind, raw = 0, values.astype('<f4').tobytes()
        directory += struct.pack('<Q', len(name)) + name + struct.pack('<I', len(dims))
        directory += struct.pack(f'<{len(dims)}Q', *dims) + struct.pack('<IQ', kind, offset)
        pieces.append(raw + bytes(-len(raw) % ALIGNMENT))
        offset += len(pieces[-1])
    head = b'GGUF' + struct.pack('<IQQ', 3, tensor_count, key_count) + keys + directory
    Path(target).write_bytes(head + bytes(-len(head) % ALIGNMENT) + b''.join(pieces))
    print(f'{type_name}: {8 * wanted.block_bytes / wanted.block_elems} bits a weight')


main()
