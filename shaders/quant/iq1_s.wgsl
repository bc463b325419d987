// Planes: the low 8 bits of an index for 8 weights; 16 bits for 32 weights (the upper 3 bits of four indices, 3 bits of
// scale, the sign of the delta); f16 d (one for 256); codebook. Value d (2 scale + 1) (entry ± 1/8).
import package::packed::half_at;
import package::iq::{u16_at, iq1_weights};

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let low = u16_at(planes.x, g);
  let bits = u16_at(planes.y, g >> 1u);
  let high = bits >> (6u * (g & 1u));
  let s = half_at(planes.z, g >> 4u) * f32(2u * ((bits >> 12u) & 7u) + 1u);
  let a = iq1_weights(planes.w, (low & 255u) | ((high & 7u) << 8u), s, bits >> 15u);
  let b = iq1_weights(planes.w, (low >> 8u) | (((high >> 3u) & 7u) << 8u), s, bits >> 15u);
  return array<vec4<f32>, 4>(a[0], a[1], b[0], b[1]);
}
