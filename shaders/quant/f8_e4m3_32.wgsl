// Planes: E4M3 codes, f32 scales (one for 32 weights).
import package::packed::weights;
import package::float8::e4m3_word;

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let at = planes.x + 4u * g;
  let s = bitcast<f32>(weights[planes.y + (g >> 1u)]);
  return array<vec4<f32>, 4>(
    s * e4m3_word(weights[at]), s * e4m3_word(weights[at + 1u]), s * e4m3_word(weights[at + 2u]), s * e4m3_word(weights[at + 3u]));
}
