// The product of matvec.wgsl for many rows (prefill): tiles of 64 weight rows × 32 rows of x. 32 columns at a time go
// through workgroup memory, where weights are decoded once per tile; each of the 128 threads keeps 4 × 4 sums.
// Grid: x counts weight-row tiles, z tiles of x rows (dense: 32 tokens; expert: an entry of the tile table).
import package::linear_io::{ROWS, COLS, plane_words, x_quad, silu, write_out};
import package::weight_group::weight_group;
import package::index::{tile_at, tile_x_row, tile_out_row};

/// Words from the gate matrix to the up matrix; then out = silu(gate · x) * (up · x). 0: one plain matrix.
override UP_WORDS: u32 = 0u;

const TILE_ROWS = 64u;
const TILE_TOKENS = 32u;
const TILE_QUADS = 8u;
const THREADS = 128u;
/// Quads from one row to the next in workgroup memory; odd, so that the rows of a subgroup lie in different banks.
const PITCH = 9u;

var<workgroup> weight_tile: array<vec4<f32>, 576>;
var<workgroup> x_tile: array<vec4<f32>, 288>;

/// Each thread decodes one group of 16: thread pairs share a row.
fn load_weights(planes: vec4<u32>, first_row: u32, first_group: u32, lid: u32) {
  let row = first_row + lid / 2u;
  let g = first_group + (lid & 1u);
  let at = (lid / 2u) * PITCH + 4u * (lid & 1u);
  var group = array<vec4<f32>, 4>();
  if (row < ROWS && 16u * g < COLS) {
    group = weight_group(planes, row, g);
  }
  for (var q = 0u; q < 4u; q += 1u) {
    weight_tile[at + q] = group[q];
  }
}

/// 4 × 4 products of a thread: its rows are tx + 16 j, its tokens ty + 8 i. Row i of the result is token i.
fn multiply(sums: array<vec4<f32>, 4>, tx: u32, ty: u32) -> array<vec4<f32>, 4> {
  var s = sums;
  for (var k = 0u; k < TILE_QUADS; k += 1u) {
    let w = mat4x4<f32>(
      weight_tile[tx * PITCH + k], weight_tile[(tx + 16u) * PITCH + k],
      weight_tile[(tx + 32u) * PITCH + k], weight_tile[(tx + 48u) * PITCH + k]);
    s[0] += x_tile[ty * PITCH + k] * w;
    s[1] += x_tile[(ty + 8u) * PITCH + k] * w;
    s[2] += x_tile[(ty + 16u) * PITCH + k] * w;
    s[3] += x_tile[(ty + 24u) * PITCH + k] * w;
  }
  return s;
}

@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
  let tile = tile_at(group.z, TILE_TOKENS);
  if (tile.count == 0u) {
    return;
  }
  let first_row = group.x * TILE_ROWS;
  let planes = plane_words(tile.base);
  let up_planes = planes + vec4<u32>(UP_WORDS);
  let tx = lid & 15u;
  let ty = lid >> 4u;
  // A thread loads two quads of x a step: the same column quad of two tokens.
  let x_token = lid >> 3u;
  let x_col = lid & 7u;
  let x_rows = vec2<u32>(
    tile_x_row(tile, min(x_token, tile.count - 1u)), tile_x_row(tile, min(x_token + 16u, tile.count - 1u)));
  var sums = array<vec4<f32>, 4>();
  var up_sums = array<vec4<f32>, 4>();
  let groups = (COLS + 15u) / 16u;
  for (var g = 0u; g < groups; g += 2u) {
    let quad = 4u * g + x_col;
    let inside = 4u * quad < COLS;
    var x0 = vec4<f32>(0.0);
    var x1 = vec4<f32>(0.0);
    if (inside) {
      x0 = x_quad(x_rows.x, quad);
      x1 = x_quad(x_rows.y, quad);
    }
    x_tile[x_token * PITCH + x_col] = x0;
    x_tile[(x_token + 16u) * PITCH + x_col] = x1;
    load_weights(planes, first_row, g, lid);
    workgroupBarrier();
    sums = multiply(sums, tx, ty);
    workgroupBarrier();
    if (UP_WORDS != 0u) {
      load_weights(up_planes, first_row, g, lid);
      workgroupBarrier();
      up_sums = multiply(up_sums, tx, ty);
      workgroupBarrier();
    }
  }
  for (var i = 0u; i < 4u; i += 1u) {
    let token = ty + 8u * i;
    if (token < tile.count) {
      let out_row = tile_out_row(tile, token);
      for (var j = 0u; j < 4u; j += 1u) {
        let row = first_row + tx + 16u * j;
        if (row < ROWS) {
          var v = sums[i][j];
          if (UP_WORDS != 0u) {
            v = silu(v) * up_sums[i][j];
          }
          write_out(out_row, row, v);
        }
      }
    }
  }
}
