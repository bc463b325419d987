// out = silu(gate) * up, elementwise.
override COLS: u32;
override COUNT_INDEX: u32;
override IN_PLACE: bool;   // out holds the gate; gate is a dummy
override WG: u32;

@group(0) @binding(0) var<storage, read> step: array<u32>;
@group(0) @binding(1) var<storage, read> gate: array<f32>;            // [rows, COLS]
@group(0) @binding(2) var<storage, read> up: array<f32>;              // [rows, COLS]
@group(0) @binding(3) var<storage, read_write> out: array<f32>;       // [rows, COLS]

@compute @workgroup_size(WG)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
  if (gid.y >= step[COUNT_INDEX] || gid.x >= COLS) { return; }
  let i = gid.y * COLS + gid.x;
  var g = out[i];
  if (!IN_PLACE) { g = gate[i]; }
  out[i] = g / (1.0 + exp(-g)) * up[i];
}
