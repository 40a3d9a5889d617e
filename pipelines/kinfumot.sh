#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The reconstruction of a scene and of what moves in it, from a depth camera that
# may move, too: a window with the models as they are seen; without a display, a
# JSON line a frame.
#
#   pipelines/kinfumot.sh                   a generated room, in which a robot
#                                           starts to drive
#   pipelines/kinfumot.sh 'depth-%06d.png'  a sequence of 16-bit pictures of depth
#   pipelines/kinfumot.sh FOLDER            a recording of the TUM RGB-D benchmark:
#                                           the pictures that depth.txt lists
#   pipelines/kinfumot.sh camera            openni2src
#
# KINFUMOT holds further properties; pictures and cameras need intrinsics:
#   KINFUMOT='intrinsics=585,585,320,240 depth-scale=0.001 mesh-location=room.ply'
# (those of TUM are set).  SHOW=classes shows which model explains each pixel.
# START is the number of the first picture of a sequence (0, or 1).  FRAMES=100
# ends it after 100 frames.  --help tells options for recordings.
set -euo pipefail
# shellcheck source=pipelines/common.sh
. "$(dirname "$0")/common.sh"

input=${1:-test}
read -ra properties <<<"${KINFUMOT-}"
kind=rendered
[ "${SHOW-}" = classes ] && kind=correspondence
show=(visionmap kind="$kind" ! visionoverlay states=new+tracking+found+accepted)

# As links whose names count, which multifilesrc needs.
tum_folder () {
  local n=0 file links
  links=$(mktemp -d)
  # shellcheck disable=SC2064 # the folder is this one
  trap "rm -r '$links'" EXIT
  while read -r _ file; do
    ln -s "$(realpath "$1/$file")" "$links/$(printf %06d $n).png"
    n=$((n + 1))
  done < <(grep -v '^#' "$1/depth.txt")
  pictures "$links/%06d.png"
  # shellcheck disable=SC2054 # the commas are of intrinsics
  properties=(intrinsics=525,525,319.5,239.5 depth-scale=0.0002
    "${properties[@]}")
}

pictures () {
  # shellcheck disable=SC2054 # the commas are of caps
  source=(multifilesrc location="$1" start-index="${START:-0}"
    caps=image/png,framerate=30/1 ${FRAMES:+num-buffers="$FRAMES"} !
    pngdec ! videoconvert ! 'video/x-raw,format=GRAY16_LE')
}

if [ "$input" = test ]; then
  source=(visiontestsrc pattern=rgbd ${FRAMES:+num-buffers="$FRAMES"} !
    'video/x-raw,framerate=30/1')
elif is_sequence "$input"; then
  choose_first "$input"
  need_depth "$first"
  pictures "$input"
elif [ "$input" = camera ]; then
  source=(openni2src sourcetype=depth ! 'video/x-raw,format=GRAY16_LE')
else
  [ -d "$input" ] || {
    echo "$input is no folder; kinfumot needs depth: a sequence of pictures, a" \
      "folder of TUM, or camera; --help tells more" >&2
    exit 1
  }
  need_file "$input/depth.txt"
  tum_folder "$input"
fi

choose_results "${show[@]}"
launch "${source[@]}" ! kinfumot maps=correspondence+depth+rendered \
  "${properties[@]}" ! gpuccl label-map=false ! "${results[@]}"
