// Rows of weights in groups of 16, whatever the row length is.
import package::quant::decode16;
import package::linear_io::COLS;

/// Weights 16 g … 16 g + 15 of a row.
@if(!ragged)
fn weight_group(planes: vec4<u32>, row: u32, g: u32) -> array<vec4<f32>, 4> {
  return decode16(planes, row * (COLS / 16u) + g);
}

/// Rows begin inside the matrix's groups of 16, so weights are picked one by one; zero past the row's end.
@if(ragged)
fn weight_group(planes: vec4<u32>, row: u32, g: u32) -> array<vec4<f32>, 4> {
  var result = array<vec4<f32>, 4>();
  for (var j = 0u; j < min(16u, COLS - min(COLS, 16u * g)); j += 1u) {
    let i = row * COLS + 16u * g + j;
    var group = decode16(planes, i >> 4u);
    result[j >> 2u][j & 3u] = group[(i >> 2u) & 3u][i & 3u];
  }
  return result;
}

fn dot16(a: array<vec4<f32>, 4>, b: array<vec4<f32>, 4>) -> f32 {
  return dot(a[0], b[0]) + dot(a[1], b[1]) + dot(a[2], b[2]) + dot(a[3], b[3]);
}
