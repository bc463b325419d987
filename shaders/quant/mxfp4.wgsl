// Planes: natural-order E2M1 codes (bit 3 is the sign), E8M0 exponent bytes (one for 32 weights, 255 is NaN).
import package::packed::{weights, e8m0_at, low_nibbles, high_nibbles};

/// Codes 0 ... 7 to 0, 0.5, 1, 1.5, 2, 3, 4, 6; 8 ... 15 to their negatives. From code 2 on, exponent and mantissa
/// bits move to their place in an f32.
fn levels(codes: vec4<u32>) -> vec4<f32> {
  let m = codes & vec4<u32>(7u);
  let bits = select((m << vec4<u32>(22u)) + vec4<u32>(0x3f000000u), m * 0x3f000000u, m < vec4<u32>(2u));
  return bitcast<vec4<f32>>(bits | ((codes & vec4<u32>(8u)) << vec4<u32>(28u)));
}

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let a = weights[planes.x + 2u * g];
  let b = weights[planes.x + 2u * g + 1u];
  let s = e8m0_at(planes.y, g >> 1u);
  return array<vec4<f32>, 4>(
    s * levels(low_nibbles(a)), s * levels(high_nibbles(a)), s * levels(low_nibbles(b)), s * levels(high_nibbles(b)));
}
