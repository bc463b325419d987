// Planes: 16 bits for 8 weights (9 bits of index, 7 of signs), 4-bit scales (one for 16 weights), f16 d (one for 256),
// codebook. Value d (scale + 1/2) / 4 ± entry.
import package::packed::{weights, half_at, byte_at};
import package::iq::{sign_byte, iq2_weights};

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let codes = weights[planes.x + g];
  let scale = (byte_at(planes.y, g >> 1u) >> (4u * (g & 1u))) & 15u;
  let signs = sign_byte((codes >> 9u) & 127u) | (sign_byte(codes >> 25u) << 8u);
  return iq2_weights(planes.w, codes & 511u, (codes >> 16u) & 511u, signs, half_at(planes.z, g >> 4u), scale);
}
