// out += SCALE * sigmoid(gate[row]) * x: the gate of Qwen2-MoE's shared expert, added to the residual stream.
override COLS: u32;
override SCALE: f32;
override WG: u32;

@group(0) @binding(0) var<storage, read> step: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;               // [rows, COLS]
@group(0) @binding(2) var<storage, read> gate: array<f32>;            // [rows, 1]
@group(0) @binding(3) var<storage, read_write> out: array<f32>;       // [rows, COLS]

@compute @workgroup_size(WG)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
  if (gid.y >= step[0] || gid.x >= COLS) { return; }
  let i = gid.y * COLS + gid.x;
  out[i] += SCALE / (1.0 + exp(-gate[gid.y])) * x[i];
}
