#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Everything that needs a GPU, in one run: builds, tests, looks for races and
# bad accesses, and measures.  What it prints is what docs/performance.md
# quotes.
#
#   tests/gpu.sh [BUILD [OUT]]     BUILD: build-gpu; OUT: a folder for the logs
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build-gpu}
out=${2:-$build/gpu}
mkdir -p "$out"

[ -e "$build/build.ninja" ] || meson setup "$build" -Dcuda=enabled -Dintrospection=disabled \
  >"$out/setup.log" || { tail -20 "$out/setup.log"; exit 1; }
ninja -C "$build" >"$out/build.log" || { tail -20 "$out/build.log"; exit 1; }
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader

meson test -C "$build" --suite algorithms --suite elements --num-processes 8 \
  --print-errorlogs >"$out/tests.log" 2>&1 || failed=1
grep -E '^ *[0-9]+/[0-9]+|^(Ok|Fail|Skipped|Timeout)' "$out/tests.log" || true

: >"$out/sanitizer.log"
for tool in memcheck racecheck; do
  for test in 'moct cuda' 'overlay cuda' 'gpuccl parity run' 'pocstereo parity' \
    'emdtrack parity short' 'scopedetect parity'; do
    summary=$(timeout 240 compute-sanitizer --tool $tool \
      --error-exitcode 9 "$build"/tests/test-$test 2>&1 | grep SUMMARY) ||
      failed=1
    echo "$tool $test: ${summary:-no summary}" | tee -a "$out/sanitizer.log"
  done
done

export GST_PLUGIN_PATH=$PWD/$build/gst
export LD_LIBRARY_PATH=$PWD/$build/gst/meta${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
objects=$("$build/tests/bench/bench-element" --palette)

# The same pipeline on the CPU and with its frames in CUDA memory: the same
# pictures and the same results, byte for byte.
for where in cpu cuda; do
  to_gpu=() from_gpu=()
  [ $where = cpu ] || to_gpu=(cudaupload !) from_gpu=(cudadownload !)
  gst-launch-1.0 -q visiontestsrc num-buffers=60 ! \
    video/x-raw,format=NV12,width=640,height=480 ! "${to_gpu[@]}" \
    moct name=moct backend=$where objects="$objects" ! \
    visionjson location="$out/$where.json" ! visionoverlay backend=$where \
    show=box+centroid+orientation+trail ! \
    "${from_gpu[@]}" filesink location="$build/$where.raw" 2>"$out/$where.log" ||
    failed=1
done
cmp "$out/cpu.json" "$out/cuda.json" && cmp "$build/cpu.raw" "$build/cuda.raw" &&
  echo "pipeline: $(wc -l <"$out/cuda.json") frames alike on CPU and GPU" || failed=1

# Depth, which comes in system memory, and its label map in colours.
for where in cpu cuda; do
  gst-launch-1.0 -q visiontestsrc pattern=rgbd speed=4 motion-start=5 \
    num-buffers=60 ! gpuccl name=gpuccl backend=$where ! \
    visionjson location="$out/gpuccl-$where.json" ! visionmap kind=labels ! \
    filesink location="$build/$where.raw" 2>"$out/gpuccl-$where.log" || failed=1
done
# where the label map lies is all that may differ
sed -i 's/"memory":"cuda"/"memory":"system"/' "$out/gpuccl-cuda.json"
cmp "$out/gpuccl-cpu.json" "$out/gpuccl-cuda.json" &&
  cmp "$build/cpu.raw" "$build/cuda.raw" &&
  echo "gpuccl: $(wc -l <"$out/gpuccl-cuda.json") frames alike on CPU and GPU" ||
  failed=1

# Things on a table; depth comes in system memory.
models=
for solid in mug duck drill; do
  "$build/tools/vision-model" --quiet --solid $solid "$out/$solid.model" \
    >"$out/$solid.log" || failed=1
  models+=$out/$solid.model,
done
for where in cpu cuda; do
  to_gpu=()
  [ $where = cpu ] || to_gpu=(cudaupload !)
  gst-launch-1.0 -q visiontestsrc pattern=clutter view=color num-buffers=6 ! \
    video/x-raw,format=RGBA,width=640,height=480 ! "${to_gpu[@]}" queue ! \
    s.sink_color visiontestsrc pattern=clutter view=depth num-buffers=6 ! \
    video/x-raw,format=GRAY16_LE,width=640,height=480 ! queue ! s.sink_depth \
    scopedetect name=s backend=$where models="${models%,}" ! \
    visionjson location="$out/scopedetect-$where.json" ! fakesink \
    2>"$out/scopedetect-$where.log" || failed=1
done
cmp "$out/scopedetect-cpu.json" "$out/scopedetect-cuda.json" &&
  echo "scopedetect: $(wc -l <"$out/scopedetect-cuda.json") frames alike on CPU" \
    "and GPU" || failed=1

"$build/tests/test-moct" --bench | tee "$out/moct.csv"
OMP_NUM_THREADS=1 "$build/tests/test-moct" --bench cpu row 1 | tail -2
OMP_NUM_THREADS=1 "$build/tests/test-moct" --bench cpu row 2 | tail -2
"$build/tests/test-overlay" --bench | tee "$out/overlay.txt"
"$build/tests/test-moct_methods" --bench >"$out/moct_methods.csv"
"$build/tests/test-gpuccl" --bench algorithm 0 | tee "$out/gpuccl.csv"
"$build/tests/test-gpuccl" --bench size 0 >"$out/gpuccl-vga.csv"
"$build/tests/test-gpuccl" --bench figures >"$out/gpuccl-figures.csv"
"$build/tests/test-pocstereo" --bench | tee "$out/pocstereo.csv"
for threads in 1 "$(nproc)"; do
  OMP_NUM_THREADS=$threads "$build/tests/test-pocstereo" --bench cpu
done | tee "$out/pocstereo-cpu.csv"

"$build/tests/test-scopedetect" --bench | tee "$out/scopedetect.txt"
"$build/tests/test-scopedetect_accuracy" --bench \
  >"$out/scopedetect-accuracy.txt" || [ $? = 77 ] || failed=1
"$build/tests/test-emdtrack" --bench cuda | tee "$out/emdtrack.csv"
"$build/tests/test-emdtrack" --bench figures >"$out/emdtrack-figures.csv"

for memory in '(memory:CUDAMemory)' ''; do
  for element in moct 'visionoverlay' ; do
    "$build/tests/bench/bench-element" \
      "video/x-raw$memory,format=NV12,width=1920,height=1080,framerate=30/1" \
      moct "objects=\"$objects\"" $([ $element = moct ] || echo "! $element") \
      2>/dev/null
  done
done | sed 's/objects="[^"]*"/objects=…/' | tee "$out/element.txt"
python3 tests/bench/peers.py 2>/dev/null | tee "$out/peers.txt" || true
exit "${failed:-0}"
