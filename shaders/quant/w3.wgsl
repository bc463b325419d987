// Planes: low two bits of the codes, their high bits, E4M3 scale bytes (one for 32 weights, in 64ths). Codes 0 ... 7 are
// -8 -5 -3 -1 1 3 5 8.
import package::packed::{weights, byte_at, e4m3, three_bits};

/// Codes to levels times s. 2 q - 7 is the level but for the outer two, which are what a clamp to ±6 takes off further out.
fn levels(q: vec4<f32>, s: f32) -> vec4<f32> {
  let odd = (2.0 * s) * q - vec4<f32>(7.0 * s);
  let inner = vec4<f32>(6.0 * abs(s));
  return 2.0 * odd - clamp(odd, -inner, inner);
}

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let s = e4m3(byte_at(planes.z, g >> 1u)) * 0x1p-6;
  let q = three_bits(weights[planes.x + g], weights[planes.y + (g >> 1u)] >> (16u * (g & 1u)));
  return array<vec4<f32>, 4>(levels(q[0], s), levels(q[1], s), levels(q[2], s), levels(q[3], s));
}
