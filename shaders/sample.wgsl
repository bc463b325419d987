// Draws one token from the last output row: the twin of src/compute/sampling.ts, which defines every step.
// One workgroup; cuts are found by radix histograms over order-preserving integer keys, so nothing is sorted.
override VOCAB: u32;
override WG: u32;

// [0] temperature, [1] topK, [2] topP, [3] minP, [4] repetition penalty, [5] seed, [6] position of the drawn token,
// [7] distinct recent tokens, [8 …] those tokens. Fractions are f32 bits.
@group(0) @binding(0) var<storage, read> params: array<u32>;
@group(0) @binding(1) var<storage, read> step: array<u32>;
@group(0) @binding(2) var<storage, read_write> logits: array<f32>;   // [output rows, VOCAB]; the penalty is applied here
@group(0) @binding(3) var<storage, read_write> result: array<u32>;   // [0] token, 0xffffffff where no logit is finite

var<workgroup> best_key: array<u32, WG>;
var<workgroup> best_token: array<u32, WG>;
var<workgroup> partial: array<f32, WG>;
var<workgroup> histogram: array<atomic<u32>, 256>;
var<workgroup> found_bin: u32;
var<workgroup> found_before: u32;

const NOTHING = 0xffffffffu;
const MASS_ONE = 1073741824.0;   // 2^30: fixed-point unit of probability mass in the top_p histogram

// Order of keys = order of floats. NaN becomes 0, below everything.
fn key_of(value: f32) -> u32 {
  let bits = bitcast<u32>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) { return 0u; }
  return select(bits | 0x80000000u, ~bits, (bits & 0x80000000u) != 0u);
}

fn value_of(key: u32) -> f32 {
  return bitcast<f32>(select(~key, key & 0x7fffffffu, (key & 0x80000000u) != 0u));
}

// Largest key over the workgroup, lowest token on a tie, left in best_*[0].
fn reduce_best(lid: u32, key: u32, token: u32) {
  best_key[lid] = key;
  best_token[lid] = token;
  workgroupBarrier();
  for (var width = WG / 2u; width > 0u; width /= 2u) {
    if (lid < width) {
      let other = best_key[lid + width];
      let other_token = best_token[lid + width];
      if (other > best_key[lid] || (other == best_key[lid] && other_token < best_token[lid])) {
        best_key[lid] = other;
        best_token[lid] = other_token;
      }
    }
    workgroupBarrier();
  }
}

// With falling bins, the bin in which the running count reaches target; NOTHING where it never does.
fn find_bin(lid: u32, target_count: u32) {
  workgroupBarrier();
  if (lid == 0u) {
    var before = 0u;
    found_bin = NOTHING;
    for (var i = 0u; i < 256u; i += 1u) {
      let bin = 255u - i;
      let count = atomicLoad(&histogram[bin]);
      if (before + count >= target_count) {
        found_bin = bin;
        found_before = before;
        break;
      }
      before += count;
    }
  }
  workgroupBarrier();
}

fn clear_histogram(lid: u32) {
  for (var i = lid; i < 256u; i += WG) { atomicStore(&histogram[i], 0u); }
  workgroupBarrier();
}

// pcg3d (Jarzynski and Olano 2020), z component.
fn hash(seed: u32, position: u32, token: u32) -> u32 {
  var v = vec3<u32>(seed, position, token) * 1664525u + 1013904223u;
  v.x += v.y * v.z;
  v.y += v.z * v.x;
  v.z += v.x * v.y;
  v ^= v >> vec3<u32>(16u);
  v.x += v.y * v.z;
  v.y += v.z * v.x;
  v.z += v.x * v.y;
  return v.z;
}

fn gumbel(seed: u32, position: u32, token: u32) -> f32 {
  let w = min(f32(hash(seed, position, token)) + 0.5, 4294967040.0) * 2.3283064365386963e-10;
  var e = -log(1.0 - w);
  if (w < 0.0625) { e = w * (1.0 + w * (0.5 + w * (1.0 / 3.0 + w * (0.25 + w * (0.2 + w / 6.0))))); }
  return -log(e);
}

