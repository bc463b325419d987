// Planes: low nibbles, high bits (a word for 32 weights), f16 d and m (one pair for 32 weights). Value q d + m.
import package::packed::{weights, five_bits};

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let high = weights[planes.y + (g >> 1u)] >> (16u * (g & 1u));
  let a = five_bits(weights[planes.x + 2u * g], high);
  let b = five_bits(weights[planes.x + 2u * g + 1u], high >> 8u);
  let dm = unpack2x16float(weights[planes.z + (g >> 1u)]);
  let d = dm.x;
  let m = vec4<f32>(dm.y);
  return array<vec4<f32>, 4>(d * a[0] + m, d * a[1] + m, d * b[0] + m, d * b[1] + m);
}
