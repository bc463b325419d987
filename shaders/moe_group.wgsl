// Groups token-expert pairs by expert for the matrix products of prefill. One workgroup an expert, no atomics: the
// order of pairs (by expert, then by pair number) and of tiles is the same on every run.
//
// sorted: pairs by expert. tiles: (expert, first entry in sorted, entries, 0). Expert e, with o pairs of lower experts
// before its c, owns tile entries from floor(o / TILE_ROWS) + e up to the next expert's first; those are at least
// ceil(c / TILE_ROWS), and what it doesn't need it marks empty. So no expert has to know the others' tile counts.
// With the condition `paged`, tiles hold slots instead of experts, and experts that `wave` has no slot for get no tiles:
// they are another wave's.
override THREADS: u32 = 64u;
override EXPERTS: u32;
override TOP_K: u32;
override TILE_ROWS: u32;
/// Entries of tiles: floor(capacity * TOP_K / TILE_ROWS) + EXPERTS.
override TILES: u32;
override COUNT_INDEX: u32 = 0u;

@group(0) @binding(0) var<storage, read> ids: array<u32>;
@group(0) @binding(1) var<storage, read_write> sorted: array<u32>;
@group(0) @binding(2) var<storage, read_write> tiles: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> step: array<u32>;
/// Slot of each expert of this layer in this wave; 0xffffffff: not in it.
@if(paged)
@group(0) @binding(4) var<storage, read> wave: array<u32>;     // [EXPERTS]

@if(paged)
fn slot_of(expert: u32) -> u32 {
  return wave[expert];
}

@if(!paged)
fn slot_of(expert: u32) -> u32 {
  return expert;
}

/// (pairs of lower experts, pairs of this expert) in each thread's share of the pairs.
var<workgroup> found: array<vec2<u32>, THREADS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
  let expert = group.x;
  let pairs = step[COUNT_INDEX] * TOP_K;
  let share = (pairs + THREADS - 1u) / THREADS;
  let begin = min(lid * share, pairs);
  let end = min(begin + share, pairs);
  var mine = vec2<u32>(0u);
  for (var p = begin; p < end; p += 1u) {
    mine += vec2<u32>(u32(ids[p] < expert), u32(ids[p] == expert));
  }
  found[lid] = mine;
  workgroupBarrier();
  var total = vec2<u32>(0u);
  var before = 0u;
  for (var i = 0u; i < THREADS; i += 1u) {
    total += found[i];
    before += select(0u, found[i].y, i < lid);
  }
  let offset = total.x;
  let count = total.y;
  var at = offset + before;
  for (var p = begin; p < end; p += 1u) {
    if (ids[p] == expert) {
      sorted[at] = p;
      at += 1u;
    }
  }
  let first_tile = offset / TILE_ROWS + expert;
  let next_tile = select((offset + count) / TILE_ROWS + expert + 1u, TILES, expert + 1u == EXPERTS);
  let slot = slot_of(expert);
  for (var i = first_tile + lid; i < next_tile; i += THREADS) {
    let done = min((i - first_tile) * TILE_ROWS, count);
    let entries = select(min(TILE_ROWS, count - done), 0u, slot == 0xffffffffu);
    tiles[i] = vec4<u32>(slot, offset + done, entries, 0u);
  }
}
