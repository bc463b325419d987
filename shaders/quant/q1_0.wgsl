// Planes: sign bits, f16 d (one for 128 weights). Value d where the bit is set, else -d.
import package::packed::{weights, half_at};

/// d with the sign flipped where bit 0 ... 3 of `bits` isn't set.
fn signed4(d: u32, bits: u32) -> vec4<f32> {
  let flip = (~vec4<u32>(bits) << vec4<u32>(31u, 30u, 29u, 28u)) & vec4<u32>(0x80000000u);
  return bitcast<vec4<f32>>(vec4<u32>(d) ^ flip);
}

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let bits = weights[planes.x + (g >> 1u)] >> (16u * (g & 1u));
  let d = bitcast<u32>(half_at(planes.y, g >> 3u));
  return array<vec4<f32>, 4>(
    signed4(d, bits), signed4(d, bits >> 4u), signed4(d, bits >> 8u), signed4(d, bits >> 12u));
}
