#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Moving objects, or the connected components of anything: a window that shows
# each with its box, number and why it is none; without a display, a JSON line a
# frame.
#
#   pipelines/gpuccl.sh                     a generated room, in which a robot
#                                           starts to drive
#   pipelines/gpuccl.sh 'depth-%06d.png'    a sequence of 16-bit pictures: depth,
#                                           of which surfaces are found
#   pipelines/gpuccl.sh FILE                what decodebin can read: a clip of a
#                                           fixed camera, of which what moves
#                                           counts; needs `segmentation` (MOG2), of
#                                           the package gstreamer1.0-opencv
#   MASK=1 pipelines/gpuccl.sh FILE         a mask, of which all that is bright
#                                           counts
#   pipelines/gpuccl.sh camera              the first camera, or camera:NAME,
#                                           /dev/videoN, rtsp://…
#
# GPUCCL holds further properties: GPUCCL='frames=1 min-size=500', for depth
# GPUCCL='intrinsics=585,585,320,240 depth-scale=0.001'.  START is the number of
# the first picture of a sequence (0, or 1).  FRAMES=100 ends it after 100 frames.
# --help tells options for recordings.
set -euo pipefail
# shellcheck source=pipelines/common.sh
. "$(dirname "$0")/common.sh"
take_at_most 1 "$@"

input=${1:-test}
read -ra words <<<"${GPUCCL-}"
[[ ${MASK:-0} =~ ^[01]$ ]] || {
  echo "MASK is 1 for a mask as it is, or 0, not \"$MASK\"" >&2
  exit 2
}
mask=()
draw=(visionoverlay states=new+accepted+rejected)
show=(visionmap kind=labels ! "${draw[@]}")
if [ "$input" = test ]; then
  source=(visiontestsrc pattern=rgbd ${FRAMES:+num-buffers="$FRAMES"} !
    'video/x-raw,framerate=30/1')
  show=(visionmap kind=correspondence ! "${draw[@]}")
elif is_sequence "$input"; then
  choose_first "$input"
  need_depth "$first"
  # shellcheck disable=SC2054 # the commas are of caps
  source=(multifilesrc location="$(spelled "$input")" start-index="${START:-0}"
    caps=image/png,framerate=30/1 ${FRAMES:+num-buffers="$FRAMES"} !
    pngdec ! videoconvert ! 'video/x-raw,format=GRAY16_LE')
else
  [ "${MASK:-0}" = 1 ] || has_element segmentation || {
    echo "what moves is found by segmentation, of the package gstreamer1.0-opencv;" \
      "MASK=1 takes $input for a mask as it is" >&2
    exit 1
  }
  choose_source "$input"
  show=("${draw[@]}" map=labels)
  if [ "${MASK:-0}" = 0 ]; then
    # without test-mode, alpha is no mask; people are narrower and smaller than what
    # the defaults are for
    mask=(! videoconvert ! segmentation test-mode=true)
    words=(mask-from=alpha connectivity=8 min-size=500 min-fill=0 min-extent=8
      ${words[@]+"${words[@]}"})
  fi
fi
take_properties ${words[@]+"${words[@]}"}

choose_results "${show[@]}"
launch "${source[@]}" ${mask[@]+"${mask[@]}"} ! gpuccl "${properties[@]}" ! "${results[@]}"
