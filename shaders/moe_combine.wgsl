// out[t] = residual + SCALE * Σ_k gates[t, k] * pairs[t * TOP_K + k], summed in order of k. Out of one buffer of all
// pairs, so that the sum does not depend on how the experts were split over slabs.
override THREADS: u32 = 64u;
override COLS: u32;
override TOP_K: u32;
override SCALE: f32 = 1.0;
/// 0 none, 1 what out holds, 2 the residual binding.
override RESIDUAL: u32 = 0u;
override COUNT_INDEX: u32 = 0u;

@group(0) @binding(0) var<storage, read> pairs: array<f32>;
@group(0) @binding(1) var<storage, read> gates: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@group(0) @binding(3) var<storage, read> residual: array<f32>;
@group(0) @binding(4) var<storage, read> step: array<u32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let col = id.x;
  let t = id.y;
  if (col >= COLS || t >= step[COUNT_INDEX]) {
    return;
  }
  var sum = 0.0;
  for (var k = 0u; k < TOP_K; k += 1u) {
    let pair = t * TOP_K + k;
    sum += gates[pair] * pairs[pair * COLS + col];
  }
  let i = t * COLS + col;
  var v = SCALE * sum;
  if (RESIDUAL == 1u) {
    v += out[i];
  } else if (RESIDUAL == 2u) {
    v += residual[i];
  }
  out[i] = v;
}
