// Planes: the low 8 bits of an index for 8 weights; nibbles for 8 weights (upper 3 bits of the index, the sign of the
// delta); four times 16 bits for 256 weights (four 3-bit scales each, in the upper nibbles together f16 d); codebook.
// Value d (2 scale + 1) (entry ± 1/8).
import package::packed::{weights, byte_at};
import package::iq::{u16_at, iq1_weights};

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let low = u16_at(planes.x, g);
  let high = byte_at(planes.y, g);
  let words = vec2<u32>(weights[planes.z + 2u * (g >> 4u)], weights[planes.z + 2u * (g >> 4u) + 1u]);
  let halves = ((words >> vec2<u32>(12u)) & vec2<u32>(15u)) | ((words >> vec2<u32>(24u)) & vec2<u32>(0xf0u));
  let d = unpack2x16float(halves.x | (halves.y << 8u)).x;
  let scales = select(words.x, words.y, (g & 8u) != 0u) >> (4u * (g & 4u) + 3u * (g & 3u));
  let s = d * f32(2u * (scales & 7u) + 1u);
  let a = iq1_weights(planes.w, (low & 255u) | ((high & 7u) << 8u), s, (high >> 3u) & 1u);
  let b = iq1_weights(planes.w, (low >> 8u) | (((high >> 4u) & 7u) << 8u), s, high >> 7u);
  return array<vec4<f32>, 4>(a[0], a[1], b[0], b[1]);
}
