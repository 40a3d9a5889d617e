#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A map as its own video: each pixel in the colour of the object that it belongs
# to, in a window; without a display, the last frame as visionmap.png.
#
#   pipelines/visionmap.sh                a generated scene, as it truly is
#   pipelines/visionmap.sh FILE           what moct finds in it, or in a sequence of
#                                         pictures, 'frame-%04d.jpg'
#   pipelines/visionmap.sh camera         the first camera, or camera:NAME,
#                                         /dev/videoN, rtsp://…
#
# START is the number of the first picture of a sequence (0, or 1).  FRAMES=100
# ends it after 100 frames.  --help tells options for recordings.
set -euo pipefail
# shellcheck source=pipelines/common.sh
. "$(dirname "$0")/common.sh"
take_at_most 1 "$@"

input=${1:-test}
is_shown || : "${FRAMES:=30}"
if [ "$input" = test ]; then
  source=(visiontestsrc label-map=true ${FRAMES:+num-buffers="$FRAMES"})
else
  choose_source "$input"
  choose_colours "$input"
  source+=(! moct objects="$(spelled "$colours")" label-map=true)
fi
if is_shown; then
  choose_results visionmap kind=labels
else
  results=(${json:+visionjson location="$(spelled "$json")" !} visionmap kind=labels !
    pngenc ! multifilesink location=visionmap.png)
fi
launch "${source[@]}" ! "${results[@]}"
