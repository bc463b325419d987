// Dense weights: one matrix, row t of x makes row t of out.
import package::linear_io::{token_count, Product, Tile};

/// matvec.wgsl with `normed`: weight of the RMS norm of x, [COLS].
@group(0) @binding(6) var<storage, read> norm_weight: array<vec4<f32>>;

fn product_at(z: u32) -> Product {
  return Product(z < token_count(), 0u, z, z);
}

fn tile_at(z: u32, tile_rows: u32) -> Tile {
  let start = z * tile_rows;
  return Tile(start, min(tile_rows, max(token_count(), start) - start), 0u);
}

fn tile_x_row(tile: Tile, i: u32) -> u32 {
  return tile.start + i;
}

fn tile_out_row(tile: Tile, i: u32) -> u32 {
  return tile.start + i;
}
