// Planes: natural-order E2M1 codes (bit 3 is the sign), E8M0 exponent bytes (one for 32 weights, 255 is NaN).
import package::packed::{weights, e8m0_at, low_nibbles, high_nibbles};
import package::float4::e2m1;

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let a = weights[planes.x + 2u * g];
  let b = weights[planes.x + 2u * g + 1u];
  let s = e8m0_at(planes.y, g >> 1u);
  return array<vec4<f32>, 4>(
    s * e2m1(low_nibbles(a)), s * e2m1(high_nibbles(a)), s * e2m1(low_nibbles(b)), s * e2m1(high_nibbles(b)));
}
