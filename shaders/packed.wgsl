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

/// The four bytes of a word as numbers: most GPUs convert a byte in its place.
fn bytes4(word: u32) -> vec4<f32> {
  return vec4<f32>((vec4<u32>(word) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u));
}

/// Sixteen 3-bit codes as bytes: low bits a word of crumbs, high bits the lower half of `high`, both in natural order. Four
/// codes are put together at a time: byte b of word q is code 4 b + q.
fn three_bits(low: u32, high: u32) -> vec4<u32> {
  let halves = (high & 255u) | ((high & 0xff00u) << 8u);
  let nibbles = (halves | (halves << 4u)) & 0x0f0f0f0fu;
  return ((vec4<u32>(low) >> vec4<u32>(0u, 2u, 4u, 6u)) & vec4<u32>(0x03030303u)) |
    ((vec4<u32>(nibbles << 2u) >> vec4<u32>(0u, 1u, 2u, 3u)) & vec4<u32>(0x04040404u));
}

/// The bytes of three_bits as numbers in natural order.
fn untangled(words: vec4<u32>) -> array<vec4<f32>, 4> {
  let a = bytes4(words.x);
  let b = bytes4(words.y);
  let c = bytes4(words.z);
  let d = bytes4(words.w);
  return array<vec4<f32>, 4>(
    vec4<f32>(a.x, b.x, c.x, d.x), vec4<f32>(a.y, b.y, c.y, d.y),
    vec4<f32>(a.z, b.z, c.z, d.z), vec4<f32>(a.w, b.w, c.w, d.w));
}

/// Eight 5-bit codes: low bits a word of nibbles, high bits the lowest byte of `high`, both in natural order. Codes of
/// even and of odd index are put together four at a time.
fn five_bits(low: u32, high: u32) -> array<vec4<f32>, 2> {
  let nibbles = (high & 15u) | ((high & 0xf0u) << 12u);
  let crumbs = (nibbles & 0x00030003u) | ((nibbles & 0x000c000cu) << 6u);
  let even = bytes4((low & 0x0f0f0f0fu) | ((crumbs << 4u) & 0x10101010u));
  let odd = bytes4(((low >> 4u) & 0x0f0f0f0fu) | ((crumbs << 3u) & 0x10101010u));
  return array<vec4<f32>, 2>(vec4<f32>(even.x, odd.x, even.y, odd.y), vec4<f32>(even.z, odd.z, even.w, odd.w));
}

/// d scale and dmin min of sub-block `sub` in a block of Q4_K or Q5_K, whose 16 scale bytes begin at word `block`: f16 d,
/// f16 dmin, eight 6-bit scales and eight 6-bit mins.
/// Sub-blocks 0 to 3 have theirs in the low six bits of bytes 0 to 3 and 4 to 7; those of 4 to 7 are split: the low
/// four bits are nibbles of bytes 8 to 11, the upper two are the top bits that the first eight bytes have left.
fn sub_scale_min(block: u32, sub: u32) -> vec2<f32> {
  let shift = 8u * (sub & 3u);
  let scales = weights[block + 1u] >> shift;
  let mins = weights[block + 2u] >> shift;
  let rest = weights[block + 3u] >> shift;
  let upper = sub >= 4u;
  let scale = select(scales & 63u, (rest & 15u) | ((scales >> 2u) & 48u), upper);
  let minimum = select(mins & 63u, ((rest >> 4u) & 15u) | ((mins >> 2u) & 48u), upper);
  return unpack2x16float(weights[block]) * vec2<f32>(f32(scale), f32(minimum));
}
