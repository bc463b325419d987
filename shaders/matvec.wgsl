// out[t, r] = residual + scale * clamp(W[r] · x[t] + bias[r]) for a few rows t: four weight rows a team of threads,
// each thread takes groups of 16 weights and keeps its part of x in registers over the four rows.
// With the condition `normed`, x is the row before its RMS norm, and the product does the norm itself.
// Grid: x and y count teams (GRID_X wide), z the products (token rows, or token-expert pairs).
import package::linear_io::{ROWS, COLS, plane_words, x_group, silu, write_out};
import package::weight_group::{weight_group, dot16};
import package::index::{product_at, norm_weight};
import package::reduce::{THREADS, lane, lane_count, first_row, writes, team_sum, settle};

override GRID_X: u32;
/// Words from the gate matrix to the up matrix; then out = silu(gate · x) * (up · x). 0: one plain matrix.
override UP_WORDS: u32 = 0u;

fn four_dots(planes: vec4<u32>, row: u32, g: u32, xs: array<vec4<f32>, 4>) -> vec4<f32> {
  // A loop, though GPU compilers unroll it: software adapters compile four copies of the decoder for seconds.
  var dots = vec4<f32>(0.0);
  for (var j = 0u; j < 4u; j += 1u) {
    dots[j] = dot16(weight_group(planes, min(row + j, ROWS - 1u), g), xs);
  }
  return dots;
}

@if(normed)
override NORM_EPS: f32;

/// A group of x as the weights meet it: with `normed`, times the norm's weight; the norm's factor follows at the end.
@if(normed)
fn weighted(xs: array<vec4<f32>, 4>, g: u32) -> array<vec4<f32>, 4> {
  return array<vec4<f32>, 4>(
    xs[0] * norm_weight[4u * g], xs[1] * norm_weight[4u * g + 1u],
    xs[2] * norm_weight[4u * g + 2u], xs[3] * norm_weight[4u * g + 3u]);
}

@if(!normed)
fn weighted(xs: array<vec4<f32>, 4>, g: u32) -> array<vec4<f32>, 4> {
  return xs;
}

/// RMS norm's factor of the row whose squares the team has summed; rms_norm.wgsl has the formula.
@if(normed)
fn norm_factor(squares: f32, lid: u32) -> f32 {
  let total = team_sum(vec4<f32>(squares, 0.0, 0.0, 0.0), lid).x;
  settle();
  return 1.0 / sqrt(total / f32(COLS) + NORM_EPS);
}

@if(!normed)
fn norm_factor(squares: f32, lid: u32) -> f32 {
  return 1.0;
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
  let row = first_row(group.x + group.y * GRID_X, lid);
  let product = product_at(group.z);
  if (row >= ROWS || !product.live) {
    return;
  }
  let planes = plane_words(product.base);
  let up_planes = planes + vec4<u32>(UP_WORDS);
  let groups = (COLS + 15u) / 16u;
  var sum = vec4<f32>(0.0);
  var up_sum = vec4<f32>(0.0);
  var squares = 0.0;
  for (var g = lane(lid); g < groups; g += lane_count()) {
    let raw = x_group(product.x_row, g);
    squares += dot16(raw, raw);
    let xs = weighted(raw, g);
    sum += four_dots(planes, row, g, xs);
    if (UP_WORDS != 0u) {
      up_sum += four_dots(up_planes, row, g, xs);
    }
  }
  let factor = norm_factor(squares, lid);
  sum = factor * team_sum(sum, lid);
  if (UP_WORDS != 0u) {
    settle();
    up_sum = factor * team_sum(up_sum, lid);
    for (var j = 0u; j < 4u; j += 1u) {
      sum[j] = silu(sum[j]) * up_sum[j];
    }
  }
  for (var j = 0u; j < 4u; j += 1u) {
    if (writes(lid, j) && row + j < ROWS) {
      write_out(product.out_row, row + j, sum[j]);
    }
  }
}
