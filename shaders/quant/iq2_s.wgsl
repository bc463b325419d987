// Planes: a word for 16 weights (the low bytes of two indices, two bytes of signs), a byte for 16 weights (4-bit scale,
// the upper 2 bits of two indices), f16 d (one for 256), codebook. Value d (scale + 1/2) / 4 ± entry.
import package::packed::{weights, half_at, byte_at};
import package::iq::iq2_weights;

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let codes = weights[planes.x + g];
  let high = byte_at(planes.y, g);
  let first = (codes & 255u) | ((high & 0x30u) << 4u);
  let second = ((codes >> 8u) & 255u) | ((high & 0xc0u) << 2u);
  return iq2_weights(planes.w, first, second, codes >> 16u, half_at(planes.z, g >> 4u), high & 15u);
}
