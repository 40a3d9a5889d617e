#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Makes the pictures of docs/gallery.md, by the lines that stand there: those of real
# footage from VISION_TEST_DATA, the others from generated scenes. The plug-in is
# found by GST_PLUGIN_PATH, vision-model in BUILD:
#
#   VISION_TEST_DATA=FOLDER BUILD=build meson devenv -C build docs/plots/gallery.sh
set -euo pipefail
cd "$(dirname "$0")/../gallery"

made=$(mktemp -d)
trap 'rm -r "$made"' EXIT

# picture NAME HEIGHT WORDS...: the last frame, of 640 x HEIGHT pixels, of a launch
# line, at three quarters of its size
picture () {
  local name=$1 height=$2
  shift 2
  gst-launch-1.0 -q "$@" ! videoconvert ! "video/x-raw,width=640,height=$height" ! \
    videoscale add-borders=false ! \
    "video/x-raw,format=I420,width=480,height=$((height * 3 / 4))" ! \
    jpegenc quality=82 ! multifilesink location="$name.jpg"
}

clip () {
  source=(filesrc location="$VISION_TEST_DATA/$1" ! decodebin ! videoconvert !
    identity eos-after="$2")
}

clip emd/bottles/bottle-detection.mp4 121
picture moct 360 "${source[@]}" ! moct objects=cap:roi=84,111,24,18 min-area=150 ! \
  visionoverlay
clip emd/bottles/bottle-detection.mp4 121
picture emdtrack 360 "${source[@]}" ! \
  emdtrack targets=cap:85,109,27,22 emd-map=true ! visionoverlay map=emd
picture spectra 480 visiontestsrc pattern=multispectral channels=8 num-buffers=10 ! \
  video/x-raw,height=3840 ! emdtrack targets=target:58,76,74,74 emd-map=true ! \
  visionmap kind=emd ! visionoverlay
picture gpuccl 480 filesrc location="$VISION_TEST_DATA/ccl/nvblox/mask_21.png" ! \
  pngdec ! videoconvert ! video/x-raw,format=GRAY8 ! gpuccl frames=1 min-size=500 ! \
  visionmap kind=labels ! visionoverlay
picture kinfumot 480 visiontestsrc pattern=rgbd path=towards num-buffers=70 ! \
  kinfumot maps=correspondence+depth+rendered ! gpuccl label-map=false ! \
  visionmap kind=rendered ! visionoverlay states=new+tracking+found+accepted
picture pocstereo 480 visiontestsrc pattern=stereo view=side-by-side num-buffers=2 ! \
  pocstereo max-disparity=64 output=colormap
for solid in mug bottle duck bracket drill; do
  "$BUILD/tools/vision-model" --solid "$solid" "$made/$solid.model"
done
picture scopedetect 480 visiontestsrc pattern=clutter view=color num-buffers=1 ! \
  video/x-raw,format=RGB ! queue ! s.sink_color \
  visiontestsrc pattern=clutter view=depth num-buffers=1 ! queue ! s.sink_depth \
  scopedetect name=s models="$(printf '%s,' "$made"/*.model | sed 's/,$//')" ! \
  visionoverlay
