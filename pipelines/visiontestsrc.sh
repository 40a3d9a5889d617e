#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A generated scene and the truth about it: a window that shows it; without a
# display, a JSON line a frame with each object's name, place and area.
#
#   pipelines/visiontestsrc.sh                     640 x 480
#   pipelines/visiontestsrc.sh 1920x1080
#   pipelines/visiontestsrc.sh 640x480 n-objects=12 distractors=20 seed=3
#   pipelines/visiontestsrc.sh 512x424 pattern=rgbd path=frontal
#   pipelines/visiontestsrc.sh 1280x480 pattern=stereo view=side-by-side
#   pipelines/visiontestsrc.sh 640x480 pattern=multispectral channel-layout=mosaic
#
# FRAMES=100 ends it after 100 frames.  --help tells options for recordings.
set -euo pipefail
# shellcheck source=pipelines/common.sh
. "$(dirname "$0")/common.sh"

size=${1:-640x480}
shift || true
[[ $size =~ ^[1-9][0-9]*x[1-9][0-9]*$ ]] || {
  echo "a size is written 640x480, before properties; this is \"$size\"" >&2
  exit 2
}
caps=video/x-raw,width=${size%x*},height=${size#*x},framerate=30/1

take_properties "$@"
choose_results queue
launch visiontestsrc ${FRAMES:+num-buffers="$FRAMES"} \
  ${properties[@]+"${properties[@]}"} ! "$caps" ! \
  "${results[@]}"
