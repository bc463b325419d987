// Rows of weights in groups of 16, whatever the row length is.
import package::quant::decode16;
import package::linear_io::COLS;

fn weight_element(planes: vec4<u32>, row: u32, col: u32) -> f32 {
  if (col >= COLS) {
    return 0.0;
  }
  let i = row * COLS + col;
  let group = decode16(planes, i >> 4u);
  return group[(i >> 2u) & 3u][i & 3u];
}

fn weight_quad(planes: vec4<u32>, row: u32, col: u32) -> vec4<f32> {
  return vec4<f32>(
    weight_element(planes, row, col), weight_element(planes, row, col + 1u),
    weight_element(planes, row, col + 2u), weight_element(planes, row, col + 3u));
}

/// Weights 16 g … 16 g + 15 of a row; zero past its end. Rows that are no multiple of 16 (only float formats have
/// such) begin inside a group: slow, but right.
fn weight_group(planes: vec4<u32>, row: u32, g: u32) -> array<vec4<f32>, 4> {
  if (COLS % 16u == 0u) {
    return decode16(planes, row * (COLS / 16u) + g);
  }
  let col = 16u * g;
  return array<vec4<f32>, 4>(
    weight_quad(planes, row, col), weight_quad(planes, row, col + 4u),
    weight_quad(planes, row, col + 8u), weight_quad(planes, row, col + 12u));
}

fn dot16(a: array<vec4<f32>, 4>, b: array<vec4<f32>, 4>) -> f32 {
  return dot(a[0], b[0]) + dot(a[1], b[1]) + dot(a[2], b[2]) + dot(a[3], b[3]);
}
