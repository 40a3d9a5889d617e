#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Everything that needs a GPU, in one run: builds, tests, looks for races and
# bad accesses, compares pipelines on the CPU and in CUDA memory, and measures.
# What it prints is what docs/performance.md quotes.
#
#   tests/gpu.sh [BUILD [OUT [PART...]]]
#
# BUILD: build-gpu; OUT: a folder for the logs; PART: of test, sanitize, compare,
# digest, streams, gpus and measure, all of them without any.  CHECKS, a regular expression such as
# '(memcheck|synccheck) kinfumot', asks sanitize for those of its lines alone.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build-gpu}
out=${2:-$build/gpu}
parts=("${@:3}")
[ ${#parts[@]} -gt 0 ] || parts=(test sanitize compare digest streams gpus measure)
failed=0
mkdir -p "$out"

compile() {
  [ -e "$build/build.ninja" ] ||
    meson setup "$build" -Dcuda=enabled -Dintrospection=disabled \
      >"$out/setup.log" || { tail -20 "$out/setup.log"; exit 1; }
  ninja -C "$build" >"$out/build.log" || { tail -20 "$out/build.log"; exit 1; }
  export GST_PLUGIN_PATH=$PWD/$build/gst
  export LD_LIBRARY_PATH=$PWD/$build/gst/meta${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
}

run_test() {
  meson test -C "$build" --suite algorithms --suite elements \
    --num-processes "$(nproc)" --print-errorlogs >"$out/tests.log" 2>&1 || failed=1
  grep -E '^ *[0-9]+/[0-9]+|^(Ok|Fail|Skipped|Timeout)' "$out/tests.log" || true
}

# sanitize TOOL TEST...: one line with what the tool counted.  A test of which no part
# ran has shown nothing.
sanitize() {
  local log="$*" status=0
  log=$out/${log//[^a-z]/-}.log
  timeout 500 compute-sanitizer --tool "$1" --error-exitcode 9 \
    "$build/tests/test-$2" "${@:3}" >"$log" 2>&1 || status=$?
  grep -q '^ok ' "$log" || status=1
  echo "$*: $(grep -c '^ok ' "$log") parts, $(grep SUMMARY "$log" || echo "no summary, status $status")"
  return "$status"
}

# begin TOOL TEST...: sanitize in the background, once fewer than 16 do so.
begin() {
  [[ "$*" =~ ${CHECKS-} ]] || return 0
  while [ "$(jobs -rp | wc -l)" -ge 16 ]; do wait -n || true; done
  { sanitize "$@" || touch "$out/sanitize.failed"; } &
}

# The slow ones part by part.
run_sanitize() {
  local tool test part
  rm -f "$out/sanitize.failed"
  for tool in memcheck racecheck initcheck synccheck; do
    for test in 'moct cuda' 'overlay cuda' 'pocstereo_output parity' \
      'depthalign parity' 'emdtrack parity short' 'scopedetect parity' \
      'scopedetect_explain parity' 'scopedetect_assign parity' \
      'kinfumot_objects cuda'; do
      # shellcheck disable=SC2086  # a test and its arguments
      begin $tool $test
    done
    for part in 'frames alone' 'large frames' 'many components' 'frames in turn' \
      'filter'; do
      begin $tool gpuccl parity run --only "$part"
    done
    for part in 'every pixel' 'points' 'means of frames' 'offers and choices' \
      "the paper's implementations"; do
      begin $tool pocstereo parity --only "$part"
    done
    for part in camera robot lost full; do
      begin $tool kinfumot cuda --only "$part"
    done
    begin $tool kinfumot parity --only room
  done
  wait
  [ ! -e "$out/sanitize.failed" ] || failed=1
}

# line_on WHERE NAME PIPELINE: the pipeline's words, with the words in capitals replaced
# by what they stand for on the CPU (WHERE is cpu), on any GPU (cuda) or on that of a
# number (cuda1).  OTHER is BACKEND on another of two GPUs.
line_on() {
  local gpu=${1#c*a} where=${1%[0-9]} name=$2-$1 line=$3
  [ -z "$gpu" ] || gpu=cuda-device-id=$gpu
  [ "$where" = cuda ] || gpu=
  line=${line//BACKEND/backend=$where $gpu}
  line=${line//OTHER/backend=$where ${gpu:+${gpu%?}$((1 - ${gpu##*=}))}}
  line=${line//RESULTS/visionjson location=$out/$name.json}
  line=${line//PICTURES/filesink location=$build/$name.raw}
  if [ "$where" = cpu ]; then
    line=${line//UPLOAD/identity} line=${line//DOWNLOAD/identity}
  else
    line=${line//UPLOAD/cudaupload $gpu} line=${line//DOWNLOAD/cudadownload $gpu}
  fi
  echo "$line"
}

launch() {
  # shellcheck disable=SC2068  # a pipeline's words
  timeout 120 gst-launch-1.0 -q $@ 2>"$out/launch.log" ||
    { tail -3 "$out/launch.log"; failed=1; }
}

# compare NAME PIPELINE: on the CPU and with frames in CUDA memory the same
# results and, where the pipeline ends in PICTURES, the same pictures, byte for
# byte; and again on two GPUs in one process, where there are two.
# Where a map lies, how long its rows are, and the element's number may differ.
compare() {
  local name=$1 where alike=(cuda) second
  launch "$(line_on cpu "$@")"
  launch "$(line_on cuda "$@")"
  if [ "$gpus" -ge 2 ]; then
    second=$(line_on cuda1 "$@")
    second=${second//name=s /name=t }
    launch "$(line_on cuda0 "$@")" "${second//s.sink/t.sink}"
    alike+=(cuda0 cuda1)
  fi
  for where in cpu "${alike[@]}"; do
    sed -i -E 's/"memory":"(cuda|system)",?//g; s/"stride":[0-9]+,?//g
      s/"source":"[a-z]+[0-9]*",?//g' \
      "$out/$name-$where.json"
    if ! cmp "$out/$name-cpu.json" "$out/$name-$where.json" ||
      { [ -e "$build/$name-cpu.raw" ] &&
        ! cmp "$build/$name-cpu.raw" "$build/$name-$where.raw"; }; then
      failed=1
      return
    fi
  done
  echo "$name: $(wc -l <"$out/$name-cuda.json") frames alike on CPU and ${alike[*]}"
}

# Where there are two GPUs, one draws the frames and the map of the other.
run_compare() {
  local solid models=
  for solid in mug duck drill; do
    "$build/tools/vision-model" --quiet --solid "$solid" "$out/$solid.model" \
      >"$out/$solid.log" || failed=1
    models+=$out/$solid.model,
  done
  compare moct "visiontestsrc num-buffers=60 ! \
    video/x-raw,format=NV12,width=640,height=480 ! UPLOAD ! \
    moct BACKEND objects=$objects ! RESULTS ! \
    visionoverlay OTHER show=box+centroid+orientation+trail ! DOWNLOAD ! PICTURES"
  compare drawn-map "visiontestsrc num-buffers=20 ! \
    video/x-raw,format=NV12,width=640,height=480 ! \
    moct BACKEND objects=$objects label-map=true ! RESULTS ! \
    visionoverlay OTHER map=labels ! PICTURES"
  compare gpuccl "visiontestsrc pattern=rgbd speed=4 motion-start=5 \
    num-buffers=60 ! gpuccl BACKEND ! RESULTS ! visionmap kind=labels ! PICTURES"
  # Without a queue, so that the event of a new object comes with its frame.
  compare kinfumot "visiontestsrc pattern=rgbd path=frontal speed=3 motion-start=5 \
    num-buffers=60 ! kinfumot BACKEND maps=correspondence+depth+rendered ! \
    gpuccl BACKEND label-map=false ! RESULTS ! visionmap kind=rendered ! PICTURES"
  compare points "visiontestsrc pattern=stereo view=side-by-side num-buffers=6 ! \
    video/x-raw,format=NV12 ! UPLOAD ! \
    pocstereo BACKEND max-disparity=64 mode=points ! RESULTS ! fakesink"
  compare colour "visiontestsrc num-buffers=40 ! video/x-raw,format=RGBA ! UPLOAD ! \
    emdtrack BACKEND targets=a:200,150,60,60 emd-map=true ! RESULTS ! fakesink"
  compare few-trees "visiontestsrc noise=60 num-buffers=6 ! \
    video/x-raw,format=RGBA,width=320,height=240 ! UPLOAD ! \
    emdtrack BACKEND max-trees=64 targets=a:100,75,60,60;b:10,10,30,30 ! \
    RESULTS ! fakesink"
  compare map "visiontestsrc num-buffers=20 ! video/x-raw,format=NV12 ! UPLOAD ! \
    emdtrack BACKEND targets=a:200,150,60,60 histogram=intensity bins=11 \
    output=map ! RESULTS ! PICTURES"
  compare spectra "visiontestsrc pattern=multispectral channels=8 num-buffers=20 ! \
    emdtrack BACKEND targets=a:58,76,74,74 emd-map=true ! RESULTS ! fakesink"
  compare scopedetect "visiontestsrc pattern=clutter view=color num-buffers=6 ! \
    video/x-raw,format=RGBA,width=640,height=480 ! UPLOAD ! queue ! s.sink_color \
    visiontestsrc pattern=clutter view=depth num-buffers=6 ! \
    video/x-raw,format=GRAY16_LE,width=640,height=480 ! queue ! s.sink_depth \
    scopedetect name=s BACKEND models=${models%,} ! RESULTS ! fakesink"
}

# The digests that docs/digests.txt has of the CPU.
run_digest() {
  BUILD=$build tests/digests.py cuda 2>"$out/digest.log" ||
    { [ $? = 77 ] || { tail -3 "$out/digest.log"; failed=1; }; }
}

make_clip() {
  [ -e "$clip" ] || gst-launch-1.0 -q visiontestsrc num-buffers=300 ! \
    video/x-raw,format=I420,width=1920,height=1080 ! openh264enc bitrate=6000000 ! \
    h264parse ! filesink location="$clip" 2>/dev/null || { failed=1; return 1; }
}

# streams DECODER N ELEMENT: a line of bench-streams.
streams() {
  timeout 120 "$build/tests/bench/bench-streams" "$2" \
    "filesrc location=$clip ! h264parse ! $1" "$3"
}

# Many decoders of 1080p in one process, alone and with an element behind them:
# docs/plots/streams.py prints the medians, some of which docs/performance.md quotes.
# kinfumot and scopedetect need depth, which no decoder gives.  STREAMS, TURNS and ELEMENTS
# (a regular expression) ask for less; DECODER, such as 'avdec_h264 ! videoconvert ! video/x-raw,format=NV12', tries this
# without a GPU.
run_streams() {
  local n element
  local decoder=${DECODER:-nvh264dec ! video/x-raw(memory:CUDAMemory)}
  make_clip || return 0
  for _ in $(seq "${TURNS:-3}"); do
    for n in ${STREAMS:-1 2 4 8 16 32 64}; do
      for element in identity 'moct objects=red:hsv=345..15,50..100,25..100' \
        'gpuccl threshold=128 frames=1' 'emdtrack targets=a:200,150,60,60' \
        'pocstereo mode=points packing=side-by-side max-disparity=64' visionoverlay; do
        [[ "$element" =~ ${ELEMENTS-} ]] || continue
        streams "$decoder" "$n" "$element" || failed=1
      done
    done
  done >"$out/streams.txt" 2>"$out/streams.log"
  docs/plots/streams.py <"$out/streams.txt"
}

# Two processes, one a GPU: their frames a second beside those of one alone.
run_gpus() {
  local n element decoder memory='video/x-raw(memory:CUDAMemory)'
  local decoders=("nvh264dec ! $memory" "nvh264device1dec ! $memory")
  if [ "$gpus" -lt 2 ]; then
    echo "gpus: there is one GPU"
    return
  fi
  make_clip || return 0
  for n in ${STREAMS:-64}; do
    for element in identity 'moct objects=red:hsv=345..15,50..100,25..100' \
      'emdtrack targets=a:200,150,60,60'; do
      for decoder in "${decoders[@]}"; do
        streams "$decoder" "$n" "$element" || failed=1
      done
      echo "both at once:"
      streams "${decoders[0]}" "$n" "$element" &
      streams "${decoders[1]}" "$n" "$element" || failed=1
      wait $! || failed=1
    done
  done >"$out/gpus.txt" 2>"$out/gpus.log"
  cat "$out/gpus.txt"
}

run_measure() {
  local threads memory element
  "$build/tests/test-moct" --bench | tee "$out/moct.csv"
  "$build/tests/test-moct" --threads 1 --bench cpu row 1 | tail -2
  "$build/tests/test-moct" --threads 1 --bench cpu row 2 | tail -2
  "$build/tests/test-overlay" --bench | tee "$out/overlay.txt"
  "$build/tests/test-moct_methods" --bench >"$out/moct_methods.csv"
  "$build/tests/test-gpuccl" --bench algorithm 0 | tee "$out/gpuccl.csv"
  "$build/tests/test-gpuccl" --bench size 0 >"$out/gpuccl-vga.csv"
  "$build/tests/test-gpuccl" --bench figures >"$out/gpuccl-figures.csv"
  "$build/tests/test-kinfumot" --bench 0 1 4 | tee "$out/kinfumot.csv"
  "$build/tests/test-pocstereo" --bench | tee "$out/pocstereo.csv"
  for threads in 1 "$(nproc)"; do
    "$build/tests/test-pocstereo" --threads "$threads" --bench cpu
  done | tee "$out/pocstereo-cpu.csv"
  "$build/tests/test-scopedetect" --bench | tee "$out/scopedetect.txt"
  "$build/tests/test-scopedetect_accuracy" --bench \
    >"$out/scopedetect-accuracy.txt" || [ $? = 77 ] || failed=1
  "$build/tests/test-emdtrack" --bench cuda | tee "$out/emdtrack.csv"
  "$build/tests/test-emdtrack" --bench figures >"$out/emdtrack-figures.csv"
  "$build/tests/test-emdtrack" --bench solvers | tee "$out/emdtrack-solvers.csv"
  for memory in '(memory:CUDAMemory)' '' --pool; do
    # shellcheck disable=SC2046  # words of a pipeline
    for element in moct visionoverlay; do
      "$build/tests/bench/bench-element" ${memory##[^-]*} \
        "video/x-raw${memory#--pool},format=NV12,width=1920,height=1080,framerate=30/1" \
        moct "objects=\"$objects\"" $([ "$element" = moct ] || echo "! $element") \
        2>/dev/null
    done
  done | sed 's/objects="[^"]*"/objects=…/' | tee "$out/element.txt"
  python3 tests/bench/peers.py 2>/dev/null | tee "$out/peers.txt" || true
}

compile
objects=$("$build/tests/bench/bench-element" --palette)
gpus=$(nvidia-smi -L | wc -l)
clip=$build/clip.h264
for part in "${parts[@]}"; do
  SECONDS=0
  case $part in
    test) run_test ;;
    sanitize) run_sanitize ;;
    compare) run_compare ;;
    digest) run_digest ;;
    streams) run_streams ;;
    gpus) run_gpus ;;
    measure) run_measure ;;
    *) echo "no part is called $part" >&2; exit 1 ;;
  esac
  echo "$part: $SECONDS s"
done
exit $failed
