#!/usr/bin/env bash
# Builds the portable executable and checks what makes it portable: libraries of glibc alone, no
# symbol newer than GLIBC_2.36, at most 60 MB.
set -euo pipefail
case "${1:-}" in --help | -h) sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"; exit ;; esac
[ $# -eq 0 ] || { echo "ci/portable.sh: takes no words" >&2; exit 1; }
cd "$(dirname "$0")/.."
ci/build.sh portable fusillade
exe=build/portable/fusillade
extra=$(readelf -d "$exe" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
  grep -vE '^(libc|libm|libpthread|libdl|librt|ld-linux-x86-64)\.so\.' || true)
[ -z "$extra" ] || { echo "portable: needs ${extra//$'\n'/ }" >&2; exit 1; }
newest=$(readelf -V "$exe" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
if [ "$(printf '%s\n' "$newest" GLIBC_2.36 | sort -V | tail -n 1)" != GLIBC_2.36 ]; then
  echo "portable: needs $newest" >&2
  exit 1
fi
size=$(stat -c %s "$exe")
[ "$size" -le 60000000 ] || { echo "portable: $size bytes, the cap is 60000000" >&2; exit 1; }
echo "portable: $exe, $size bytes, glibc $newest or newer"
