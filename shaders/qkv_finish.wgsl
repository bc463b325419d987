// What lies between the q, k, v product of one token and its attention: norms of q and k, RoPE, and the append to the
// KV cache. One workgroup a head: HEADS of q, then KV_HEADS of k, then KV_HEADS of v. Norms and RoPE as in
// rms_norm.wgsl and rope.wgsl, the cache as in kv_write.wgsl.
override HEADS: u32;
override KV_HEADS: u32;
override HEAD_DIM: u32;
override HALF: u32;             // rotated pairs a head
override INTERLEAVED: bool;
override NORM: u32;             // 0 none, 1 each head by itself, 2 the whole row of q and of k
override EPS: f32;
override WG: u32;

@group(0) @binding(0) var<storage, read> step: array<u32>;
@group(0) @binding(1) var<storage, read> qkv: array<f32>;                 // [(HEADS + 2 * KV_HEADS) * HEAD_DIM]
@group(0) @binding(2) var<storage, read> q_norm: array<f32>;              // [HEAD_DIM] or the whole row
@group(0) @binding(3) var<storage, read> k_norm: array<f32>;
@group(0) @binding(4) var<storage, read> table: array<vec2<f32>>;         // [position, HALF] of (cos, sin)
@group(0) @binding(5) var<storage, read_write> q_out: array<f32>;         // [HEADS * HEAD_DIM]
@group(0) @binding(6) var<storage, read_write> k_cache: array<u32>;       // [context, KV_HEADS * HEAD_DIM / 2]
@group(0) @binding(7) var<storage, read_write> v_cache: array<u32>;

var<workgroup> partial: array<f32, WG>;
var<workgroup> head: array<f32, HEAD_DIM>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
  let start = wid.x * HEAD_DIM;
  let position = step[2];
  let is_q = wid.x < HEADS;
  // Head within its own tensor, and where that tensor begins.
  var local_head = wid.x;
  var tensor = 0u;
  var tensor_heads = HEADS;
  if (!is_q) {
    local_head = (wid.x - HEADS) % KV_HEADS;
    tensor = HEADS * HEAD_DIM;
    tensor_heads = KV_HEADS;
  }
  let cache_at = (position * KV_HEADS + local_head) * (HEAD_DIM / 2u);

  if (wid.x >= HEADS + KV_HEADS) {
    for (var i = lid; i < HEAD_DIM / 2u; i += WG) {
      v_cache[cache_at + i] = pack2x16float(vec2<f32>(qkv[start + 2u * i], qkv[start + 2u * i + 1u]));
    }
    return;
  }

  var factor = 1.0;
  if (NORM != 0u) {
    let first = select(start, tensor, NORM == 2u);
    let count = select(HEAD_DIM, tensor_heads * HEAD_DIM, NORM == 2u);
    var sum = 0.0;
    for (var i = lid; i < count; i += WG) {
      let v = qkv[first + i];
      sum += v * v;
    }
    partial[lid] = sum;
    workgroupBarrier();
    for (var width = WG / 2u; width > 0u; width /= 2u) {
      if (lid < width) { partial[lid] += partial[lid + width]; }
      workgroupBarrier();
    }
    factor = 1.0 / sqrt(partial[0] / f32(count) + EPS);
  }
  for (var i = lid; i < HEAD_DIM; i += WG) {
    var v = qkv[start + i];
    if (NORM != 0u) {
      let w = select(i, local_head * HEAD_DIM + i, NORM == 2u);
      if (is_q) { v *= factor * q_norm[w]; } else { v *= factor * k_norm[w]; }
    }
    head[i] = v;
  }
  workgroupBarrier();
  for (var i = lid; i < HALF; i += WG) {
    let a = select(i, 2u * i, INTERLEAVED);
    let b = select(i + HALF, 2u * i + 1u, INTERLEAVED);
    let cs = table[position * HALF + i];
    let va = head[a];
    let vb = head[b];
    head[a] = va * cs.x - vb * cs.y;
    head[b] = vb * cs.x + va * cs.y;
  }
  workgroupBarrier();
  if (is_q) {
    for (var i = lid; i < HEAD_DIM; i += WG) { q_out[start + i] = head[i]; }
  } else {
    for (var i = lid; i < HEAD_DIM / 2u; i += WG) {
      k_cache[cache_at + i] = pack2x16float(vec2<f32>(head[2u * i], head[2u * i + 1u]));
    }
  }
}
