// RMS norm (Zhang and Sennrich 2019, arXiv:1910.07467) of each run of GROUP elements of a row:
// out = x / sqrt(mean(x²) + EPS) * weight. One workgroup a run, so WG = 1 is the serial form for CPU adapters.
override GROUP: u32;         // elements normalised together
override RUNS: u32;          // runs a row: cols = RUNS * GROUP
override EPS: f32;
override COUNT_INDEX: u32;   // which step value says how many rows are in use
override IN_PLACE: bool;     // out holds the input; x is a dummy
override WG: u32;

@group(0) @binding(0) var<storage, read> step: array<u32>;
@group(0) @binding(1) var<storage, read> weight: array<f32>;      // [GROUP]
@group(0) @binding(2) var<storage, read> x: array<f32>;           // [rows, RUNS * GROUP]
@group(0) @binding(3) var<storage, read_write> out: array<f32>;   // [rows, RUNS * GROUP]

var<workgroup> partial: array<f32, WG>;

fn load(i: u32) -> f32 {
  if (IN_PLACE) { return out[i]; }
  return x[i];
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
  let row = wid.y;
  if (row >= step[COUNT_INDEX]) { return; }
  let start = (row * RUNS + wid.x) * GROUP;
  var sum = 0.0;
  for (var i = lid; i < GROUP; i += WG) {
    let v = load(start + i);
    sum += v * v;
  }
  partial[lid] = sum;
  workgroupBarrier();
  for (var width = WG / 2u; width > 0u; width /= 2u) {
    if (lid < width) { partial[lid] += partial[lid + width]; }
    workgroupBarrier();
  }
  let factor = 1.0 / sqrt(partial[0] / f32(GROUP) + EPS);
  for (var i = lid; i < GROUP; i += WG) {
    out[start + i] = load(start + i) * factor * weight[i];
  }
}
