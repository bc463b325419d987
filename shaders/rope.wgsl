// Rotary position embedding (Su et al. 2021, arXiv:2104.09864) in place, from a cos/sin table made on the CPU:
// driver sin and cos are only good to about 2^-11 for large angles.
override HEADS: u32;
override HEAD_DIM: u32;
override HALF: u32;             // rotated pairs a head; the head's elements past 2 * HALF stay
override INTERLEAVED: bool;     // pairs (2i, 2i + 1), else (i, i + HALF)
override WG: u32;

@group(0) @binding(0) var<storage, read> step: array<u32>;
@group(0) @binding(1) var<storage, read> table: array<vec2<f32>>;   // [position, HALF] of (cos, sin)
@group(0) @binding(2) var<storage, read_write> x: array<f32>;       // [rows, HEADS * HEAD_DIM]

@compute @workgroup_size(WG)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
  let row = gid.y;
  if (row >= step[0] || gid.x >= HEADS * HALF) { return; }
  let head = gid.x / HALF;
  let i = gid.x % HALF;
  let start = (row * HEADS + head) * HEAD_DIM;
  var a = start + i;
  var b = a + HALF;
  if (INTERLEAVED) {
    a = start + 2u * i;
    b = a + 1u;
  }
  let cs = table[(step[2] + row) * HALF + i];
  let xa = x[a];
  let xb = x[b];
  x[a] = xa * cs.x - xb * cs.y;
  x[b] = xb * cs.x + xa * cs.y;
}
