// A workgroup computes four rows; each subgroup sums in registers, then the subgroups' sums meet in workgroup memory.
// Works for any subgroup size, which is counted, since the entry points don't pass it in. Consecutive threads are
// taken to share a subgroup; the start-up self-test tells where that should not hold.
override THREADS: u32 = 128u;

/// One entry a subgroup: at most 256 threads, at least 4 a subgroup.
var<workgroup> partial: array<vec4<f32>, 64>;

fn lane(lid: u32) -> u32 {
  return lid;
}

fn lane_count() -> u32 {
  return THREADS;
}

/// First of the four rows that a workgroup works on.
fn first_row(group: u32, lid: u32) -> u32 {
  return 4u * group;
}

/// Which thread writes row j.
fn writes(lid: u32, j: u32) -> bool {
  return lid == j;
}

/// Sum over the workgroup, in every thread.
fn team_sum(v: vec4<f32>, lid: u32) -> vec4<f32> {
  let sum = subgroupAdd(v);
  let size = subgroupAdd(1u);
  if (subgroupElect()) {
    partial[lid / size] = sum;
  }
  workgroupBarrier();
  var total = partial[0];
  for (var i = 1u; i * size < THREADS; i += 1u) {
    total += partial[i];
  }
  return total;
}

/// Between two team_sum calls.
fn settle() {
  workgroupBarrier();
}
