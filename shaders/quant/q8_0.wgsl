// Planes: int8 codes, f16 scale. One scale for 32 weights.
import package::packed::{weights, half_at};

fn bytes4(word: u32) -> vec4<f32> {
  return vec4<f32>(bitcast<vec4<i32>>(vec4<u32>(word) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u));
}

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let at = planes.x + 4u * g;
  let d = half_at(planes.y, g >> 1u);
  return array<vec4<f32>, 4>(
    d * bytes4(weights[at]), d * bytes4(weights[at + 1u]), d * bytes4(weights[at + 2u]), d * bytes4(weights[at + 3u]));
}
