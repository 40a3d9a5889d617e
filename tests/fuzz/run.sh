#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Builds the fuzzers with clang, in a folder of their own, and runs them one
# after the other.
#
#   tests/fuzz/run.sh              a minute each
#   tests/fuzz/run.sh 600 ply pcd  ten minutes each of these two
#   tests/fuzz/run.sh 0            the corpora and five thousand inputs, the
#                                  same ones each time: seconds, for tests/run.sh
#
# What a fuzzer finds worth keeping stays in $BUILD/corpus/NAME, and the next run
# goes on from there.  An input that shows a fault stays in $BUILD/found, and the
# script fails; tests/README.md says what to do with it.  Ends with 77 where
# there is no clang with libFuzzer.
set -euo pipefail
cd "$(dirname "$0")/../.."

seconds=${1:-60}
shift || true
build=$(realpath -m "${BUILD:-build-fuzz}")
source=$PWD/tests/fuzz
scratch=$(mktemp -d /dev/shm/fuzz.XXXXXX)
trap 'rm -rf "$scratch"' EXIT

has_libfuzzer () {
  command -v clang >/dev/null &&
    echo 'int LLVMFuzzerTestOneInput (void) { return 0; }' |
    clang -x c -fsanitize=fuzzer,address - -o "$scratch/probe" 2>/dev/null
}

# Runs of seconds take less time than the compiler's optimization, so they go without.
build_all () {
  local cc=clang optimization=1
  [ "$seconds" != 0 ] || optimization=0
  ! command -v ccache >/dev/null || cc='ccache clang'
  [ -f "$build/build.ninja" ] ||
    CC=$cc meson setup "$build" -Dfuzz=enabled -Dcuda=disabled \
      -Dintrospection=disabled -Dtests=disabled -Db_lundef=false \
      -Db_sanitize=address,undefined -Doptimization=$optimization -Dc_args=-g1 \
      >"$scratch/log" 2>&1 ||
    { cat "$scratch/log"; return 1; }
  ninja -C "$build" fuzz >"$scratch/log" 2>&1 ||
    { cat "$scratch/log"; return 1; }
}

# A folder in memory is where the fuzzer $1 is started and writes files.  A small
# file must not cost more than this much time or memory.
run_one () {
  local name=$1 folder=$scratch/$1 how=()
  mkdir -p "$folder" "$build/corpus/$name" "$build/found"
  if [ "$seconds" = 0 ]; then
    how=(-seed=1 -runs="${RUNS:-5000}" -max_total_time=5
      "$folder/corpus" "$source/corpus/$name")
    mkdir "$folder/corpus"
  else
    how=(-max_total_time="$seconds" "$build/corpus/$name" "$source/corpus/$name")
  fi
  [ ! -f "$source/$name.dict" ] || how=(-dict="$source/$name.dict" "${how[@]}")
  (
    cd "$folder"
    FUZZ_DIR=$folder G_SLICE=always-malloc LC_ALL=C.UTF-8 \
      GST_REGISTRY=$build/registry \
      ASAN_OPTIONS=detect_stack_use_after_return=1:quarantine_size_mb=32 \
      LSAN_OPTIONS=suppressions=$source/../sanitizer.supp:print_suppressions=0 \
      UBSAN_OPTIONS=print_stacktrace=1 \
      "$build/tests/fuzz/fuzz-$name" -timeout=10 -rss_limit_mb=1024 \
      -malloc_limit_mb=300 -max_len=4096 -close_fd_mask=3 \
      -print_final_stats=1 -artifact_prefix="$build/found/$name-" "${how[@]}"
  ) >"$scratch/$name.log" 2>&1
}

# The row of the fuzzer $1, which ended with $2.
row () {
  local log=$scratch/$1.log n rate cover
  n=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
  cover=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  printf '%-12s %10s %8s %8s  %s\n' "$1" "${n:-?}" "${rate:-?}" "${cover:-?}" \
    "$([ "$2" = 0 ] && echo OK || echo "FAIL: $(sed -n \
      's/.*Test unit written to //p' "$log" | head -n 1)")"
}

has_libfuzzer || { echo 'no clang with libFuzzer: skipped'; exit 77; }
build_all
names=("$@")
[ ${#names[@]} -gt 0 ] ||
  mapfile -t names < <(cd "$build/tests/fuzz" && find . -maxdepth 1 -type f \
    -name 'fuzz-*' -executable | sed 's/.*fuzz-//' | sort)

failed=0 all=0
printf '%-12s %10s %8s %8s\n' fuzzer inputs per-s places
for name in "${names[@]}"; do
  status=0
  run_one "$name" || status=$?
  row "$name" $status
  n=$(sed -n 's/^stat::number_of_executed_units: *//p' "$scratch/$name.log")
  all=$((all + ${n:-0}))
  [ $status = 0 ] || { failed=1; tail -n 60 "$scratch/$name.log"; }
done
printf '%-12s %10s\n' all "$all"
exit $failed
