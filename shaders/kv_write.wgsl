// Appends the step's keys and values to a layer's KV cache, as pairs of f16 in one word (no shader-f16 needed).
override PAIRS: u32;   // kvHeadCount * headDim / 2
override WG: u32;

@group(0) @binding(0) var<storage, read> step: array<u32>;
@group(0) @binding(1) var<storage, read> k: array<vec2<f32>>;             // [rows, PAIRS]
@group(0) @binding(2) var<storage, read> v: array<vec2<f32>>;             // [rows, PAIRS]
@group(0) @binding(3) var<storage, read_write> k_cache: array<u32>;       // [context, PAIRS]
@group(0) @binding(4) var<storage, read_write> v_cache: array<u32>;       // [context, PAIRS]

@compute @workgroup_size(WG)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
  let row = gid.y;
  if (row >= step[0] || gid.x >= PAIRS) { return; }
  let src = row * PAIRS + gid.x;
  let dst = (step[2] + row) * PAIRS + gid.x;
  k_cache[dst] = pack2x16float(k[src]);
  v_cache[dst] = pack2x16float(v[src]);
}
