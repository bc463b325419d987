// Planes: natural-order nibbles, words of scale and zero point (one for 32 weights).
import package::packed::weights;
import package::int4_block::int4_group;

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  return int4_group(planes.x, g, weights[planes.y + (g >> 1u)]);
}
