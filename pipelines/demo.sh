#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Sets up, builds, and runs every element: prints what was found against the
# truth, and leaves pictures in the folder demo-output.
#
#   pipelines/demo.sh                    generated scenes
#   pipelines/demo.sh FILE [OBJECTS]     a clip, a picture or /dev/videoN
#
# OBJECTS is what moct shall look for, as in moct.sh.  FRAMES=100 looks at 100
# frames.  A clip is shown to moct and to what shows results; the other
# elements, which need depth, two cameras or many channels, run on generated
# scenes only.
set -euo pipefail
# shellcheck source=pipelines/common.sh
. "$(dirname "$0")/common.sh"
take_at_most 2 "$@"
[ -z "$record$json" ] || {
  echo "the demo names its files itself; OUTPUT is their folder" >&2
  exit 2
}
"$root/setup.sh"

input=${1:-test}
output=${OUTPUT:-$root/demo-output}
place=$(spelled "$output") # in launch lines

heading () {
  [ -z "$stopped" ] || exit "$stopped" # by Ctrl-C, for example
  printf '\n%s\n%s\n\n' "$1" "${1//?/-}"
}

# Every results line goes to moct.json.
numbers () {
  heading 'moct and visionjson: what was found'
  launch "${source[@]}" ! moct objects="$(spelled "$colours")" ! \
    visionjson location="$place/moct.json" ! fakesink sync=false
  "$root/pipelines/report.py" "$output/moct.json"
}

# A picture a second.
pictures () {
  local name=$1
  shift
  launch "${source[@]}" ! moct objects="$(spelled "$colours")" "$@" ! \
    videorate drop-only=true ! video/x-raw,framerate=1/1 ! videoconvert ! \
    pngenc ! multifilesink location="$place/$name-%02d.png" sync=false
}

# A robot that starts to drive, and what a tracker makes of it.
robot () {
  # shellcheck disable=SC2054 # the commas are of caps
  local room=(visiontestsrc pattern=rgbd path=towards speed=3
    motion-start=10 num-buffers="$FRAMES" ! video/x-raw,framerate=30/1)
  heading 'gpuccl: the robot that starts to drive in frame 10'
  launch "${room[@]}" ! gpuccl ! \
    visionjson location="$place/gpuccl.json" ! fakesink sync=false
  "$root/pipelines/report.py" "$output/gpuccl.json"
  heading 'gpuccl: what does not fit the room, and what it takes for an object'
  launch "${room[@]}" ! gpuccl ! visionmap kind=correspondence ! \
    visionoverlay states=new+accepted+rejected show-truth=true ! videorate drop-only=true ! \
    video/x-raw,framerate=1/1 ! pngenc ! \
    multifilesink location="$place/robot-%02d.png" sync=false
}

# The room and the robot as models that are made while the camera moves.
models () {
  # shellcheck disable=SC2054 # the commas are of caps
  local room=(visiontestsrc pattern=rgbd path=towards speed=3
    motion-start=10 num-buffers=60 !
    video/x-raw,width=320,height=240,framerate=30/1)
  local tracker=(kinfumot maps=correspondence+depth+rendered voxel-size=0.01
    truncation=0.04 ! gpuccl min-size=875 min-extent=8 label-map=false)
  heading 'kinfumot: where the robot is that starts to drive in frame 10'
  launch "${room[@]}" ! "${tracker[@]}" ! \
    visionjson location="$place/kinfumot.json" ! \
    visionmap kind=rendered ! visionoverlay states=tracking show-truth=true ! \
    videoconvert ! videorate drop-only=true ! video/x-raw,framerate=1/1 ! \
    pngenc ! multifilesink location="$place/models-%02d.png" sync=false
  "$root/pipelines/report.py" "$output/kinfumot.json"
}

# What two cameras see of a room.
stereo () {
  local room=(visiontestsrc pattern=stereo noise=1)
  heading 'pocstereo: points of a room seen by two cameras'
  "$root/pipelines/apps/disparity.py"
  heading 'pocstereo: every pixel; what is near is red'
  launch "${room[@]}" view=side-by-side num-buffers=2 ! \
    pocstereo max-disparity=64 output=colormap ! pngenc ! \
    multifilesink location="$place/stereo-%02d.png" sync=false
}

# Targets of the ground's colour, told from it by their spectra.
spectra () {
  local scene=(visiontestsrc pattern=multispectral channels=8 n-objects=2
    occlusion=false)
  heading 'emdtrack: two targets that only their spectra tell from the ground'
  launch "${scene[@]}" num-buffers=10 ! \
    emdtrack targets='target 1:93,167,111,111;target 2:486,268,99,97' ! \
    visionjson location="$place/emdtrack.json" ! fakesink sync=false
  "$root/pipelines/report.py" "$output/emdtrack.json"
}

# The first frame of that scene as a camera's software writes it.
cube () {
  heading 'envisrc and emdtrack: a cube of ENVI; what is like target 1 is blue'
  launch visiontestsrc pattern=multispectral channels=8 n-objects=2 \
    occlusion=false num-buffers=1 ! filesink location="$place/cube.raw"
  printf '%s\n' ENVI 'samples = 640' 'lines = 480' 'bands = 8' \
    'data type = 12' 'interleave = bsq' 'byte order = 0' >"$output/cube.hdr"
  launch envisrc location="$place/cube.hdr" num-buffers=1 ! \
    emdtrack targets='target 1:93,167,111,111' emd-map=true ! \
    visionmap kind=emd ! visionoverlay ! pngenc ! \
    multifilesink location="$place/cube-%02d.png"
}

# Solids that were dropped on a table.
solids () {
  local scene=(visiontestsrc pattern=clutter seed=1003 num-buffers=2) solid
  heading 'scopedetect: where two of eight solids lie, and how they are turned'
  for solid in drill camera; do
    "$build/tools/vision-model" --solid $solid "$output/$solid.model"
  done
  launch "${scene[@]}" view=color ! video/x-raw,format=RGB ! queue ! \
    s.sink_color "${scene[@]}" view=depth ! queue ! s.sink_depth \
    scopedetect name=s queries=3000 clusters=100 \
    models="$place/drill.model,$place/camera.model" ! \
    visionjson location="$place/scopedetect.json" ! visionoverlay ! pngenc ! \
    multifilesink location="$place/solids-%02d.png" sync=false
  "$root/pipelines/report.py" "$output/scopedetect.json"
}

mkdir -p "$output"
rm -f "$output"/*.png "$output"/*.json
: "${FRAMES:=120}"
choose_source "$input"
choose_colours "$input"
[ $# -lt 2 ] || colours=$2

exec 2>&1 # launch lines in their places
numbers
heading 'visionoverlay: each object with its box, name, number and trail'
pictures overlay trajectory=full ! visionoverlay
heading 'visionmap: the colour of each pixel, as moct saw it'
pictures labels label-map=true ! visionmap kind=labels
heading 'visionmeta: after scaling, boxes fit the smaller frame'
pictures small ! videoscale ! video/x-raw,width=320,height=240 ! visionmeta ! \
  visionoverlay
if [ "$input" = test ]; then
  robot
  if gst-inspect-1.0 kinfumot >/dev/null; then # it may be left out
    models
  fi
  stereo
  spectra
  cube
  solids
fi

heading "Pictures in $output"
ls "$output"
