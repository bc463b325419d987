#!/usr/bin/env bash
# Runs bench:residency in a carried Chromium on a bare machine, on its graphics card. Arguments are the benchmark's.
# Before, each of chromium.part.* was copied to HOTSET_CHROMIUM_DIR (default /tmp/cr), and bundle.ts's .carry/ to
# HOTSET_CARRY (default /tmp/carry). HOTSET_SOFTWARE=1 takes SwiftShader instead of a card; HOTSET_CHROMIUM_FLAGS are added.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dir=${HOTSET_CHROMIUM_DIR:-/tmp/cr}
shell="$dir/usr/lib/chromium"

if [ ! -x "$dir/chromium" ]; then
  cat "$dir"/chromium.part.* | tar -C "$dir" -x
  if command -v dpkg-deb >/dev/null; then
    dpkg-deb -x "$dir/shell.deb" "$dir"
  else
    (cd "$dir" && ar x shell.deb data.tar.xz && tar -xJf data.tar.xz)
  fi
  tar -C "$dir" -xJf "$dir/rest.tar.xz"
  mv "$dir"/common/* "$shell/"
  rm -f "$dir"/chromium.part.* "$dir/shell.deb" "$dir/rest.tar.xz" "$dir/data.tar.xz"
  # Its libraries are for Chromium alone: Node and the system's tools keep theirs.
  cat >"$dir/chromium" <<EOS
#!/bin/sh
export LD_LIBRARY_PATH="$dir/lib:$shell\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
exec "$shell/chromium-headless-shell" \${HOTSET_CHROMIUM_FLAGS:-} "\$@"
EOS
  chmod +x "$dir/chromium"
fi
mkdir -p "$dir/page"
tar -C "$dir/page" -xJf "$here/page.tar.xz"
hardware=--hardware
[ "${HOTSET_SOFTWARE:-0}" = 1 ] && hardware=
export CHROMIUM_PATH="$dir/chromium" HOTSET_TOOL=residency
exec "${HOTSET_CARRY:-/tmp/carry}/run.sh" --chromium $hardware --site "$dir/page" "$@"
