// Planes: an index byte for 4 weights, a word for 32 weights (four times 7 bits of signs and 4 bits of scale), f16 d
// (one for 256), codebook. Value d (scale + 1/2) / 2 ± entry.
import package::packed::{weights, half_at};
import package::iq::{sign_byte, with_signs, iq3_numbers};

/// Levels 4, 12, 20 … 52, 62.
fn four(codebook: u32, index: u32, signs: u32) -> vec4<f32> {
  let numbers = iq3_numbers(codebook, index);
  let levels = 8u * numbers + vec4<u32>(4u) + 2u * ((numbers + vec4<u32>(1u)) >> vec4<u32>(3u));
  return with_signs(vec4<f32>(levels), signs);
}

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let indices = weights[planes.x + g];
  let bits = weights[planes.y + (g >> 1u)];
  let stored = bits >> (14u * (g & 1u));
  let signs = sign_byte(stored & 127u) | (sign_byte((stored >> 7u) & 127u) << 8u);
  let s = half_at(planes.z, g >> 4u) * (0.5 + f32(bits >> 28u)) * 0.5;
  return array<vec4<f32>, 4>(
    s * four(planes.w, indices & 255u, signs), s * four(planes.w, (indices >> 8u) & 255u, signs >> 4u),
    s * four(planes.w, (indices >> 16u) & 255u, signs >> 8u), s * four(planes.w, indices >> 24u, signs >> 12u));
}
