#!/bin/bash -eu
# Builds the libFuzzer targets of fuzz/ as ClusterFuzzLite and OSS-Fuzz require. The sources are in
# $SRC/fusillade. $CC and $CXX compile them with $CFLAGS and $CXXFLAGS, and $LIB_FUZZING_ENGINE is
# linked. The targets go to $OUT. They run where only glibc is installed.
# Arguments name targets, as in  build.sh fuzz_parse_npy. Without arguments all targets are built.
targets=(fuzz_parse_case fuzz_parse_ir fuzz_parse_script fuzz_parse_npy fuzz_parse_zip
  fuzz_parse_pickle fuzz_parse_archive fuzz_parse_exported fuzz_parse_onnx
  fuzz_differential)
[ $# -eq 0 ] || targets=("$@")

# The distribution's LLVM, fmt and GoogleTest are built with libstdc++.
export CXXFLAGS=${CXXFLAGS//-stdlib=libc++/}
build=${WORK:-/tmp}/fusillade
cmake -G Ninja -S "$SRC/fusillade" -B "$build" -DCMAKE_BUILD_TYPE=Release -DFUSILLADE_PORTABLE=ON \
  -DFUSILLADE_LIBFUZZER=ON "-DFUSILLADE_FUZZING_ENGINE=$LIB_FUZZING_ENGINE"
ninja -C "$build" "${targets[@]}"

suites=$SRC/fusillade/suites
# What mutations of an archive seldom reach: the text within it.
texts=${WORK:-/tmp}/exported_seeds
python3 "$suites/python/exported_programs/seeds.py" "$texts" "$suites"/golden/exported/*.pt2
for target in "${targets[@]}"; do
  cp "$build/$target" "$OUT/"
  case $target in
    fuzz_parse_case) seeds=$(find "$suites/golden" "$suites/regress" -name '*.case') ;;
    fuzz_parse_exported) seeds=$(find "$suites/golden/exported" "$texts" -type f) ;;
    fuzz_parse_ir) seeds=$(find "$suites/golden" -name '*.ir') ;;
    fuzz_parse_onnx) seeds=$(find "$suites/golden" -name '*.onnx') ;;
    fuzz_parse_script) seeds=$(find "$SRC/fusillade/bench/programs" -name '*.py') ;;
    *) seeds= ;;
  esac
  # shellcheck disable=SC2086  # names of ours, without spaces
  [ -z "$seeds" ] || python3 -m zipfile -c "$OUT/${target}_seed_corpus.zip" $seeds
  # Of the target's name, for libFuzzer to take it.
  words=$SRC/fusillade/fuzz/dictionaries/${target#fuzz_parse_}.dict
  [ ! -e "$words" ] || cp "$words" "$OUT/$target.dict"
  # Much of a run's memory is LLVM's.
  printf '[libfuzzer]\nrss_limit_mb = 4096\nmax_len = 65536\n' >"$OUT/$target.options"
done
