// What every kernel out = W x shares: shapes, bindings 1 to 5, reading x, and what happens to a finished dot product.

/// Rows and columns of the weight matrix, or of this part of it.
override ROWS: u32;
override COLS: u32;
/// Row length of out, and where this part's rows begin in it.
override OUT_COLS: u32;
override FIRST_ROW: u32 = 0u;
/// Word where each plane of the matrix begins in the binding (of expert 0, for expert matrices).
override PLANE0: u32 = 0u;
override PLANE1: u32 = 0u;
override PLANE2: u32 = 0u;
override PLANE3: u32 = 0u;
/// out = residual + SCALE * clamp(dot + bias, ±CLIP); a negative CLIP is none.
override SCALE: f32 = 1.0;
override CLIP: f32 = -1.0;
override HAS_BIAS: bool = false;
/// 0 none, 1 what out holds, 2 the residual binding.
override RESIDUAL: u32 = 0u;
/// True for the second of two dispatches of a gated pair: out = silu(out) * dot.
override GATE_IN_OUT: bool = false;
/// Which value of the step buffer is the number of token rows in use.
override COUNT_INDEX: u32 = 0u;

@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@group(0) @binding(3) var<storage, read> bias: array<f32>;
@group(0) @binding(4) var<storage, read> residual: array<f32>;
@group(0) @binding(5) var<storage, read> step: array<u32>;

/// What one matrix-vector product works on. `base`: word offset of its weights from the plane offsets.
struct Product {
  live: bool,
  base: u32,
  x_row: u32,
  out_row: u32,
}

/// What one tile of a matrix product works on: `count` rows; see tile_x_row and tile_out_row of the index modules.
struct Tile {
  start: u32,
  count: u32,
  base: u32,
}

fn token_count() -> u32 {
  return step[COUNT_INDEX];
}

fn plane_words(base: u32) -> vec4<u32> {
  return vec4<u32>(PLANE0, PLANE1, PLANE2, PLANE3) + vec4<u32>(base);
}

/// Elements 4 k … 4 k + 3 of a row of x; zero past its end.
@if(!ragged)
fn x_quad(row: u32, k: u32) -> vec4<f32> {
  return x[row * (COLS / 4u) + k];
}

@if(ragged)
fn x_quad(row: u32, k: u32) -> vec4<f32> {
  var quad = vec4<f32>(0.0);
  for (var j = 0u; j < min(4u, COLS - min(COLS, 4u * k)); j += 1u) {
    let i = row * COLS + 4u * k + j;
    quad[j] = x[i >> 2u][i & 3u];
  }
  return quad;
}

/// Elements 16 g … 16 g + 15 of a row of x.
fn x_group(row: u32, g: u32) -> array<vec4<f32>, 4> {
  return array<vec4<f32>, 4>(
    x_quad(row, 4u * g), x_quad(row, 4u * g + 1u), x_quad(row, 4u * g + 2u), x_quad(row, 4u * g + 3u));
}

fn silu(v: f32) -> f32 {
  return v / (1.0 + exp(-v));
}

/// Finishes and writes the dot product of weight row r for a row of out.
fn write_out(out_row: u32, r: u32, product: f32) {
  let i = out_row * OUT_COLS + FIRST_ROW + r;
  var v = product;
  if (HAS_BIAS) {
    v += bias[FIRST_ROW + r];
  }
  if (CLIP >= 0.0) {
    v = min(max(v, -CLIP), CLIP);
  }
  v *= SCALE;
  if (RESIDUAL == 1u) {
    v += out[i];
  } else if (RESIDUAL == 2u) {
    v += residual[i];
  }
  if (GATE_IN_OUT) {
    v *= silu(out[i]);
  }
  out[i] = v;
}
