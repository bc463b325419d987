"""ggml's own library, called through ctypes: that of llama.cpp v0.5.0 (npm: @node-llama-cpp/linux-x64 3.22, installed by
tools/peers), `libggml-base.so`."""
import ctypes

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


def load(path):
    """The library, ready to decode: ggml fills its f16 table when the first context is made."""
    library = ctypes.CDLL(path)
    library.ggml_init.restype = ctypes.c_void_p
    library.ggml_init.argtypes = [InitParams]
    library.ggml_init(InitParams(1 << 20, None, True))
    library.ggml_get_type_traits.restype = ctypes.POINTER(TypeTraits)
    return library
