#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Disparity and depth of two cameras: a window that shows what is near in
# colours; without a display, a JSON line a frame with points of the left view:
# x, y, disparity, its sigma, and a confidence.
#
#   pipelines/pocstereo.sh                        a generated room
#   pipelines/pocstereo.sh LEFT RIGHT             two videos, or two pictures
#   pipelines/pocstereo.sh 'left%02d.png' 'right%02d.png'   sequences of pictures
#   pipelines/pocstereo.sh BOTH                   a video, or a sequence, of both
#                                                 views side by side
#   pipelines/pocstereo.sh camera                 the first camera, or camera:NAME,
#                                                 /dev/videoN, rtsp://…, likewise
#
# POCSTEREO holds further properties, such as a range and a rig:
# POCSTEREO='min-disparity=-16 max-disparity=96 calibration=rig.yml'.  PLY names
# a file, or one a frame as 'cloud-%05d.ply', for points in space; that needs a
# rig.  FACES=1 measures points on faces only (facedetect, of the packages
# gstreamer1.0-opencv and opencv-data).
# OUTPUT=disparity.png writes the colours of the last frame instead of showing
# them.  START is the number of the first picture of a sequence (0, or 1).
# FRAMES=100 ends it after 100 frames.  Without a window, every PROGRESS seconds (10) a line
# says how many frames are done, and how long the others take: without a GPU, every pixel
# takes its time.  --help tells options for recordings.
set -euo pipefail
# shellcheck source=pipelines/common.sh
. "$(dirname "$0")/common.sh"
take_at_most 2 "$@"

lists=yes
left=${1:-test}
right=${2-}
read -ra words <<<"${POCSTEREO-}"
take_properties ${words[@]+"${words[@]}"}

points=(mode=points)
colours=(output=colormap)
faces=()
format=()
if [ -n "${FACES-}" ]; then
  # for parts of faces, which are not asked for, it has no profiles on Debian
  export OPENCV_LOG_LEVEL=OFF
  profile=$(property facedetect profile 2>/dev/null) || true
  [ -r "$profile" ] || {
    echo "FACES needs facedetect and its profile, of the packages" \
      "gstreamer1.0-opencv and opencv-data" >&2
    exit 1
  }
  faces=(! videoconvert ! facedetect min-size-width=80 min-size-height=80 display=false)
  # facedetect's, and so that of both views
  # shellcheck disable=SC2054 # the comma is of caps
  format=(! videoconvert ! video/x-raw,format=RGB)
  points+=(regions-only=true)
  colours+=("${points[@]}")
fi

[ -n "${OUTPUT-}" ] || is_shown || colours=("${points[@]}")
[ "$left" != test ] || colours+=(max-disparity=64)
element=(pocstereo name=stereo "${colours[@]}" ${PLY:+ply-location="$(spelled "$PLY")"}
  "${properties[@]}")

# How many frames come, as far as that is known.
count_frames () {
  local n=${START:-0} rate seconds
  if [ -n "${FRAMES-}" ]; then
    echo "$FRAMES"
  elif [ -n "$sequence" ]; then
    # shellcheck disable=SC2059 # the sequence's name is a format
    while [ -e "$(printf "$sequence" "$n")" ]; do n=$((n + 1)); done
    echo $((n - ${START:-0}))
  elif [[ $tells == *'video(image) #'* ]]; then
    echo 1
  else
    rate=$(sed -nE 's/^ *Frame rate: //p' <<<"$tells" | sed -n 1p)
    seconds=$(sed -nE 's/^ *Duration: ([0-9]+):([0-9]+):([0-9.]+)$/\1*3600+\2*60+\3/p' \
      <<<"$tells" | sed -n 1p)
    [ -z "$rate" ] || [ -z "$seconds" ] || awk "BEGIN { printf \"%.0f\", ($seconds) * $rate }"
  fi
}

# The same as launch; of frames that nobody sees, it tells how many are done.
launch_counted () {
  local teller status=0
  if has_window || [ -n "$live" ]; then
    launch "$@"
    return
  fi
  tell_progress "$counted" "$(count_frames)" &
  teller=$!
  launch "$@" || status=$?
  kill "$teller"
  wait "$teller" 2>/dev/null || true
  return "$status"
}

launch_stereo () {
  choose_results queue
  [ -z "${OUTPUT-}" ] || results=(${json:+visionjson lists=true location="$(spelled "$json")" !}
    videoconvert ! pngenc snapshot=false ! multifilesink location="$(spelled "$OUTPUT")")
  counted=$(mktemp)
  trap 'rm -f "$counted"' EXIT
  launch_counted "$@" "${element[@]}" ! visionjson location="$(spelled "$counted")" ! \
    "${results[@]}"
}

# Sets `source` as choose_source does; of a file, `size`, and `kind` to what decides in
# which format its frames are.
choose_view () {
  choose_source "$1"
  ! is_sequence "$1" || discover "$first"
  size=$(sed -nE 's/^ *(Width|Height): //p' <<<"$tells" | paste -s -d x)
  kind=$(grep -oE '^ *video[^,]*|(chroma-format|bit-depth-luma)=[^,]*|Depth: .*' \
    <<<"$tells" || true)
}

launch_two () {
  local views first_size first_kind
  choose_view "$left"
  views=("${source[@]}") first_size=$size first_kind=$kind
  choose_view "$right"
  if [ -n "$first_size" ] && [ -n "$size" ] && [ "$first_size" != "$size" ]; then
    echo "$left is $first_size, and $right $size: views of one size are needed," \
      "from two equal cameras or scaled after their distortion was removed" >&2
    exit 1
  fi
  # shellcheck disable=SC2054 # the comma is of caps
  if [ "$first_kind" != "$kind" ]; then
    format=(! videoconvert ! video/x-raw,format=RGB)
    views+=("${format[@]}")
  fi
  launch_stereo "${views[@]}" "${faces[@]}" ! queue ! stereo.sink_left \
    "${source[@]}" "${format[@]}" ! queue ! stereo.sink_right
}

if [ -n "$right" ]; then
  launch_two
  exit
fi
if [ "$left" = test ]; then
  # shellcheck disable=SC2054 # the commas are of caps
  source=(visiontestsrc pattern=stereo view=side-by-side
    ${FRAMES:+num-buffers="$FRAMES"} ! video/x-raw,framerate=30/1)
else
  choose_source "$left"
  element+=(packing=side-by-side)
fi
launch_stereo "${source[@]}" "${faces[@]}" !
