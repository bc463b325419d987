// Planes: low two bits of the codes, their high bits, E4M3 scale bytes (one for 32 weights, in 64ths).
// Codes 0 ... 7 are -8 -5 -3 -1 1 3 5 8.
import package::packed::{weights, byte_at, e4m3, three_bits, untangled};

/// Four codes in the bytes of each word to their levels plus 8: 0 3 5 7 9 11 13 16. That is twice the code, plus 1 from
/// code 1 on (where the code + 7 reaches 8), plus 1 more for code 7 (where the code + 1 does).
fn levels_plus_8(codes: vec4<u32>) -> vec4<u32> {
  let eight = vec4<u32>(0x08080808u);
  let carries = ((codes + vec4<u32>(0x07070707u)) & eight) + ((codes + vec4<u32>(0x01010101u)) & eight);
  return 2u * codes + (carries >> vec4<u32>(3u));
}

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let s = e4m3(byte_at(planes.z, g >> 1u)) * 0x1p-6;
  let codes = three_bits(weights[planes.x + g], weights[planes.y + (g >> 1u)] >> (16u * (g & 1u)));
  let q = untangled(levels_plus_8(codes));
  let zero = vec4<f32>(8.0 * s);
  return array<vec4<f32>, 4>(s * q[0] - zero, s * q[1] - zero, s * q[2] - zero, s * q[3] - zero);
}
