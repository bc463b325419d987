// Planes: natural-order nibbles; two words a block of 256: f16 d and the upper bit pairs of eight 6-bit scales, then the
// scales' low nibbles. One scale for 32 weights; value level(q) d (scale - 32).
import package::packed::{weights, low_nibbles, high_nibbles};
import package::iq4_levels::iq4_levels;

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let block = planes.y + 2u * (g >> 4u);
  let sub = (g >> 1u) & 7u;
  let head = weights[block];
  let low = (weights[block + 1u] >> (4u * sub)) & 15u;
  let high = (head >> (16u + 2u * sub)) & 3u;
  let s = unpack2x16float(head).x * (f32(low | (high << 4u)) - 32.0);
  let a = weights[planes.x + 2u * g];
  let b = weights[planes.x + 2u * g + 1u];
  return array<vec4<f32>, 4>(
    s * iq4_levels(low_nibbles(a)), s * iq4_levels(high_nibbles(a)),
    s * iq4_levels(low_nibbles(b)), s * iq4_levels(high_nibbles(b)));
}
