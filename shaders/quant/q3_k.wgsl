// Planes: 2-bit codes; their high bits; 6-bit scales (one for 16 weights: two words with their low nibbles, one with their
// upper bit pairs); f16 d (one for 256). Value d (scale - 32) (q - 4).
import package::packed::{weights, half_at, three_bits, untangled};

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let block = g >> 4u;
  let sub = g & 15u;
  let scales = planes.z + 3u * block;
  let low = (weights[scales + (sub >> 3u)] >> (4u * (sub & 7u))) & 15u;
  let high = (weights[scales + 2u] >> (2u * sub)) & 3u;
  let s = half_at(planes.w, block) * (f32(low | (high << 4u)) - 32.0);
  let q = untangled(three_bits(weights[planes.x + g], weights[planes.y + (g >> 1u)] >> (16u * (g & 1u))));
  let zero = vec4<f32>(4.0);
  return array<vec4<f32>, 4>(s * (q[0] - zero), s * (q[1] - zero), s * (q[2] - zero), s * (q[3] - zero));
}
