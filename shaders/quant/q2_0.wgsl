// Planes: 2-bit codes, f16 d (one for 64 weights). Value (q - 1) d.
import package::packed::{weights, half_at, crumbs};

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let codes = weights[planes.x + g];
  let d = half_at(planes.y, g >> 2u);
  let zero = vec4<f32>(1.0);
  return array<vec4<f32>, 4>(
    d * (vec4<f32>(crumbs(codes, 0u)) - zero), d * (vec4<f32>(crumbs(codes, 1u)) - zero),
    d * (vec4<f32>(crumbs(codes, 2u)) - zero), d * (vec4<f32>(crumbs(codes, 3u)) - zero));
}
