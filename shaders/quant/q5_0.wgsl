// Planes: low nibbles, high bits (a word for 32 weights), f16 scale. One scale for 32 weights; value (q - 16) d.
import package::packed::{weights, half_at, five_bits};

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let high = weights[planes.y + (g >> 1u)] >> (16u * (g & 1u));
  let a = five_bits(weights[planes.x + 2u * g], high);
  let b = five_bits(weights[planes.x + 2u * g + 1u], high >> 8u);
  let d = half_at(planes.z, g >> 1u);
  let zero = vec4<f32>(16.0);
  return array<vec4<f32>, 4>(d * (a[0] - zero), d * (a[1] - zero), d * (b[0] - zero), d * (b[1] - zero));
}
