// Planes: natural-order nibbles, f16 scale. One scale for 32 weights; value level(q) d.
import package::packed::{weights, half_at, low_nibbles, high_nibbles};
import package::iq4_levels::iq4_levels;

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let a = weights[planes.x + 2u * g];
  let b = weights[planes.x + 2u * g + 1u];
  let d = half_at(planes.y, g >> 1u);
  return array<vec4<f32>, 4>(
    d * iq4_levels(low_nibbles(a)), d * iq4_levels(high_nibbles(a)),
    d * iq4_levels(low_nibbles(b)), d * iq4_levels(high_nibbles(b)));
}
