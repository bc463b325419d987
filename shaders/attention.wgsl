// Causal attention of one query row and one head a workgroup, over the f16 KV cache, with the online softmax of
// Milakov and Gimelshein 2018 (arXiv:1805.02867): keys go by in tiles of TILE, the running maximum and sums are
// corrected tile by tile. A tile's maximum is read off workgroup memory by every thread: cheaper than a barrier tree.
override HEADS: u32;
override KV_HEADS: u32;
override HEAD_PAIRS: u32;   // head_dim / 2
override SCALE: f32;
override WINDOW: u32;       // sliding window in tokens; 0 = none
override TILE: u32;         // keys
override SLICES: u32;       // value accumulators a dimension: each takes every SLICES-th key
override WG: u32;

@group(0) @binding(0) var<storage, read> step: array<u32>;
@group(0) @binding(1) var<storage, read> q: array<vec2<f32>>;             // [rows, HEADS * HEAD_PAIRS]
@group(0) @binding(2) var<storage, read> k_cache: array<u32>;             // [context, KV_HEADS * HEAD_PAIRS]
@group(0) @binding(3) var<storage, read> v_cache: array<u32>;             // [context, KV_HEADS * HEAD_PAIRS]
@group(0) @binding(4) var<storage, read_write> out: array<vec2<f32>>;     // [rows, HEADS * HEAD_PAIRS]

var<workgroup> query: array<vec2<f32>, HEAD_PAIRS>;
var<workgroup> score: array<f32, TILE>;
var<workgroup> weight: array<f32, TILE>;
var<workgroup> acc: array<vec3<f32>, SLICES * HEAD_PAIRS>;   // a pair of value sums, and the sum of their weights

fn score_of(key: u32) -> f32 {
  var dot4 = vec4<f32>(0.0);
  var d = 0u;
  for (; d + 4u <= HEAD_PAIRS; d += 4u) {
    let a = unpack2x16float(k_cache[key + d]);
    let b = unpack2x16float(k_cache[key + d + 1u]);
    let c = unpack2x16float(k_cache[key + d + 2u]);
    let e = unpack2x16float(k_cache[key + d + 3u]);
    dot4 += vec4<f32>(query[d], query[d + 1u]) * vec4<f32>(a, b);
    dot4 += vec4<f32>(query[d + 2u], query[d + 3u]) * vec4<f32>(c, e);
  }
  for (; d < HEAD_PAIRS; d += 1u) {
    dot4 += vec4<f32>(query[d] * unpack2x16float(k_cache[key + d]), 0.0, 0.0);
  }
  return dot4.x + dot4.y + dot4.z + dot4.w;
}

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
  for (var i = lid; i < SLICES * HEAD_PAIRS; i += WG) { acc[i] = vec3<f32>(0.0); }
  workgroupBarrier();

  var running_max = -3.4e38;
  for (var base = first; base < end; base += TILE) {
    let count = min(TILE, end - base);
    for (var j = lid; j < count; j += WG) { score[j] = score_of((base + j) * row_pairs + kv_start); }
    workgroupBarrier();
    var new_max = running_max;
    for (var j = 0u; j < count; j += 1u) { new_max = max(new_max, score[j]); }
    let correction = exp(running_max - new_max);
    running_max = new_max;
    for (var j = lid; j < count; j += WG) { weight[j] = exp(score[j] - new_max); }
    workgroupBarrier();
    // The same thread always owns an accumulator, so no barrier guards acc inside the loop.
    for (var i = lid; i < SLICES * HEAD_PAIRS; i += WG) {
      let d = i % HEAD_PAIRS;
      var sum = acc[i] * correction;
      for (var j = i / HEAD_PAIRS; j < count; j += SLICES) {
        sum += weight[j] * vec3<f32>(unpack2x16float(v_cache[(base + j) * row_pairs + kv_start + d]), 1.0);
      }
      acc[i] = sum;
    }
    workgroupBarrier();
  }
  for (var d = lid; d < HEAD_PAIRS; d += WG) {
    var sum = vec3<f32>(0.0);
    for (var s = 0u; s < SLICES; s += 1u) { sum += acc[s * HEAD_PAIRS + d]; }
    out[q_start + d] = sum.xy / sum.z;
  }
}
