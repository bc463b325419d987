// Planes: 48 bytes a block of 256 with five ternary digits each, 4 bytes with four, f16 d. Value (digit - 1) d.
// Groups 0 ... 9 are digits of the first 32 bytes (two groups a digit), 10 ... 14 of the other 16; group 15 is four digits
// of the 4 bytes.
import package::packed::{weights, half_at};

/// For digit n, counted from the front, `powers` is 3^n: what is left of a byte's product with it begins with the digit.
fn digits(word: u32, powers: u32) -> vec4<f32> {
  let bytes = (vec4<u32>(word) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u);
  return vec4<f32>((((bytes * powers) & vec4<u32>(255u)) * 3u) >> vec4<u32>(8u)) - vec4<f32>(1.0);
}

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let block = g >> 4u;
  let sub = g & 15u;
  let d = half_at(planes.z, block);
  if (sub == 15u) {
    let word = weights[planes.y + block];
    return array<vec4<f32>, 4>(d * digits(word, 1u), d * digits(word, 3u), d * digits(word, 9u), d * digits(word, 27u));
  }
  let at = planes.x + 12u * block + select(8u, 4u * (sub & 1u), sub < 10u);
  let n = select(sub - 10u, sub >> 1u, sub < 10u);
  let power = select((0x1b090301u >> (8u * n)) & 255u, 81u, n == 4u);
  return array<vec4<f32>, 4>(
    d * digits(weights[at], power), d * digits(weights[at + 1u], power),
    d * digits(weights[at + 2u], power), d * digits(weights[at + 3u], power));
}
