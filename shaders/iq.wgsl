// What the codebook formats share. A codebook lies after a matrix's planes: 16-bit entries of eight 2-bit level numbers
// or four 3-bit ones, first weight lowest (src/quant/iq_grids.ts).
import package::packed::{weights, crumbs};

/// i-th 16-bit number of the plane that begins at word `plane`.
fn u16_at(plane: u32, i: u32) -> u32 {
  return (weights[plane + (i >> 1u)] >> (16u * (i & 1u))) & 65535u;
}

/// Signs of eight weights from the 7 bits that are stored: the eighth makes their number of ones even.
fn sign_byte(stored: u32) -> u32 {
  return stored | ((countOneBits(stored) & 1u) << 7u);
}

/// The values, negated where bits 0 … 3 of `signs` are set.
fn with_signs(values: vec4<f32>, signs: u32) -> vec4<f32> {
  let minus = (vec4<u32>(signs) << vec4<u32>(31u, 30u, 29u, 28u)) & vec4<u32>(0x80000000u);
  return bitcast<vec4<f32>>(bitcast<vec4<u32>>(values) ^ minus);
}

/// Levels 8, 25, 43 of the IQ2 formats.
fn iq2_levels(numbers: vec4<u32>, signs: u32) -> vec4<f32> {
  return with_signs(vec4<f32>(numbers * 17u + (numbers >> vec4<u32>(1u)) + vec4<u32>(8u)), signs);
}

/// Sixteen weights of an IQ2 format: entries `first` and `second` of the codebook, 16 signs, d (scale + 1/2) / 4.
fn iq2_weights(codebook: u32, first: u32, second: u32, signs: u32, d: f32, scale: u32) -> array<vec4<f32>, 4> {
  let a = u16_at(codebook, first);
  let b = u16_at(codebook, second);
  let s = d * (0.5 + f32(scale)) * 0.25;
  return array<vec4<f32>, 4>(
    s * iq2_levels(crumbs(a, 0u), signs), s * iq2_levels(crumbs(a, 1u), signs >> 4u),
    s * iq2_levels(crumbs(b, 0u), signs >> 8u), s * iq2_levels(crumbs(b, 1u), signs >> 12u));
}

/// The level numbers of entry i of an IQ3 codebook.
fn iq3_numbers(codebook: u32, i: u32) -> vec4<u32> {
  return (vec4<u32>(u16_at(codebook, i)) >> vec4<u32>(0u, 3u, 6u, 9u)) & vec4<u32>(7u);
}

/// Eight weights of an IQ1 format: s (entry i ± 1/8), minus where `down` is 1. Exact.
fn iq1_weights(codebook: u32, i: u32, s: f32, down: u32) -> array<vec4<f32>, 2> {
  let entry = u16_at(codebook, i);
  let shift = vec4<f32>(select(-0.875, -1.125, down == 1u));
  return array<vec4<f32>, 2>(
    s * (vec4<f32>(crumbs(entry, 0u)) + shift), s * (vec4<f32>(crumbs(entry, 1u)) + shift));
}
