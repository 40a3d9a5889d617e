#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Makes the pictures of docs/gallery.md, by the lines that stand there: those of real
# footage from VISION_TEST_DATA, the others from generated scenes; and from four
# scenes docs/elements.jpg. The plug-in is found by GST_PLUGIN_PATH, vision-model in
# BUILD:
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

# What is shown alone and with three others.
spectra=(visiontestsrc pattern=multispectral channels=8 num-buffers=10 !
  'video/x-raw,height=3840' ! emdtrack 'targets=target:58,76,74,74' emd-map=true !
  visionmap kind=emd ! visionoverlay)
room=(visiontestsrc pattern=stereo view=side-by-side num-buffers=2 !
  pocstereo max-disparity=64 output=colormap)
solids=(mug bottle duck drill house)
for solid in "${solids[@]}"; do
  "$BUILD/tools/vision-model" --quiet --solid "$solid" "$made/$solid.model"
done
models=$(printf "$made/%s.model," "${solids[@]}")
table=(visiontestsrc pattern=clutter view=color num-buffers=1 !
  'video/x-raw,format=RGB' ! queue ! s.sink_color
  visiontestsrc pattern=clutter view=depth num-buffers=1 ! queue ! s.sink_depth
  scopedetect name=s models="${models%,}" ! visionoverlay)

picture spectra 480 "${spectra[@]}"
picture gpuccl 480 filesrc location="$VISION_TEST_DATA/ccl/nvblox/mask_21.png" ! \
  pngdec ! videoconvert ! video/x-raw,format=GRAY8 ! gpuccl frames=1 min-size=500 ! \
  visionmap kind=labels ! visionoverlay
picture kinfumot 480 visiontestsrc pattern=rgbd path=towards num-buffers=70 ! \
  kinfumot maps=correspondence+depth+rendered ! gpuccl label-map=false ! \
  visionmap kind=rendered ! visionoverlay states=new+tracking+found+accepted
picture pocstereo 480 "${room[@]}"
picture scopedetect 480 "${table[@]}"

# quarter NUMBER WORDS...: the last frame of a launch line as raw pixels
quarter () {
  gst-launch-1.0 -q "${@:2}" ! videoconvert ! video/x-raw,width=640,height=480 ! \
    videoscale ! video/x-raw,format=RGB,width=480,height=360 ! \
    multifilesink location="$made/$1.raw"
}

quarter 0 visiontestsrc pattern=rgbd path=towards num-buffers=40 ! gpuccl ! \
  visionmap kind=labels ! visionoverlay
quarter 1 "${room[@]}"
quarter 2 "${spectra[@]}"
quarter 3 "${table[@]}"
all=(compositor name=all sink_1::xpos=480 sink_2::ypos=360 sink_3::xpos=480
  sink_3::ypos=360 ! videoconvert ! jpegenc quality=80 !
  filesink location=../elements.jpg)
for number in {0..3}; do
  all+=(filesrc location="$made/$number.raw" !
    rawvideoparse format=rgb width=480 height=360 ! videoconvert ! all.)
done
gst-launch-1.0 -q "${all[@]}"
