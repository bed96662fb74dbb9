#!/bin/sh
# Takes the counts of campaigns anew:  cmake/profile/take.sh
#
# Builds `fusillade` with counters in build/profile (some minutes), runs four campaigns of 1,500
# programs, whose findings do not matter here, and writes cmake/profile/campaign.profdata. To see
# which files belong to sources.txt:
#   perf record -o OUT.data build/release/fusillade fuzz --runs 900 --seed 1 --jobs 1 --out OUT
#   perf report -i OUT.data
set -e
case "${1:-}" in --help | -h) sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"; exit ;; esac
[ $# -eq 0 ] || { echo "take.sh: takes no words" >&2; exit 1; }
cd "$(dirname "$0")/../.."
cmake --preset release -B build/profile -DFUSILLADE_PROFILE=write -DFUSILLADE_UNITED=OFF
ninja -C build/profile fusillade
rm -rf build/profile/counts
mkdir build/profile/counts
for seed in 101 303 404 505; do
  LLVM_PROFILE_FILE="$PWD/build/profile/counts/%p.profraw" build/profile/fusillade fuzz \
    --runs 1500 --seed "$seed" --jobs 1 --out "build/profile/counts/$seed" || test $? -eq 2
done
llvm-profdata-19 merge --sparse -o cmake/profile/campaign.profdata build/profile/counts/*.profraw