@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) lid: u32) {
  let temperature = bitcast<f32>(params[0]);
  let top_k = params[1];
  let top_p = bitcast<f32>(params[2]);
  let min_p = bitcast<f32>(params[3]);
  let penalty = bitcast<f32>(params[4]);
  let row = (step[1] - 1u) * VOCAB;

  for (var i = lid; i < params[7]; i += WG) {
    let at = row + params[8u + i];
    let l = logits[at];
    logits[at] = select(l * penalty, l / penalty, l > 0.0);
  }
  storageBarrier();
  workgroupBarrier();

  var my_key = 0u;
  var my_token = NOTHING;
  for (var t = lid; t < VOCAB; t += WG) {
    let key = key_of(logits[row + t]);
    if (key > my_key) {
      my_key = key;
      my_token = t;
    }
  }
  reduce_best(lid, my_key, my_token);
  let largest_key = best_key[0];
  let largest = value_of(largest_key);
  // 0xff800000 is the key of +Inf, 0x007fffff of -Inf.
  if (lid == 0u) {
    result[0] = select(best_token[0], NOTHING, largest_key >= 0xff800000u || largest_key <= 0x007fffffu);
  }
  if (temperature == 0.0 || top_k == 1u) { return; }
  workgroupBarrier();

  var cut = 1u;
  if (top_k > 0u && top_k < VOCAB) {
    var prefix = 0u;
    var left = top_k;
    for (var pass_index = 0u; pass_index < 4u; pass_index += 1u) {
      let shift = 24u - 8u * pass_index;
      clear_histogram(lid);
      for (var t = lid; t < VOCAB; t += WG) {
        let key = key_of(logits[row + t]);
        if (pass_index == 0u || (key >> (shift + 8u)) == (prefix >> (shift + 8u))) {
          atomicAdd(&histogram[(key >> shift) & 255u], 1u);
        }
      }
      find_bin(lid, left);
      prefix |= found_bin << shift;
      left -= found_before;
      workgroupBarrier();
    }
    cut = max(prefix, 1u);
  }

  if (top_p < 1.0) {
    var sum = 0.0;
    for (var t = lid; t < VOCAB; t += WG) {
      let value = logits[row + t];
      if (key_of(value) >= cut) { sum += exp(value - largest); }
    }
    partial[lid] = sum;
    workgroupBarrier();
    for (var width = WG / 2u; width > 0u; width /= 2u) {
      if (lid < width) { partial[lid] += partial[lid + width]; }
      workgroupBarrier();
    }
    let to_mass = MASS_ONE / partial[0];
    var target_mass = max(u32(top_p * MASS_ONE), 1u);
    var prefix = 0u;
    var reached = true;
    for (var pass_index = 0u; pass_index < 4u; pass_index += 1u) {
      let shift = 24u - 8u * pass_index;
      clear_histogram(lid);
      for (var t = lid; t < VOCAB; t += WG) {
        let value = logits[row + t];
        let key = key_of(value);
        if (key >= cut && (pass_index == 0u || (key >> (shift + 8u)) == (prefix >> (shift + 8u)))) {
          atomicAdd(&histogram[(key >> shift) & 255u], u32(exp(value - largest) * to_mass + 0.5));
        }
      }
      find_bin(lid, target_mass);
      // Rounding may leave the mass just short of the target: then everything stays.
      if (found_bin == NOTHING) { reached = false; }
      else {
        prefix |= found_bin << shift;
        target_mass -= found_before;
      }
      workgroupBarrier();
    }
    if (reached) { cut = max(cut, prefix); }
  }

  var lowest = -3.4e38;
  if (min_p > 0.0) { lowest = largest + log(min_p); }
  my_key = 0u;
  my_token = NOTHING;
  for (var t = lid; t < VOCAB; t += WG) {
    let value = logits[row + t];
    if (key_of(value) >= cut && value >= lowest) {
      let key = key_of(value / temperature + gumbel(params[5], params[6], t));
      if (key > my_key) {
        my_key = key;
        my_token = t;
      }
    }
  }
  reduce_best(lid, my_key, my_token);
  if (lid == 0u && result[0] != NOTHING) { result[0] = best_token[0]; }
}
