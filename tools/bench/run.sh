#!/usr/bin/env bash
# Runs the packed benchmark on a bare machine: unpacks it beside a temporary folder and hands its arguments on.
# HOTSET_TOOL=kit runs the check against the reference models in its stead, HOTSET_TOOL=residency the expert pools, HOTSET_TOOL=profile the
# cost of recording, HOTSET_TOOL=hotset the command line (eval with --text: the default text stays behind).
# HOTSET_BENCH_DIR keeps the unpacked files for the next run.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dir=${HOTSET_BENCH_DIR:-$(mktemp -d)}
mkdir -p "$dir"
[ -x "$dir/bin/node" ] || tar -C "$dir" -xJf "$here/runtime.tar.xz"
tar -C "$dir" -xJf "$here/program.tar.xz"

# Containers often have NVIDIA's driver without its manifest where the loader looks.
if [ -z "${VK_DRIVER_FILES:-}" ]; then
  for icd in /usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json /usr/share/vulkan/icd.d/nvidia_icd.json \
    /etc/vulkan/icd.d/nvidia_icd.json; do
    if [ -e "$icd" ]; then
      export VK_DRIVER_FILES=$icd
      break
    fi
  done
fi
if [ -d "$dir/lib" ] && ! ldconfig -p 2>/dev/null | grep -q 'libvulkan\.so\.1'; then
  export LD_LIBRARY_PATH="$dir/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi
exec "$dir/bin/node" --max-old-space-size=16384 "$dir/tools/${HOTSET_TOOL:-bench}/main.mjs" "$@"
