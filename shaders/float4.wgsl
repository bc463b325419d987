/// Values of E2M1 codes: 0 ... 7 to 0, 0.5, 1, 1.5, 2, 3, 4, 6; 8 ... 15 to their negatives. From code 2 on, exponent
/// and mantissa bits move to their place in an f32.
fn e2m1(codes: vec4<u32>) -> vec4<f32> {
  let m = codes & vec4<u32>(7u);
  let bits = select((m << vec4<u32>(22u)) + vec4<u32>(0x3f000000u), m * 0x3f000000u, m < vec4<u32>(2u));
  return bitcast<vec4<f32>>(bits | ((codes & vec4<u32>(8u)) << vec4<u32>(28u)));
}
