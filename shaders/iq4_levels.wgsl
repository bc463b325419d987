// The 16 levels of IQ4_NL and IQ4_XS: -127 -104 -83 -65 -49 -35 -22 -10 1 13 25 38 53 69 89 113.

/// Levels of four codes. The polynomial is within 0.44 of every level, so rounding gives the level itself; no table, which
/// GPUs index slowly.
fn iq4_levels(codes: vec4<u32>) -> vec4<f32> {
  let q = vec4<f32>(codes);
  return round((((0.001586 * q + 0.03109) * q - 1.372) * q + 24.174) * q - 126.56);
}
