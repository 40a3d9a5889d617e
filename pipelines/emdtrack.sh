#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Follows what is in a box of the first frame: a window that shows where it is,
# for frames of several channels before the distance of every pixel from it;
# without a display, a JSON line a frame.
#
#   pipelines/emdtrack.sh                    a generated scene of 8 channels, in
#                                            which the target has the colour of
#                                            the ground under it
#   pipelines/emdtrack.sh FILE BOX           what decodebin can read
#   pipelines/emdtrack.sh camera BOX         the first camera, or camera:NAME,
#                                            /dev/videoN, rtsp://…
#   pipelines/emdtrack.sh CUBE.hdr BOX       a multispectral cube of ENVI, or a
#   pipelines/emdtrack.sh 'CUBE-%04d.hdr' BOX   sequence of them, in 8 channels
#   pipelines/emdtrack.sh 'frame-%04d.jpg' BOX  a sequence of pictures; grey ones
#                                            of PNG are a mosaic camera's, tiles
#                                            of 4 x 4
#
# In a window, a box that is drawn with the mouse is the target from then on, and
# BOX may be left out.
#
# Of a target that is lost at once it says how far that moved, and what to change: it is
# looked for within 32 pixels (EMDTRACK='search=64').
#
# BOX is x,y,width,height in pixels, or NAME:x,y,width,height;… of up to eight;
# instead of x,y,width,height there may be file=PICTURE.png, which is looked for.
# EMDTRACK holds further properties: EMDTRACK='histogram=channels', for a mosaic
# EMDTRACK='channels=15 mosaic-pattern=5x3'.  START is the number of the first
# picture of a sequence (0, or 1).  FRAMES=100 ends it after 100 frames.  --help
# tells options for recordings.
set -euo pipefail
# shellcheck source=pipelines/common.sh
. "$(dirname "$0")/common.sh"
take_at_most 2 "$@"

# By byte 25 of the file: the kind of colours (PNG, 11.2.1).
is_grey_png () {
  local kind
  kind=$(od -An -tu1 -j25 -N1 "$1")
  [[ $1 == *.png ]] && [ "$((kind))" = 0 ]
}

input=${1:-test}
box=${2-}
buffers=${FRAMES:+num-buffers="$FRAMES"}
many=(emd-map=true)
show=(visionmap kind=emd ! visionoverlay)
if [ "$input" = test ]; then
  box=${box:-target:58,76,74,74}
  # shellcheck disable=SC2206 # nothing where FRAMES is not set
  source=(visiontestsrc pattern=multispectral channels=8 $buffers !
    'video/x-raw,framerate=30/1')
elif [[ $input == *.hdr ]]; then
  # shellcheck disable=SC2206
  source=(envisrc location="$(spelled "$input")" channels=8 $buffers)
elif is_sequence "$input"; then
  choose_sequence "$input"
  if is_grey_png "$first"; then
    source+=(! 'video/x-raw,format=GRAY16_LE')
    many+=(channel-layout=mosaic channels=16)
  else
    many=()
    show=(visionoverlay)
  fi
else
  choose_source "$input"
  repeat_still
  many=()
  show=(visionoverlay)
fi
[ -n "$box" ] || has_window || {
  echo "say which box: x,y,width,height, for example $0 $input 100,80,40,40" >&2
  exit 1
}
if has_window; then
  many+=(mouse=true)
  [ -n "$box" ] || echo "draw a box around the target with the mouse" >&2
fi

read -ra words <<<"${EMDTRACK-}"
take_properties ${words[@]+"${words[@]}"}
choose_results "${show[@]}"

search=32
for word in ${words[@]+"${words[@]}"}; do
  [[ ! $word =~ ^search=([0-9.]+)$ ]] || search=${BASH_REMATCH[1]}
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkfifo "$folder/lines"
exec {lost}<>"$folder/lines"
"$root/pipelines/lost.py" "$search" <"$folder/lines" {lost}>&- &
reader_of_lost=$!
status=0
launch "${source[@]}" ! emdtrack ${box:+targets="$(spelled "$box")"} ${many[@]+"${many[@]}"} \
  ${properties[@]+"${properties[@]}"} ! \
  visionjson location="$(spelled "$folder/lines")" ! "${results[@]}" || status=$?
exec {lost}>&- # the last one that writes: the reader ends
wait "$reader_of_lost" || true
exit "$status"
