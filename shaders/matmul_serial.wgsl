// matmul.wgsl for software adapters, where barriers and workgroup memory cost more than reading x again: one thread
// computes two weight rows for 16 rows of x, decoding each group of weights once.
// Grid: x counts 2 THREADS weight rows, z tiles of x rows.
import package::linear_io::{ROWS, COLS, plane_words, x_group, silu, write_out};
import package::weight_group::{weight_group, dot16};
import package::index::{tile_at, tile_x_row, tile_out_row};

override THREADS: u32 = 32u;
/// Words from the gate matrix to the up matrix; then out = silu(gate · x) * (up · x). 0: one plain matrix.
override UP_WORDS: u32 = 0u;

const TILE_TOKENS = 16u;

/// Adds the products of column group g: two weight rows with each of the tile's x rows.
fn add_products(
  sums: ptr<function, array<vec2<f32>, 16>>, planes: vec4<u32>, row: u32, g: u32,
  x_rows: ptr<function, array<u32, 16>>, count: u32,
) {
  let w0 = weight_group(planes, row, g);
  let w1 = weight_group(planes, min(row + 1u, ROWS - 1u), g);
  for (var i = 0u; i < count; i += 1u) {
    let xs = x_group((*x_rows)[i], g);
    (*sums)[i] += vec2<f32>(dot16(w0, xs), dot16(w1, xs));
  }
}

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
  let row = 2u * id.x;
  let tile = tile_at(group.z, TILE_TOKENS);
  if (tile.count == 0u || row >= ROWS) {
    return;
  }
  let planes = plane_words(tile.base);
  var x_rows: array<u32, 16>;
  for (var i = 0u; i < tile.count; i += 1u) {
    x_rows[i] = tile_x_row(tile, i);
  }
  var sums: array<vec2<f32>, 16>;
  var up_sums: array<vec2<f32>, 16>;
  for (var g = 0u; g < (COLS + 15u) / 16u; g += 1u) {
    add_products(&sums, planes, row, g, &x_rows, tile.count);
    if (UP_WORDS != 0u) {
      add_products(&up_sums, planes + vec4<u32>(UP_WORDS), row, g, &x_rows, tile.count);
    }
  }
  for (var i = 0u; i < tile.count; i += 1u) {
    for (var j = 0u; j < 2u && row + j < ROWS; j += 1u) {
      var v = sums[i][j];
      if (UP_WORDS != 0u) {
        v = silu(v) * up_sums[i][j];
      }
      write_out(tile_out_row(tile, i), row + j, v);
    }
  }
}
