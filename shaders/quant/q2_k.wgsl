// Planes: 2-bit codes; scale bytes (low nibble scale, high nibble min; one for 16 weights); f16 d and dmin (one pair
// for 256). Value d scale q - dmin min.
import package::packed::{weights, byte_at, crumbs};

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let codes = weights[planes.x + g];
  let scale = byte_at(planes.y, g);
  let d = unpack2x16float(weights[planes.z + (g >> 4u)]);
  let s = d.x * f32(scale & 15u);
  let m = vec4<f32>(d.y * f32(scale >> 4u));
  return array<vec4<f32>, 4>(
    s * vec4<f32>(crumbs(codes, 0u)) - m, s * vec4<f32>(crumbs(codes, 1u)) - m,
    s * vec4<f32>(crumbs(codes, 2u)) - m, s * vec4<f32>(crumbs(codes, 3u)) - m);
}
