#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A map as its own video: each pixel in the colour of the object that it belongs
# to, in a window; without a display, the last frame as visionmap.png.
#
#   pipelines/visionmap.sh                a generated scene, as it truly is
#   pipelines/visionmap.sh FILE           what moct finds in it
#   pipelines/visionmap.sh camera         the first camera, or /dev/videoN
#
# FRAMES=100 ends it after 100 frames.
set -euo pipefail
# shellcheck source=pipelines/common.sh
. "$(dirname "$0")/common.sh"

input=${1:-test}
if has_display; then
  show=(videoconvert ! autovideosink)
else
  : "${FRAMES:=30}"
  show=(pngenc ! multifilesink location=visionmap.png)
fi
if [ "$input" = test ]; then
  source=(visiontestsrc label-map=true ${FRAMES:+num-buffers="$FRAMES"})
else
  choose_source "$input"
  choose_colours "$input"
  source+=(! moct objects="$colours" label-map=true)
fi
launch "${source[@]}" ! visionmap kind=labels ! "${show[@]}"
