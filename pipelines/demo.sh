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
# many frames.
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

heading "Pictures in $output"
ls "$output"
