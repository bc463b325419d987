// Planes: natural-order nibbles; f16 d and m (one pair for 32 weights). Value q d + m.
import package::packed::{weights, low_nibbles, high_nibbles};

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let a = weights[planes.x + 2u * g];
  let b = weights[planes.x + 2u * g + 1u];
  let dm = unpack2x16float(weights[planes.y + (g >> 1u)]);
  let d = dm.x;
  let m = vec4<f32>(dm.y);
  return array<vec4<f32>, 4>(
    d * vec4<f32>(low_nibbles(a)) + m, d * vec4<f32>(high_nibbles(a)) + m,
    d * vec4<f32>(low_nibbles(b)) + m, d * vec4<f32>(high_nibbles(b)) + m);
}
