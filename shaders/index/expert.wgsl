// Expert weights. Pair p = t * TOP_K + k stands for the k-th expert of token t; out has one row a pair. A binding (a
// slab) holds experts FIRST_EXPERT … FIRST_EXPERT + SLAB_EXPERTS - 1; the other experts' pairs are another dispatch's.
import package::linear_io::{token_count, Product, Tile};

override TOP_K: u32;
override FIRST_EXPERT: u32 = 0u;
override SLAB_EXPERTS: u32;
override EXPERT_WORDS: u32;
/// x has one row a pair (down) rather than one a token (gate, up).
override X_PER_PAIR: bool = false;

/// Matrix-vector products: expert ids, one a pair. Matrix products: pairs sorted by expert (moe_group.wgsl).
@group(0) @binding(6) var<storage, read> pairs: array<u32>;
/// Matrix products only: (expert, first entry in pairs, entries, unused) a tile.
@group(0) @binding(7) var<storage, read> tiles: array<vec4<u32>>;

/// matvec.wgsl with `normed`: weight of the RMS norm of x, [COLS]. In the place of tiles, which that doesn't read.
@group(0) @binding(7) var<storage, read> norm_weight: array<vec4<f32>>;

fn x_row_of(pair: u32) -> u32 {
  return select(pair / TOP_K, pair, X_PER_PAIR);
}

fn product_at(z: u32) -> Product {
  // An expert below FIRST_EXPERT wraps around to a number far above SLAB_EXPERTS.
  let local = pairs[z] - FIRST_EXPERT;
  return Product(z / TOP_K < token_count() && local < SLAB_EXPERTS, local * EXPERT_WORDS, x_row_of(z), z);
}

fn tile_at(z: u32, tile_rows: u32) -> Tile {
  let entry = tiles[z];
  let local = entry.x - FIRST_EXPERT;
  // The table has no tiles where there are no tokens; asking keeps the step binding in the pipeline's layout.
  let live = local < SLAB_EXPERTS && token_count() > 0u;
  return Tile(entry.y, select(0u, min(entry.z, tile_rows), live), local * EXPERT_WORDS);
}

fn tile_x_row(tile: Tile, i: u32) -> u32 {
  return x_row_of(pairs[tile.start + i]);
}

fn tile_out_row(tile: Tile, i: u32) -> u32 {
  return pairs[tile.start + i];
}
