#!/usr/bin/env bash
# Everything from a bare clone: installs what is missing, builds with warnings as errors, runs all
# tests. There are no options.
set -euo pipefail
case "${1:-}" in --help | -h) sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"; exit ;; esac
[ $# -eq 0 ] || { echo "ci/check.sh: takes no words" >&2; exit 1; }
cd "$(dirname "$0")/.."
start=$(date +%s)
python=${FUSILLADE_PYTHON:-/usr/bin/python3}
passed=0
failed=0

phase() { # name, command...
  local name=$1 began
  shift
  began=$(date +%s)
  if "$@"; then
    passed=$((passed + 1))
    echo "check: $name passed ($(($(date +%s) - began)) s)"
  else
    failed=$((failed + 1))
    echo "check: $name FAILED ($(($(date +%s) - began)) s)"
  fi
}

unit_tests() { # half of them on each core
  local shard half halves=() rc=0
  for shard in 0 1; do
    GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=$shard build/release/unit_tests --gtest_brief=1 &
    halves+=($!)
  done
  for half in "${halves[@]}"; do wait "$half" || rc=1; done
  return $rc
}

ci/setup.sh --peers
ci/setup.sh --lint || echo "check: not all linters could be had; the laws and tests will say so"
ci/setup.sh --slurm || echo "check: no Slurm could be had; the test that starts a cluster says so"
# 220 MB from PyPI; without it the tests that compile CUDA text for a GPU say that they are skipped.
ci/setup.sh --cuda || echo "check: no NVRTC could be had; nothing is compiled for a GPU"
echo "check: set up after $(($(date +%s) - start)) s"
ci/build.sh release
phase "unit and table tests" unit_tests
phase "python tests" "$python" -m pytest -q -rs -p no:cacheprovider -n 2 --dist loadfile \
  reports/tests suites/python ci/tests
phase "laws" "$python" ci/laws.py
phase "planted records" "$python" suites/planted/plant.py check
phase "planted records compile" "$python" suites/planted/plant.py compile build/release
phase "planted slowdowns" "$python" suites/planted/ten.py check
echo "check: done after $(($(date +%s) - start)) s"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
