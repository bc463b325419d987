// out[t] = SCALE * W[tokens[t]]. One thread for 16 columns. Where the matrix is split into parts by rows, each part's
// dispatch writes the tokens that it holds: those from FIRST_ROW to FIRST_ROW + ROWS - 1.
import package::weight_group::weight_group;
import package::linear_io::{ROWS, COLS, FIRST_ROW, PLANE0, PLANE1, PLANE2, PLANE3, SCALE, COUNT_INDEX};

override THREADS: u32 = 64u;

@group(0) @binding(1) var<storage, read> tokens: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@group(0) @binding(3) var<storage, read> step: array<u32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let t = id.y;
  let col = 16u * id.x;
  if (col >= COLS || t >= step[COUNT_INDEX]) {
    return;
  }
  let row = tokens[t] - FIRST_ROW;
  if (row >= ROWS) {
    return;
  }
  let group = weight_group(vec4<u32>(PLANE0, PLANE1, PLANE2, PLANE3), row, id.x);
  for (var q = 0u; q < 4u; q += 1u) {
    for (var j = 0u; j < 4u; j += 1u) {
      if (col + 4u * q + j < COLS) {
        out[t * COLS + col + 4u * q + j] = SCALE * group[q][j];
      }
    }
  }
}
