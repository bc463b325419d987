// matmul.wgsl for software adapters, where barriers cost more than reading x again: one thread computes one weight
// row for 8 rows of x, decoding each group of weights once. Grid: x counts THREADS weight rows, z tiles of x rows.
import package::linear_io::{ROWS, COLS, plane_words, x_group, silu, write_out};
import package::weight_group::{weight_group, dot16};
import package::index::{tile_at, tile_x_row, tile_out_row};

override THREADS: u32 = 32u;
/// Words from the gate matrix to the up matrix; then out = silu(gate · x) * (up · x). 0: one plain matrix.
override UP_WORDS: u32 = 0u;

const TILE_TOKENS = 8u;

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
  let row = id.x;
  let tile = tile_at(group.z, TILE_TOKENS);
  if (tile.count == 0u || row >= ROWS) {
    return;
  }
  let planes = plane_words(tile.base);
  let up_planes = planes + vec4<u32>(UP_WORDS);
  var x_rows: array<u32, 8>;
  for (var i = 0u; i < TILE_TOKENS; i += 1u) {
    x_rows[i] = tile_x_row(tile, min(i, tile.count - 1u));
  }
  var sums: array<f32, 8>;
  var up_sums: array<f32, 8>;
  let groups = (COLS + 15u) / 16u;
  for (var g = 0u; g < groups; g += 1u) {
    let w = weight_group(planes, row, g);
    for (var i = 0u; i < tile.count; i += 1u) {
      sums[i] += dot16(w, x_group(x_rows[i], g));
    }
    if (UP_WORDS != 0u) {
      let up = weight_group(up_planes, row, g);
      for (var i = 0u; i < tile.count; i += 1u) {
        up_sums[i] += dot16(up, x_group(x_rows[i], g));
      }
    }
  }
  for (var i = 0u; i < tile.count; i += 1u) {
    var v = sums[i];
    if (UP_WORDS != 0u) {
      v = silu(v) * up_sums[i];
    }
    write_out(tile_out_row(tile, i), row, v);
  }
}
