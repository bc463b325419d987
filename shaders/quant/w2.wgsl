// Planes: 2-bit codes for -4, -1, 1, 4; E8M0 exponent bytes (one for 32 weights, 255 is NaN).
import package::packed::{weights, e8m0_at, crumbs};

/// Codes 0, 1, 2, 3 to -4, -1, 1, 4.
fn levels(codes: vec4<u32>) -> vec4<f32> {
  let outer = (codes == vec4<u32>(0u)) | (codes == vec4<u32>(3u));
  let magnitude = select(vec4<f32>(1.0), vec4<f32>(4.0), outer);
  return select(-magnitude, magnitude, codes >= vec4<u32>(2u));
}

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let codes = weights[planes.x + g];
  let s = e8m0_at(planes.y, g >> 1u);
  return array<vec4<f32>, 4>(
    s * levels(crumbs(codes, 0u)), s * levels(crumbs(codes, 1u)),
    s * levels(crumbs(codes, 2u)), s * levels(crumbs(codes, 3u)));
}
