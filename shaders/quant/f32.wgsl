import package::packed::weights;

fn words4(at: u32) -> vec4<f32> {
  return bitcast<vec4<f32>>(vec4<u32>(weights[at], weights[at + 1u], weights[at + 2u], weights[at + 3u]));
}

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let at = planes.x + 16u * g;
  return array<vec4<f32>, 4>(words4(at), words4(at + 4u), words4(at + 8u), words4(at + 12u));
}
