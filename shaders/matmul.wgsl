// The product of matvec.wgsl for many rows (prefill): tiles of 64 weight rows × 32 rows of x, or 64 with the condition
// `wide`. 16 columns at a time go through workgroup memory, where weights are decoded once per tile; each of the 128
// threads keeps 4 × 4 sums (4 × 8). With the condition `gated` the tile holds the same 64 rows of the gate and of the
// up matrix, and out = silu(gate · x) * (up · x). What the next 16 columns need is loaded while these are multiplied.
// Grid: x counts weight-row tiles, z tiles of x rows (dense: tokens in order; expert: an entry of the tile table).
// On an NVIDIA H200, Q4_K [2048, 2048] by 512 tokens: 633 µs, `wide` 438 µs; experts of 16 to 64 tokens: the reverse.
import package::linear_io::{ROWS, COLS, Tile, plane_words, x_quad, silu, write_out};
import package::weight_group::weight_group;
import package::index::{tile_at, tile_x_row, tile_out_row};

/// Words from the gate matrix to the up matrix.
@if(gated)
override UP_WORDS: u32;

const TILE_ROWS = 64u;
@if(!wide)
const TILE_TOKENS = 32u;
@if(wide)
const TILE_TOKENS = 64u;
/// Quads from one row to the next in workgroup memory; odd, so that the rows of a subgroup lie in different banks.
const PITCH = 5u;

var<workgroup> weight_tile: array<vec4<f32>, 320>;
@if(gated)
var<workgroup> up_tile: array<vec4<f32>, 320>;
var<workgroup> x_tile: array<vec4<f32>, 320>;

/// The group of 16 weights that a thread decodes: row lid of the tile; with `gated`, threads from 64 on take up's.
fn load_weights(planes: vec4<u32>, first_row: u32, g: u32, lid: u32) -> array<vec4<f32>, 4> {
  let row = first_row + (lid & 63u);
  if (row >= ROWS || 16u * g >= COLS) {
    return array<vec4<f32>, 4>();
  }
  return weight_group(planes, row, g);
}

@if(!gated)
fn thread_planes(base: u32, lid: u32) -> vec4<u32> {
  return plane_words(base);
}
@if(gated)
fn thread_planes(base: u32, lid: u32) -> vec4<u32> {
  return plane_words(base + select(0u, UP_WORDS, lid >= 64u));
}

@if(!gated)
fn store_weights(group: array<vec4<f32>, 4>, lid: u32) {
  if (lid < 64u) {
    weight_tile[lid * PITCH + 0u] = group[0];
    weight_tile[lid * PITCH + 1u] = group[1];
    weight_tile[lid * PITCH + 2u] = group[2];
    weight_tile[lid * PITCH + 3u] = group[3];
  }
}
@if(gated)
fn store_weights(group: array<vec4<f32>, 4>, lid: u32) {
  let at = (lid & 63u) * PITCH;
  if (lid < 64u) {
    weight_tile[at + 0u] = group[0];
    weight_tile[at + 1u] = group[1];
    weight_tile[at + 2u] = group[2];
    weight_tile[at + 3u] = group[3];
  } else {
    up_tile[at + 0u] = group[0];
    up_tile[at + 1u] = group[1];
    up_tile[at + 2u] = group[2];
    up_tile[at + 3u] = group[3];
  }
}

/// Quad k of rows tx, tx + 16, tx + 32, tx + 48, turned: column c of the result holds column c of the four rows.
fn weight_columns(tx: u32, k: u32) -> mat4x4<f32> {
  return transpose(mat4x4<f32>(
    weight_tile[tx * PITCH + k], weight_tile[(tx + 16u) * PITCH + k],
    weight_tile[(tx + 32u) * PITCH + k], weight_tile[(tx + 48u) * PITCH + k]));
}
@if(gated)
fn up_columns(tx: u32, k: u32) -> mat4x4<f32> {
  return transpose(mat4x4<f32>(
    up_tile[tx * PITCH + k], up_tile[(tx + 16u) * PITCH + k],
    up_tile[(tx + 32u) * PITCH + k], up_tile[(tx + 48u) * PITCH + k]));
}

/// Four rows' sums of one token. Written out, since a matrix product costs an addition more than its fmas.
fn add_token(s: vec4<f32>, x: vec4<f32>, w: mat4x4<f32>) -> vec4<f32> {
  return fma(x.wwww, w[3], fma(x.zzzz, w[2], fma(x.yyyy, w[1], fma(x.xxxx, w[0], s))));
}

