// A workgroup computes four rows; partial sums meet in workgroup memory. THREADS is a power of two.
override THREADS: u32 = 128u;

var<workgroup> partial: array<vec4<f32>, THREADS>;

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
  partial[lid] = v;
  for (var n = THREADS / 2u; n > 0u; n /= 2u) {
    workgroupBarrier();
    if (lid < n) {
      partial[lid] += partial[lid + n];
    }
  }
  workgroupBarrier();
  return partial[0];
}

/// Between two team_sum calls.
fn settle() {
  workgroupBarrier();
}
