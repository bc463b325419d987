// Planes: the low 8 bits of an index for 4 weights; eleven words for 256 weights (sign bits, the indices' ninth bits,
// 4-bit scales for 32 weights each); f16 d (one for 256); codebook. Value d (2 scale + 1) ± entry.
import package::packed::{weights, half_at, byte_at};
import package::iq::{u16_at, with_signs, iq3_numbers};

/// Levels 1, 3, 5 … 15.
fn four(codebook: u32, index: u32, signs: u32) -> vec4<f32> {
  return with_signs(vec4<f32>(2u * iq3_numbers(codebook, index) + vec4<u32>(1u)), signs);
}

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let indices = weights[planes.x + g];
  let block = planes.y + 11u * (g >> 4u);
  let in_block = g & 15u;
  let signs = u16_at(block, in_block);
  let high = byte_at(block + 8u, in_block >> 1u) >> (4u * (g & 1u));
  let scale = (weights[block + 10u] >> (4u * (in_block >> 1u))) & 15u;
  let s = half_at(planes.z, g >> 4u) * f32(2u * scale + 1u);
  return array<vec4<f32>, 4>(
    s * four(planes.w, (indices & 255u) | ((high & 1u) << 8u), signs),
    s * four(planes.w, ((indices >> 8u) & 255u) | ((high & 2u) << 7u), signs >> 4u),
    s * four(planes.w, ((indices >> 16u) & 255u) | ((high & 4u) << 6u), signs >> 8u),
    s * four(planes.w, (indices >> 24u) | ((high & 8u) << 5u), signs >> 12u));
}
