// The last part of an experts op for one token: out += SCALE * Σ_k gates[k] * (down of expert ids[k] · hidden[k]), four
// weight rows a workgroup, LANES threads an expert. Only where all experts of the layer lie in one binding; else
// matvec.wgsl and moe_combine.wgsl do it in two dispatches.
import package::linear_io::{ROWS, COLS, plane_words, token_count, x_group, write_out};
import package::weight_group::{weight_group, dot16};

override TOP_K: u32;
override EXPERT_WORDS: u32;
/// Threads an expert, a power of two.
override LANES: u32;

@group(0) @binding(6) var<storage, read> ids: array<u32>;      // [TOP_K]
@group(0) @binding(7) var<storage, read> gates: array<f32>;    // [TOP_K]

var<workgroup> partial: array<vec4<f32>, TOP_K * LANES>;

@compute @workgroup_size(TOP_K * LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
  if (token_count() == 0u) {
    return;
  }
  let k = lid / LANES;
  let lane = lid % LANES;
  let row = 4u * group.x;
  let planes = plane_words(ids[k] * EXPERT_WORDS);
  let groups = (COLS + 15u) / 16u;
  var sum = vec4<f32>(0.0);
  for (var g = lane; g < groups; g += LANES) {
    let xs = x_group(k, g);
    for (var j = 0u; j < 4u; j += 1u) {
      sum[j] += dot16(weight_group(planes, min(row + j, ROWS - 1u), g), xs);
    }
  }
  partial[lid] = sum;
  workgroupBarrier();
  for (var width = LANES / 2u; width > 0u; width /= 2u) {
    if (lane < width) { partial[lid] += partial[lid + width]; }
    workgroupBarrier();
  }
  if (lid < 4u && row + lid < ROWS) {
    var total = 0.0;
    for (var e = 0u; e < TOP_K; e += 1u) { total += gates[e] * partial[e * LANES][lid]; }
    write_out(0u, row + lid, total);
  }
}
