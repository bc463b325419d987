// Planes: natural-order nibbles; 16 scale bytes a block of 256: f16 d, f16 dmin, then eight 6-bit scales and eight
// 6-bit mins in 12 bytes, one of each for 32 weights. Value d scale q - dmin min.
import package::packed::{weights, low_nibbles, high_nibbles, sub_scale_min};

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let sm = sub_scale_min(planes.y + 4u * (g >> 4u), (g >> 1u) & 7u);
  let s = sm.x;
  let m = vec4<f32>(sm.y);
  let a = weights[planes.x + 2u * g];
  let b = weights[planes.x + 2u * g + 1u];
  return array<vec4<f32>, 4>(
    s * vec4<f32>(low_nibbles(a)) - m, s * vec4<f32>(high_nibbles(a)) - m,
    s * vec4<f32>(low_nibbles(b)) - m, s * vec4<f32>(high_nibbles(b)) - m);
}
