// Access to a packed weight matrix (src/quant/packed.ts). A quant module's decode16(planes, g) gives weights
// 16 g … 16 g + 15 of the matrix in row-major order; planes holds the word where each of its planes begins.

@group(0) @binding(0) var<storage, read> weights: array<u32>;

/// i-th f16 of the plane that begins at word `plane`.
fn half_at(plane: u32, i: u32) -> f32 {
  return unpack2x16float(weights[plane + (i >> 1u)] >> (16u * (i & 1u))).x;
}

/// i-th byte of the plane that begins at word `plane`.
fn byte_at(plane: u32, i: u32) -> u32 {
  return (weights[plane + (i >> 2u)] >> (8u * (i & 3u))) & 255u;
}

/// i-th E8M0 exponent byte e of the plane that begins at word `plane`: 2^(e - 127), 255 is NaN. e = 0 is subnormal: a
/// GPU may take it for zero.
fn e8m0_at(plane: u32, i: u32) -> f32 {
  let e = byte_at(plane, i);
  return bitcast<f32>(select(select(e << 23u, 0x00400000u, e == 0u), 0x7fc00000u, e == 255u));
}

/// The value of an E4M3 byte (bias 7, no infinities, 127 and 255 are NaN). Exact: a value below 2^-6 isn't made from a
/// subnormal f32, which a GPU may take for zero.
fn e4m3(byte: u32) -> f32 {
  let magnitude = byte & 127u;
  let small = bitcast<u32>(f32(magnitude) * 0x1p-9);
  let finite = select((magnitude << 20u) + 0x3c000000u, small, magnitude < 8u);
  return bitcast<f32>(select(finite, 0x7fc00000u, magnitude == 127u) | ((byte & 128u) << 24u));
}

fn low_nibbles(word: u32) -> vec4<u32> {
  return (vec4<u32>(word) >> vec4<u32>(0u, 4u, 8u, 12u)) & vec4<u32>(15u);
}

fn high_nibbles(word: u32) -> vec4<u32> {
  return (vec4<u32>(word) >> vec4<u32>(16u, 20u, 24u, 28u)) & vec4<u32>(15u);
}

/// The 2-bit codes 4 quarter … 4 quarter + 3 of a word of sixteen.
fn crumbs(word: u32, quarter: u32) -> vec4<u32> {
  return (vec4<u32>(word >> (8u * quarter)) >> vec4<u32>(0u, 2u, 4u, 6u)) & vec4<u32>(3u);
}
