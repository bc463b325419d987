// Planes: natural-order E2M1 codes, unsigned E4M3 scales (one for 16 weights); then the f32 scale of the tensor.
import package::packed::{weights, byte_at, low_nibbles, high_nibbles};
import package::float4::e2m1;
import package::float8::ue4m3;

fn decode16(planes: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
  let a = weights[planes.x + 2u * g];
  let b = weights[planes.x + 2u * g + 1u];
  let s = ue4m3(byte_at(planes.y, g));
  let t = bitcast<f32>(weights[planes.z]);
  // s * code is exact; in this order the result is rounded once, as in the scalar decoder.
  return array<vec4<f32>, 4>(
    t * (s * e2m1(low_nibbles(a))), t * (s * e2m1(high_nibbles(a))),
    t * (s * e2m1(low_nibbles(b))), t * (s * e2m1(high_nibbles(b))));
}
