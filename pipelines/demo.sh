#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Sets up, builds, and runs every element: prints what was found against the
# truth, and leaves pictures in the folder demo-output.
#
#   pipelines/demo.sh                    generated scenes
#   pipelines/demo.sh FILE [OBJECTS]     a clip, a picture or /dev/videoN
#
# OBJECTS is what moct shall look for, as in moct.sh.  FRAMES=100 looks at so
# many frames.  What gpuccl finds is shown in a scene of its own.
set -euo pipefail
"$(dirname "$0")/../setup.sh"
# shellcheck source=pipelines/common.sh
. "$(dirname "$0")/common.sh"

input=${1:-test}
output=${OUTPUT:-$root/demo-output}

heading () {
  printf '\n%s\n%s\n\n' "$1" "${1//?/-}"
}

# Every results line goes to moct.json.
numbers () {
  heading 'moct and visionjson: what was found'
  launch "${source[@]}" ! moct objects="$colours" ! \
    visionjson location="$output/moct.json" ! fakesink sync=false
  "$root/pipelines/report.py" "$output/moct.json"
}

# A picture a second.
pictures () {
  local name=$1
  shift
  launch "${source[@]}" ! moct objects="$colours" "$@" ! \
    videorate drop-only=true ! video/x-raw,framerate=1/1 ! videoconvert ! \
    pngenc ! multifilesink location="$output/$name-%02d.png" sync=false
}

# A robot that starts to drive, and what a tracker makes of it.
robot () {
  # shellcheck disable=SC2054 # the commas are of caps
  local room=(visiontestsrc pattern=rgbd path=towards speed=3
    motion-start=10 num-buffers="$FRAMES" ! video/x-raw,framerate=30/1)
  heading 'gpuccl: the robot that starts to drive in frame 10'
  launch "${room[@]}" ! gpuccl ! \
    visionjson location="$output/gpuccl.json" ! fakesink sync=false
  "$root/pipelines/report.py" "$output/gpuccl.json"
  heading 'gpuccl: what does not fit the room, and what it takes for an object'
  launch "${room[@]}" ! gpuccl ! visionmap kind=correspondence ! \
    visionoverlay show-truth=true ! videorate drop-only=true ! \
    video/x-raw,framerate=1/1 ! pngenc ! \
    multifilesink location="$output/robot-%02d.png" sync=false
}

# What two cameras see of a room.
stereo () {
  local room=(visiontestsrc pattern=stereo noise=1)
  heading 'pocstereo: points of a room seen by two cameras'
  "$root/pipelines/apps/disparity.py"
  heading 'pocstereo: every pixel; what is near is red'
  launch "${room[@]}" view=side-by-side num-buffers=2 ! \
    pocstereo max-disparity=64 output=colormap ! pngenc ! \
    multifilesink location="$output/stereo-%02d.png" sync=false
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
[ "$input" != test ] || robot
[ "$input" != test ] || stereo

heading "Pictures in $output"
ls "$output"
