// Causal attention of one query row and one head a workgroup, over the f16 KV cache, with the online softmax of
// Milakov and Gimelshein 2018 (arXiv:1805.02867): keys go by in tiles of TILE, the running maximum and sum are
// corrected tile by tile.
override HEADS: u32;
override KV_HEADS: u32;
override HEAD_PAIRS: u32;   // head_dim / 2
override SCALE: f32;
override WINDOW: u32;       // sliding window in tokens; 0 = none
override TILE: u32;
override SLICES: u32;       // value accumulators a dimension: each takes every SLICES-th key
override WG: u32;

@group(0) @binding(0) var<storage, read> step: array<u32>;
@group(0) @binding(1) var<storage, read> q: array<vec2<f32>>;             // [rows, HEADS * HEAD_PAIRS]
@group(0) @binding(2) var<storage, read> k_cache: array<u32>;             // [context, KV_HEADS * HEAD_PAIRS]
@group(0) @binding(3) var<storage, read> v_cache: array<u32>;             // [context, KV_HEADS * HEAD_PAIRS]
@group(0) @binding(4) var<storage, read_write> out: array<vec2<f32>>;     // [rows, HEADS * HEAD_PAIRS]

var<workgroup> query: array<vec2<f32>, HEAD_PAIRS>;
var<workgroup> score: array<f32, TILE>;
var<workgroup> partial: array<f32, WG>;
var<workgroup> acc: array<vec2<f32>, SLICES * HEAD_PAIRS>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
  let head = wid.x;
  let row = wid.y;
  if (row >= step[0]) { return; }
  let end = step[2] + row + 1u;
  var first = 0u;
  if (WINDOW > 0u && end > WINDOW) { first = end - WINDOW; }
  let row_pairs = KV_HEADS * HEAD_PAIRS;
  let kv_start = (head / (HEADS / KV_HEADS)) * HEAD_PAIRS;
  let q_start = (row * HEADS + head) * HEAD_PAIRS;

  for (var d = lid; d < HEAD_PAIRS; d += WG) { query[d] = q[q_start + d] * SCALE; }
  for (var d = lid; d < SLICES * HEAD_PAIRS; d += WG) { acc[d] = vec2<f32>(0.0); }
  workgroupBarrier();

  var running_max = -3.4e38;
  var running_sum = 0.0;
  for (var base = first; base < end; base += TILE) {
    let count = min(TILE, end - base);
    var local_max = -3.4e38;
    for (var j = lid; j < count; j += WG) {
      let key = (base + j) * row_pairs + kv_start;
      var dot2 = vec2<f32>(0.0);
      for (var d = 0u; d < HEAD_PAIRS; d += 1u) { dot2 += query[d] * unpack2x16float(k_cache[key + d]); }
      let s = dot2.x + dot2.y;
      score[j] = s;
      local_max = max(local_max, s);
    }
    partial[lid] = local_max;
    workgroupBarrier();
    for (var width = WG / 2u; width > 0u; width /= 2u) {
      if (lid < width) { partial[lid] = max(partial[lid], partial[lid + width]); }
      workgroupBarrier();
    }
    let new_max = max(running_max, partial[0]);
    workgroupBarrier();
    var local_sum = 0.0;
    for (var j = lid; j < count; j += WG) {
      let p = exp(score[j] - new_max);
      score[j] = p;
      local_sum += p;
    }
    partial[lid] = local_sum;
    workgroupBarrier();
    for (var width = WG / 2u; width > 0u; width /= 2u) {
      if (lid < width) { partial[lid] += partial[lid + width]; }
      workgroupBarrier();
    }
    let correction = exp(running_max - new_max);
    running_sum = running_sum * correction + partial[0];
    running_max = new_max;
    // The same thread always owns an accumulator, so no barrier guards acc inside the loop.
    for (var i = lid; i < SLICES * HEAD_PAIRS; i += WG) {
      let d = i % HEAD_PAIRS;
      var sum = acc[i] * correction;
      for (var j = i / HEAD_PAIRS; j < count; j += SLICES) {
        sum += score[j] * unpack2x16float(v_cache[(base + j) * row_pairs + kv_start + d]);
      }
      acc[i] = sum;
    }
    workgroupBarrier();
  }
  for (var d = lid; d < HEAD_PAIRS; d += WG) {
    var sum = vec2<f32>(0.0);
    for (var s = 0u; s < SLICES; s += 1u) { sum += acc[s * HEAD_PAIRS + d]; }
    out[q_start + d] = sum / running_sum;
  }
}
