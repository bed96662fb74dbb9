#!/usr/bin/env bash
# Configures and builds one preset, and prints how long it took:  ci/build.sh release [targets...]
set -euo pipefail
case "${1:-}" in --help | -h) sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"; exit ;; esac
cd "$(dirname "$0")/.."
preset=${1:?a preset: release, dev, fuzz or portable}
shift
start=$(date +%s)
cmake --preset "$preset" ${FUSILLADE_CMAKE_FLAGS:-} >"/tmp/fusillade-configure-$$.log" 2>&1 ||
  { cat "/tmp/fusillade-configure-$$.log" >&2; exit 1; }
rm -f "/tmp/fusillade-configure-$$.log"
ninja -C "build/$preset" "$@"
echo "build: $preset in $(($(date +%s) - start)) s"
