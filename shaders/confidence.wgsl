// Probability of the likeliest token of the last output row: exp(0) / Σ exp(logit - largest). One workgroup; each thread
// keeps the largest logit of its share and the sum in units of it, so that one pass over the row is enough.
override VOCAB: u32;
override WG: u32;

@group(0) @binding(0) var<storage, read> step: array<u32>;           // [1] output rows
@group(0) @binding(1) var<storage, read> logits: array<f32>;         // [output rows, VOCAB]
@group(0) @binding(2) var<storage, read_write> result: array<u32>;   // [1] the probability, f32 bits

const LOWEST = -3.4e38;

/// (largest logit, sum of exp(logit - largest)) of each thread's share.
var<workgroup> shares: array<vec2<f32>, WG>;

fn joined(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
  let largest = max(a.x, b.x);
  return vec2<f32>(largest, a.y * exp(a.x - largest) + b.y * exp(b.x - largest));
}

@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) lid: u32) {
  let row = (step[1] - 1u) * VOCAB;
  var mine = vec2<f32>(LOWEST, 0.0);
  for (var t = lid; t < VOCAB; t += WG) { mine = joined(mine, vec2<f32>(logits[row + t], 1.0)); }
  shares[lid] = mine;
  workgroupBarrier();
  for (var width = WG / 2u; width > 0u; width /= 2u) {
    if (lid < width) { shares[lid] = joined(shares[lid], shares[lid + width]); }
    workgroupBarrier();
  }
  if (lid == 0u) { result[1] = bitcast<u32>(1.0 / shares[0].y); }
}
