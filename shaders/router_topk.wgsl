// Router: softmax over EXPERTS logits, the TOP_K largest in falling order (ties: lower id first).
// An expert's place is the number of experts before it, so no sort is needed: one pass over the row a thread.
// With the condition `paged` (steps of one token), ids holds slots instead of experts. Where a chosen expert has no slot,
// the step goes on without it: what follows is a guess, good for telling what later layers will want. The first layer
// that lacks an expert keeps its input, so that the step can resume there.
override EXPERTS: u32;
override TOP_K: u32;
override NORMALIZE: bool;   // divide by the chosen scores' sum: a softmax over the chosen logits
override SCALE: f32;
override WG: u32;

@if(!paged)
@group(0) @binding(0) var<storage, read> step: array<u32>;
@if(paged)
@group(0) @binding(0) var<storage, read_write> step: array<u32>;
@group(0) @binding(1) var<storage, read> logits: array<f32>;              // [rows, EXPERTS]
@group(0) @binding(2) var<storage, read_write> ids: array<u32>;           // [rows, TOP_K]
@group(0) @binding(3) var<storage, read_write> weights: array<f32>;       // [rows, TOP_K]
/// Slot of each expert of each layer; NO_SLOT where it has none.
@if(paged)
@group(0) @binding(4) var<storage, read> table: array<u32>;               // [layers, EXPERTS]
/// The experts that were chosen, for the CPU.
@if(paged)
@group(0) @binding(5) var<storage, read_write> routed: array<u32>;        // [layers, TOP_K]

/// Input of the layer's norm: what the experts add to.
@if(paged)
@group(0) @binding(6) var<storage, read> stream: array<f32>;              // [STREAM_COLS]
@if(paged)
@group(0) @binding(7) var<storage, read_write> kept: array<f32>;          // [STREAM_COLS]

@if(paged)
override LAYER_INDEX: u32;
@if(paged)
override STREAM_COLS: u32;
@if(paged)
const NO_SLOT = 0xffffffffu;
/// Words of the step buffer: src/compute/webgpu/kernel.ts. Low half: the first layer that lacked an expert, counted from 1.
/// High half: how many experts were lacking in all layers so far.
@if(paged)
const STEP_MISSED = 3u;
@if(paged)
var<workgroup> is_first_miss: bool;

/// Writable memory may differ between threads, as far as the compiler knows: one reads for all.
@if(paged)
var<workgroup> rows: u32;
@if(paged)
fn row_count(lid: u32) -> u32 {
  if (lid == 0u) { rows = step[0]; }
  return workgroupUniformLoad(&rows);
}

@if(!paged)
fn row_count(lid: u32) -> u32 {
  return step[0];
}

@if(paged)
fn look_up(place: u32, expert: u32) {
  routed[LAYER_INDEX * TOP_K + place] = expert;
  ids[place] = table[LAYER_INDEX * EXPERTS + expert];
}

@if(!paged)
fn look_up(place: u32, expert: u32) {
  ids[place] = expert;
}

/// Leaves missing experts out: weight 0 on a slot that is always there.
@if(paged)
fn finish(lid: u32) {
  storageBarrier();
  if (lid == 0u) {
    var missing = 0u;
    for (var k = 0u; k < TOP_K; k += 1u) {
      if (ids[k] == NO_SLOT) {
        ids[k] = 0u;
        weights[k] = 0.0;
        missing += 1u;
      }
    }
    is_first_miss = missing > 0u && step[STEP_MISSED] == 0u;
    step[STEP_MISSED] += (missing << 16u) + select(0u, LAYER_INDEX + 1u, is_first_miss);
  }
  workgroupBarrier();
  if (is_first_miss) {
    for (var i = lid; i < STREAM_COLS; i += WG) { kept[i] = stream[i]; }
  }
}

@if(!paged)
fn finish(lid: u32) {}

var<workgroup> row_logits: array<f32, EXPERTS>;
var<workgroup> chosen: array<f32, TOP_K>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
  let row = wid.x;
  if (row >= row_count(lid)) { return; }
  for (var e = lid; e < EXPERTS; e += WG) { row_logits[e] = logits[row * EXPERTS + e]; }
  // NaN logits compare false with all and would leave a place unwritten.
  for (var k = lid; k < TOP_K; k += WG) {
    look_up(row * TOP_K + k, 0u);
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
      look_up(row * TOP_K + place, e);
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
  finish(lid);
}
