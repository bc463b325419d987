// Natural-order nibbles with a word for each block: the f32 scale, whose lowest 8 bits are the zero point.
import package::packed::{weights, low_nibbles, high_nibbles};

/// Weights 16 g ... 16 g + 15 with the word of their block.
fn int4_group(codes: u32, g: u32, word: u32) -> array<vec4<f32>, 4> {
  let a = weights[codes + 2u * g];
  let b = weights[codes + 2u * g + 1u];
  let zero = vec4<f32>(f32(word & 255u));
  let s = bitcast<f32>(word & 0xffffff00u);
  return array<vec4<f32>, 4>(
    s * (vec4<f32>(low_nibbles(a)) - zero), s * (vec4<f32>(high_nibbles(a)) - zero),
    s * (vec4<f32>(low_nibbles(b)) - zero), s * (vec4<f32>(high_nibbles(b)) - zero));
}
