// The 8-bit floats of weights, four in a word (src/quant/float8.ts). packed.wgsl has e4m3() of one byte.

/// ggml's unsigned E4M3 (bias 7): the sign bit is ignored, 127 is zero.
fn ue4m3(byte: u32) -> f32 {
  let m = byte & 127u;
  let value = bitcast<f32>(select((m << 20u) + 0x3c000000u, bitcast<u32>(f32(m) * 0x1p-9), m < 8u));
  return select(value, 0.0, byte == 127u);
}

/// e4m3() of the four bytes of a word.
fn e4m3_word(word: u32) -> vec4<f32> {
  let bytes = (vec4<u32>(word) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u);
  let m = bytes & vec4<u32>(127u);
  let small = bitcast<vec4<u32>>(vec4<f32>(m) * 0x1p-9);
  let finite = select((m << vec4<u32>(20u)) + vec4<u32>(0x3c000000u), small, m < vec4<u32>(8u));
  let magnitude = select(finite, vec4<u32>(0x7fc00000u), m == vec4<u32>(127u));
  return bitcast<vec4<f32>>(magnitude | ((bytes & vec4<u32>(128u)) << vec4<u32>(24u)));
}

/// Values of the four E5M2 bytes of a word: each is the upper byte of an f16.
fn e5m2_word(word: u32) -> vec4<f32> {
  let even = unpack2x16float((word & 0x00ff00ffu) << 8u);
  let odd = unpack2x16float(word & 0xff00ff00u);
  return vec4<f32>(even.x, odd.x, even.y, odd.y);
}
