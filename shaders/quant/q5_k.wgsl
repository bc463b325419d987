// Planes: low nibbles; high bits; 16 scale bytes a block of 256, as q4_k.wgsl has them. Value d scale q - dmin min.
import package::packed::{weights, five_bits, sub_scale_min};

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let sm = sub_scale_min(planes.z + 4u * (g >> 4u), (g >> 1u) & 7u);
  let s = sm.x;
  let m = vec4<f32>(sm.y);
  let high = weights[planes.y + (g >> 1u)] >> (16u * (g & 1u));
  let a = five_bits(weights[planes.x + 2u * g], high);
  let b = five_bits(weights[planes.x + 2u * g + 1u], high >> 8u);
  return array<vec4<f32>, 4>(s * a[0] - m, s * a[1] - m, s * b[0] - m, s * b[1] - m);
}
