// Router: softmax over EXPERTS logits, the TOP_K largest in falling order (ties: lower id first).
// An expert's place is the number of experts before it, so no sort is needed: one pass over the row a thread.
override EXPERTS: u32;
override TOP_K: u32;
override NORMALIZE: bool;   // divide by the chosen scores' sum: a softmax over the chosen logits
override SCALE: f32;
override WG: u32;

@group(0) @binding(0) var<storage, read> step: array<u32>;
@group(0) @binding(1) var<storage, read> logits: array<f32>;              // [rows, EXPERTS]
@group(0) @binding(2) var<storage, read_write> ids: array<u32>;           // [rows, TOP_K]
@group(0) @binding(3) var<storage, read_write> weights: array<f32>;       // [rows, TOP_K]

var<workgroup> row_logits: array<f32, EXPERTS>;
var<workgroup> chosen: array<f32, TOP_K>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
  let row = wid.x;
  if (row >= step[0]) { return; }
  for (var e = lid; e < EXPERTS; e += WG) { row_logits[e] = logits[row * EXPERTS + e]; }
  // NaN logits compare false with all and would leave a place unwritten.
  for (var k = lid; k < TOP_K; k += WG) {
    ids[row * TOP_K + k] = 0u;
    chosen[k] = -3.4e38;
  }
  workgroupBarrier();
  storageBarrier();
  for (var e = lid; e < EXPERTS; e += WG) {
    let mine = row_logits[e];
    var place = 0u;
    for (var o = 0u; o < EXPERTS; o += 1u) {
      let other = row_logits[o];
      if (other > mine || (other == mine && o < e)) { place += 1u; }
    }
    if (place < TOP_K) {
      ids[row * TOP_K + place] = e;
      chosen[place] = mine;
    }
  }
  workgroupBarrier();
  let largest = chosen[0];
  var sum = 0.0;
  if (NORMALIZE) {
    for (var k = 0u; k < TOP_K; k += 1u) { sum += exp(chosen[k] - largest); }
  } else {
    for (var e = 0u; e < EXPERTS; e += 1u) { sum += exp(row_logits[e] - largest); }
  }
  for (var k = lid; k < TOP_K; k += WG) { weights[row * TOP_K + k] = SCALE * exp(chosen[k] - largest) / sum; }
}
