// Planes: two words for 32 weights (four index bytes; four times 7 bits of signs and 4 bits of scale), f16 d (one for
// 256), codebook. Value d (scale + 1/2) / 4 ± entry.
import package::packed::{weights, half_at};
import package::iq::{sign_byte, iq2_weights};

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let at = planes.x + (g & ~1u);
  let indices = weights[at] >> (16u * (g & 1u));
  let bits = weights[at + 1u];
  let stored = bits >> (14u * (g & 1u));
  let signs = sign_byte(stored & 127u) | (sign_byte((stored >> 7u) & 127u) << 8u);
  return iq2_weights(
    planes.z, indices & 255u, (indices >> 8u) & 255u, signs, half_at(planes.y, g >> 4u), bits >> 28u);
}
