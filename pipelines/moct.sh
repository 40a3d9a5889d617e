#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Coloured objects, found and followed: a window that shows each with its box,
# name, number and trail; without a display, a JSON line a frame.
#
#   pipelines/moct.sh                     a generated scene
#   pipelines/moct.sh FILE                what decodebin can read
#   pipelines/moct.sh camera              the first camera, or /dev/videoN
#   pipelines/moct.sh FILE 'ball:#ffcc00~25;cap:hsv=340..10,50..100,30..100'
#
# MOCT holds further properties: MOCT='backend=cpu min-area=100'.
# FRAMES=100 ends it after 100 frames.
set -euo pipefail
# shellcheck source=pipelines/common.sh
. "$(dirname "$0")/common.sh"

input=${1:-test}
choose_source "$input"
if [ $# -gt 1 ]; then
  colours=$2
else
  choose_colours "$input"
fi
read -ra properties <<<"${MOCT-}"

if has_display; then
  show=(trajectory=full ! visionoverlay ! videoconvert ! autovideosink)
else
  show=(! visionjson ! fakesink)
fi
launch "${source[@]}" ! moct objects="$colours" "${properties[@]}" "${show[@]}"
