#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Sets up, builds, and runs the tests: those of Meson, some pipelines with a watch
# for leaked objects, and each fuzzer for a moment.  The last line is
# `N passed, N failed, N skipped`.
#
# VISION_TEST_LONG=1 runs all, and the tests of algorithms and elements once more
# under the sanitizers; without it, what is slow and seldom fails is left out:
# tests/README.md lists it.  VISION_TEST_DATA may name a folder with real
# clips; tests that want it are skipped without.  A test that needs a GPU is
# skipped where there is none.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${BUILD:-build}
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
long=${VISION_TEST_LONG-}
left_out=(--no-suite long)
[ "$long" != 1 ] || left_out=()

# Tests of the folder $1; what follows is for Meson.  A line a test.  They share
# the machine with others, so each gets more time than it has when run alone.
meson_tests () {
  local folder=$1
  shift
  rm -f "$folder/meson-logs/testlog.json"
  CK_TIMEOUT_MULTIPLIER=3 meson test -C "$folder" --print-errorlogs \
    --timeout-multiplier 3 "$@" || true
  cat "$folder/meson-logs/testlog.json" >>"$results/meson"
}

# A test that is no test of Meson: a name and a command, which ends with 77 where
# it is skipped.
one_test () {
  local name=$1 status=0 result
  shift
  "$@" >"$results/$name.log" 2>&1 || status=$?
  case $status in
    0) result=OK ;;
    77) result=SKIP ;;
    *) result=FAIL; cat "$results/$name.log" ;;
  esac
  echo "$name $result"
  echo $result >>"$results/other"
}

# Built with what is cheap for compiler and tests together, and no more of it than
# the tests need.
# The scanner of plug-ins has no sanitizer, so it looks only at those of the
# system; ours is then read in the process itself.  Unwinding is slow but right,
# as tests/sanitizer.supp needs it, and short, which halves what it takes.
sanitized () {
  local folder=$build-asan
  unset VISION_TEST_LONG # which makes single tests longer
  [ -f "$folder/build.ninja" ] ||
    meson setup "$folder" -Dcuda=disabled -Dintrospection=disabled \
      -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=g \
      -Dc_args=-g1
  export GST_REGISTRY_1_0=$results/registry
  gst-inspect-1.0 >/dev/null
  GST_REGISTRY_FORK=no G_SLICE=always-malloc \
    ASAN_OPTIONS=fast_unwind_on_malloc=0:malloc_context_size=10:detect_stack_use_after_return=1:intercept_tls_get_addr=0 \
    LSAN_OPTIONS=suppressions=$PWD/tests/sanitizer.supp:print_suppressions=0 \
    UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
    meson_tests "$folder" --suite algorithms --suite elements --no-suite long
}

# Fails where the pipeline does, or where objects outlive it.
leaks_nothing () {
  GST_TRACERS=leaks GST_DEBUG=GST_TRACER:7 GST_DEBUG_NO_COLOR=1 \
    meson devenv -C "$build" gst-launch-1.0 -q "$@" 2>"$results/leaks" ||
    { cat "$results/leaks"; return 1; }
  ! grep -a 'object-alive, type-name=(string)[A-Z]' "$results/leaks"
}

leak_runs () {
  local clip=(visiontestsrc num-buffers=20)
  local table=(visiontestsrc pattern=clutter num-buffers=2)
  one_test leaks-track leaks_nothing "${clip[@]}" ! \
    moct objects='red:#ff0000~30' ! visionoverlay ! visionjson \
    location=/dev/null ! fakesink
  one_test leaks-map leaks_nothing "${clip[@]}" ! \
    moct objects='red:#ff0000~30' label-map=true ! visionmap kind=labels ! \
    fakesink
  one_test leaks-gpuccl leaks_nothing visiontestsrc pattern=rgbd speed=4 \
    motion-start=2 num-buffers=20 ! gpuccl ! visionmap kind=labels ! \
    visionjson location=/dev/null ! fakesink
  one_test leaks-pocstereo leaks_nothing visiontestsrc pattern=stereo \
    view=side-by-side num-buffers=2 ! video/x-raw,width=320,height=120 ! \
    pocstereo max-disparity=32 ! visionmap kind=disparity ! fakesink
  one_test leaks-emdtrack leaks_nothing visiontestsrc num-buffers=5 ! \
    emdtrack targets=it:300,200,60,60 emd-map=true ! visionmap kind=emd ! \
    fakesink
  one_test model "$build/tools/vision-model" --solid camera \
    "$results/camera.model"
  one_test leaks-scopedetect leaks_nothing "${table[@]}" view=color ! queue ! \
    s.sink_color "${table[@]}" view=depth ! queue ! s.sink_depth \
    scopedetect name=s queries=1000 clusters=50 \
    models="$results/camera.model" ! visionoverlay ! fakesink
  one_test leaks-mirror leaks_nothing "${clip[@]}" ! \
    moct objects='red:#ff0000~30' ! videoscale ! \
    video/x-raw,width=160,height=120 ! visionmeta ! fakesink
}

summary () {
  python3 - "$results" <<'PYTHON'
import collections, json, pathlib, sys

folder = pathlib.Path(sys.argv[1])
count = collections.Counter()
for line in (folder / "meson").read_text().splitlines():
    count[json.loads(line)["result"]] += 1
count.update((folder / "other").read_text().split())
passed = count.pop("OK", 0) + count.pop("EXPECTEDFAIL", 0)
skipped = count.pop("SKIP", 0)
failed = sum(count.values())
print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(1 if failed or not passed else 0)
PYTHON
}

# All that has a build of its own, beside the rest: while one waits, the other
# works.  Last come tests that keep all processors busy.
instrumented () {
  one_test fuzz env BUILD="$build-fuzz" tests/fuzz/run.sh 0
  echo "fuzzers: $SECONDS s"
  [ "$long" = 1 ] || return 0
  sanitized
  echo "sanitized: $SECONDS s"
}

./setup.sh
instrumented >"$results/instrumented" 2>&1 &
echo "built: $SECONDS s"
meson_tests "$build" "${left_out[@]}"
leak_runs
echo "plain: $SECONDS s"
status=0
wait $! || status=$?
cat "$results/instrumented"
[ $status = 0 ] || exit $status
summary
