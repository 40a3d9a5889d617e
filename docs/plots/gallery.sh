#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Makes the pictures of docs/gallery.md, by the lines that stand there: those of real
# footage from VISION_TEST_DATA, the others from generated scenes. The plug-in is found
# by GST_PLUGIN_PATH, vision-model in BUILD:
#
#   VISION_TEST_DATA=FOLDER BUILD=build meson devenv -C build docs/plots/gallery.sh
set -euo pipefail
cd "$(dirname "$0")/../gallery"

made=$(mktemp -d)
trap 'rm -r "$made"' EXIT

# what is read where README shows a picture small
large=(font-size=28 line-width=4)

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

sweets='red:roi=262,189,52,50;orange:roi=180,185,51,53;green:roi=243,92,52,52'
sweets+=';blue:roi=352,56,51,52;brown:roi=127,246,51,53'
picture moct 552 filesrc location="$VISION_TEST_DATA/moct/opencv/smarties.png" ! \
  pngdec ! videoconvert ! moct objects="$sweets" min-area=400 ! visionoverlay ! \
  videoscale add-borders=false
clip emd/bottles/bottle-detection.mp4 121
picture emdtrack 360 "${source[@]}" ! \
  emdtrack targets=cap:85,109,27,22 emd-map=true ! visionoverlay map=emd "${large[@]}"

picture spectra 480 visiontestsrc pattern=multispectral channels=8 num-buffers=10 ! \
  'video/x-raw,height=3840' ! emdtrack 'targets=target:58,76,74,74' emd-map=true ! \
  visionmap kind=emd ! visionoverlay
picture gpuccl 480 filesrc location="$VISION_TEST_DATA/ccl/nvblox/mask_21.png" ! \
  pngdec ! videoconvert ! video/x-raw,format=GRAY8 ! gpuccl frames=1 min-size=500 ! \
  visionmap kind=labels ! visionoverlay
people=${PEOPLE:-/usr/share/doc/opencv-doc/examples/data/vtest.avi}
picture people 480 filesrc location="$people" ! decodebin ! videoconvert ! \
  identity eos-after=181 ! segmentation test-mode=true ! \
  gpuccl mask-from=alpha connectivity=8 min-size=500 min-fill=0 min-extent=8 ! \
  visionoverlay states=new+accepted "${large[@]}" ! \
  videocrop left=160 right=96 top=48 bottom=144 ! videoscale add-borders=false
picture kinfumot 480 visiontestsrc pattern=rgbd path=towards num-buffers=70 ! \
  kinfumot maps=correspondence+depth+rendered ! gpuccl label-map=false ! \
  visionmap kind=rendered ! visionoverlay states=new+tracking+found+accepted "${large[@]}"

# view SIDE: what comes before the pad of that side
boards=$VISION_TEST_DATA/stereo/opencv_chessboard
view () {
  source+=(filesrc location="$boards/${1}06.jpg" ! jpegdec ! videoconvert !
    'video/x-raw,format=RGB' ! queue ! "p.sink_$1")
}
source=()
view left
view right
picture pocstereo 480 "${source[@]}" pocstereo name=p \
  calibration="$boards/intrinsics_computed.yml,$boards/extrinsics_computed.yml" ! \
  visionoverlay map=disparity

# still FILE FORMAT: what comes before a pad of scopedetect
still () {
  source=(filesrc location="$made/$1.png" ! pngdec ! videoconvert !
    "video/x-raw,format=$2" ! queue ! "s.sink_$1")
}
../plots/pcd_frame.py "$VISION_TEST_DATA/pose/pcl/milk_cartoon_all_small_clorox.pcd" \
  "$made/color.png" "$made/depth.png"
"$BUILD/tools/vision-model" --quiet "$VISION_TEST_DATA/pose/pcl/milk.pcd" \
  "$made/milk.model"
still color RGB
color=("${source[@]}")
still depth GRAY16_LE
picture scopedetect 480 "${color[@]}" "${source[@]}" scopedetect name=s \
  models="$made/milk.model" intrinsics=525,525,319.5,239.5 ! visionoverlay "${large[@]}"