/// 4 × 4 products: rows tx + 16 j, tokens first + 8 i. Vector i of the result is token i.
fn multiply(sums: array<vec4<f32>, 4>, w: mat4x4<f32>, first: u32, k: u32) -> array<vec4<f32>, 4> {
  let at = first * PITCH + k;
  return array<vec4<f32>, 4>(
    add_token(sums[0], x_tile[at + 0u * PITCH], w),
    add_token(sums[1], x_tile[at + 8u * PITCH], w),
    add_token(sums[2], x_tile[at + 16u * PITCH], w),
    add_token(sums[3], x_tile[at + 24u * PITCH], w));
}

/// Writes what multiply() summed. Arrays are only ever indexed by constants: else they would leave the registers.
fn write_tokens(tile: Tile, row: u32, first: u32, sums: array<vec4<f32>, 4>) {
  write_token(tile, row, first, sums[0]);
  write_token(tile, row, first + 8u, sums[1]);
  write_token(tile, row, first + 16u, sums[2]);
  write_token(tile, row, first + 24u, sums[3]);
}

fn write_token(tile: Tile, row: u32, token: u32, sums: vec4<f32>) {
  if (token < tile.count) {
    write_rows(tile_out_row(tile, token), row, sums);
  }
}

@if(gated)
fn gated_sums(gate: array<vec4<f32>, 4>, up: array<vec4<f32>, 4>) -> array<vec4<f32>, 4> {
  return array<vec4<f32>, 4>(
    silu4(gate[0]) * up[0], silu4(gate[1]) * up[1], silu4(gate[2]) * up[2], silu4(gate[3]) * up[3]);
}
@if(gated)
fn silu4(v: vec4<f32>) -> vec4<f32> {
  return vec4<f32>(silu(v.x), silu(v.y), silu(v.z), silu(v.w));
}

fn write_rows(out_row: u32, row: u32, v: vec4<f32>) {
  if (row < ROWS) { write_out(out_row, row, v.x); }
  if (row + 16u < ROWS) { write_out(out_row, row + 16u, v.y); }
  if (row + 32u < ROWS) { write_out(out_row, row + 32u, v.z); }
  if (row + 48u < ROWS) { write_out(out_row, row + 48u, v.w); }
}

@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
  let tile = tile_at(group.z, TILE_TOKENS);
  if (tile.count == 0u) {
    return;
  }
  let first_row = group.x * TILE_ROWS;
  let planes = thread_planes(tile.base, lid);
  let tx = lid & 15u;
  let ty = lid >> 4u;
  // A thread loads one quad of x a step; with `wide` another one, 32 tokens further.
  let x_token = lid >> 2u;
  let x_col = lid & 3u;
  let x_row = tile_x_row(tile, min(x_token, tile.count - 1u));
  @if(wide)
  let far_x_row = tile_x_row(tile, min(x_token + 32u, tile.count - 1u));
  var sums = array<vec4<f32>, 4>();
  @if(wide)
  var far_sums = array<vec4<f32>, 4>();
  @if(gated)
  var up_sums = array<vec4<f32>, 4>();
  let groups = (COLS + 15u) / 16u;
  var next_weights = load_weights(planes, first_row, 0u, lid);
  var next_x = x_quad(x_row, x_col);
  @if(wide)
  var far_next_x = x_quad(far_x_row, x_col);
  for (var g = 0u; g < groups; g += 1u) {
    store_weights(next_weights, lid);
    x_tile[x_token * PITCH + x_col] = next_x;
    @if(wide)
    x_tile[(x_token + 32u) * PITCH + x_col] = far_next_x;
    workgroupBarrier();
    if (g + 1u < groups) {
      next_weights = load_weights(planes, first_row, g + 1u, lid);
      next_x = x_quad(x_row, 4u * (g + 1u) + x_col);
      @if(wide)
      far_next_x = x_quad(far_x_row, 4u * (g + 1u) + x_col);
    }
    for (var k = 0u; k < 4u; k += 1u) {
      let w = weight_columns(tx, k);
      sums = multiply(sums, w, ty, k);
      @if(wide)
      far_sums = multiply(far_sums, w, ty + 32u, k);
      @if(gated)
      up_sums = multiply(up_sums, up_columns(tx, k), ty, k);
    }
    workgroupBarrier();
  }
  @if(!gated)
  write_tokens(tile, first_row + tx, ty, sums);
  @if(wide)
  write_tokens(tile, first_row + tx, ty + 32u, far_sums);
  @if(gated)
  write_tokens(tile, first_row + tx, ty, gated_sums(sums, up_sums));
}
