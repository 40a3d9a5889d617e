#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Draws docs/choosing-colours.jpg, the pictures of docs/choosing-colours.md, from
# the 30th frame of a generated scene. The plug-in is found by GST_PLUGIN_PATH:
#
#   meson devenv -C build docs/plots/choosing-colours.sh
set -euo pipefail
cd "$(dirname "$0")/.."

line=(compositor name=all)
for i in {0..5}; do
  line+=("sink_$i::xpos=$((i % 3 * 322))" "sink_$i::ypos=$((i < 3 ? 0 : 242))")
done
line+=(! videoconvert ! jpegenc quality=90 !
  multifilesink location=choosing-colours.jpg)

# picture NUMBER ELEMENT ...
picture () {
  line+=(visiontestsrc num-buffers=30 !
    'video/x-raw,format=RGB,width=640,height=480,framerate=30/1' ! "${@:2}" !
    'video/x-raw,format=RGB' ! videoconvert ! videoscale add-borders=false !
    'video/x-raw,width=320,height=240' ! queue ! "all.sink_$1")
}

# labels NUMBER COLOUR
labels () {
  picture "$1" moct "objects=$2" label-map=true ! visionmap kind=labels
}

picture 0 identity
labels 1 'red:#c70d0d~8'
labels 2 'red:#c70d0d~22'
labels 3 'red:#c70d0d~60'
picture 4 moct 'objects=red:#c70d0d~60' min-area=1000 min-roundness=0.9 ! \
  visionoverlay
labels 5 'red:roi=10,69,84,84@0.9'
gst-launch-1.0 -q "${line[@]}"
