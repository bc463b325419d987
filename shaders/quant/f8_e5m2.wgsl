// Planes: E5M2 codes, f32 scales (one for 128 weights).
import package::packed::weights;
import package::float8::e5m2_word;

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let at = planes.x + 4u * g;
  let s = bitcast<f32>(weights[planes.y + (g >> 3u)]);
  return array<vec4<f32>, 4>(
    s * e5m2_word(weights[at]), s * e5m2_word(weights[at + 1u]), s * e5m2_word(weights[at + 2u]), s * e5m2_word(weights[at + 3u]));
}
