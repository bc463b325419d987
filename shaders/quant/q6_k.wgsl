// Planes: low nibbles, upper bit pairs, int8 scales (one for 16 weights), f16 d (one for 256).
// Value d scale (q - 32).
import package::packed::{weights, half_at, byte_at, low_nibbles, high_nibbles, crumbs};

fn values(low: vec4<u32>, high: vec4<u32>) -> vec4<f32> {
  return vec4<f32>(low | (high << vec4<u32>(4u))) - vec4<f32>(32.0);
}

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let a = weights[planes.x + 2u * g];
  let b = weights[planes.x + 2u * g + 1u];
  let high = weights[planes.y + g];
  let scale = bitcast<i32>(byte_at(planes.z, g) << 24u) >> 24u;
  let s = half_at(planes.w, g >> 4u) * f32(scale);
  return array<vec4<f32>, 4>(
    s * values(low_nibbles(a), crumbs(high, 0u)), s * values(high_nibbles(a), crumbs(high, 1u)),
    s * values(low_nibbles(b), crumbs(high, 2u)), s * values(high_nibbles(b), crumbs(high, 3u)));
}
