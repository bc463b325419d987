// Copies the rows of the requested output positions.
override COLS: u32;
override WG: u32;

@group(0) @binding(0) var<storage, read> step: array<u32>;
@group(0) @binding(1) var<storage, read> output_rows: array<u32>;     // [output rows]: row of x
@group(0) @binding(2) var<storage, read> x: array<f32>;               // [rows, COLS]
@group(0) @binding(3) var<storage, read_write> out: array<f32>;       // [output rows, COLS]

@compute @workgroup_size(WG)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
  if (gid.y >= step[1] || gid.x >= COLS) { return; }
  out[gid.y * COLS + gid.x] = x[output_rows[gid.y] * COLS + gid.x];
}
