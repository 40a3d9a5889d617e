#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Coloured objects, found and followed: a window that shows each with its box,
# name, number and trail, and in which a click learns another colour; without a
# display, a JSON line a frame.
#
#   pipelines/moct.sh                     a generated scene
#   pipelines/moct.sh FILE                what decodebin can read
#   pipelines/moct.sh 'frame-%04d.jpg'    a sequence of pictures
#   pipelines/moct.sh camera              the first camera, or camera:NAME,
#                                         /dev/videoN, rtsp://…
#   pipelines/moct.sh FILE ''             nothing yet: click at it in the window
#   pipelines/moct.sh FILE 'ball:#ffcc00~25;cap:hsv=340..10,50..100,30..100'
#
# Each colour that is learned is printed, and in the end a line that has all of them.
# MOCT holds further properties: MOCT='backend=cpu min-area=100'.
# START is the number of the first picture of a sequence (0, or 1).  FRAMES=100
# ends it after 100 frames.  --help tells options for recordings.
set -euo pipefail
# shellcheck source=pipelines/common.sh
. "$(dirname "$0")/common.sh"
take_at_most 2 "$@"

input=${1:-test}
choose_source "$input"
repeat_still
if [ $# -gt 1 ]; then
  colours=$2
else
  choose_colours "$input"
fi
read -ra words <<<"${MOCT-}"
take_properties ${words[@]+"${words[@]}"}

! has_window || properties=(mouse=true "${properties[@]}")
! is_shown || properties=(trajectory=full "${properties[@]}")
choose_results visionoverlay

# What was learned, instead of the regions and beside the other colours, ready to paste.
tell_learned () {
  local now=$colours name='' text item all=''
  while IFS= read -r text; do
    text=${text%% holds *}
    name=${text%%:*}
    all=
    while IFS= read -r -d ';' item; do
      [ -z "$item" ] || [ "${item%%:*}" = "$name" ] || all+="$item;"
    done <<<"$now;"
    now=$all$text
  done <"$kept"
  [ -z "$all$name" ] || printf 'learned; again by:\n  %s %s %s\n' "$0" "${input@Q}" \
    "${now@Q}" >&2
}

told=' of the region and .* of the rest of the frame\.$'
kept=$(mktemp)
trap 'rm -f "$kept"' EXIT
status=0
launch "${source[@]}" ! moct ${colours:+objects="$(spelled "$colours")"} "${properties[@]}" ! \
  "${results[@]}" || status=$?
tell_learned
exit "$status"
