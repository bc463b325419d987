// Planes: natural-order nibbles, f16 scale. One scale for 32 weights; value (q - 8) d.
import package::packed::{weights, half_at, low_nibbles, high_nibbles};

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let a = weights[planes.x + 2u * g];
  let b = weights[planes.x + 2u * g + 1u];
  let d = half_at(planes.y, g >> 1u);
  let zero = vec4<f32>(8.0);
  return array<vec4<f32>, 4>(
    d * (vec4<f32>(low_nibbles(a)) - zero), d * (vec4<f32>(high_nibbles(a)) - zero),
    d * (vec4<f32>(low_nibbles(b)) - zero), d * (vec4<f32>(high_nibbles(b)) - zero));
}
