import package::packed::weights;

fn halves4(at: u32) -> vec4<f32> {
  let a = weights[at];
  let b = weights[at + 1u];
  return bitcast<vec4<f32>>(vec4<u32>(a << 16u, a & 0xffff0000u, b << 16u, b & 0xffff0000u));
}

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let at = planes.x + 8u * g;
  return array<vec4<f32>, 4>(halves4(at), halves4(at + 2u), halves4(at + 4u), halves4(at + 6u));
}
