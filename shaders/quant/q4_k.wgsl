// Planes: natural-order nibbles; 16 scale bytes a block of 256: f16 d, f16 dmin, then eight 6-bit scales and eight
// 6-bit mins in 12 bytes, one of each for 32 weights. Value d scale q - dmin min.
// Sub-blocks 0 to 3 have theirs in the low six bits of bytes 0 to 3 and 4 to 7; those of 4 to 7 are split: the low
// four bits are nibbles of bytes 8 to 11, the upper two are the top bits that the first eight bytes have left.
import package::packed::{weights, low_nibbles, high_nibbles};

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let block = planes.y + 4u * (g >> 4u);
  let sub = (g >> 1u) & 7u;
  let shift = 8u * (sub & 3u);
  let scales = weights[block + 1u] >> shift;
  let mins = weights[block + 2u] >> shift;
  let rest = weights[block + 3u] >> shift;
  let upper = sub >= 4u;
  let scale = select(scales & 63u, (rest & 15u) | ((scales >> 2u) & 48u), upper);
  let minimum = select(mins & 63u, ((rest >> 4u) & 15u) | ((mins >> 2u) & 48u), upper);
  let d = unpack2x16float(weights[block]);
  let s = d.x * f32(scale);
  let m = vec4<f32>(d.y * f32(minimum));
  let a = weights[planes.x + 2u * g];
  let b = weights[planes.x + 2u * g + 1u];
  return array<vec4<f32>, 4>(
    s * vec4<f32>(low_nibbles(a)) - m, s * vec4<f32>(high_nibbles(a)) - m,
    s * vec4<f32>(low_nibbles(b)) - m, s * vec4<f32>(high_nibbles(b)) - m);
}
