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
#   pipelines/emdtrack.sh camera BOX         the first camera, or /dev/videoN
#   pipelines/emdtrack.sh CUBE.hdr BOX       a multispectral cube of ENVI, or a
#   pipelines/emdtrack.sh 'CUBE-%04d.hdr' BOX   sequence of them, in 8 channels
#   pipelines/emdtrack.sh 'frame-%04d.jpg' BOX  a sequence of pictures; grey ones
#                                            of PNG are a mosaic camera's, tiles
#                                            of 4 x 4
#
# BOX is x,y,width,height in pixels, or NAME:x,y,width,height;… of up to eight;
# instead of x,y,width,height there may be file=PICTURE.png, which is looked for.
# EMDTRACK holds further properties: EMDTRACK='histogram=channels', for a mosaic
# EMDTRACK='channels=15 mosaic-pattern=5x3'.  START is the number of the first
# picture of a sequence (0).  FRAMES=100 ends it after 100 frames.
set -euo pipefail
# shellcheck source=pipelines/common.sh
. "$(dirname "$0")/common.sh"

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
case $input in
  test)
    box=${box:-target:58,76,74,74}
    # shellcheck disable=SC2206 # nothing where FRAMES is not set
    source=(visiontestsrc pattern=multispectral channels=8 $buffers !
      'video/x-raw,framerate=30/1')
    ;;
  *.hdr)
    # shellcheck disable=SC2206
    source=(envisrc location="$input" channels=8 $buffers)
    ;;
  *%*)
    # shellcheck disable=SC2059 # the sequence's name is a format
    first=$(printf "$input" "${START:-0}")
    [ -r "$first" ] || { echo "there is no file $first to read" >&2; exit 1; }
    kind=${input##*.}
    # shellcheck disable=SC2054,SC2206 # the commas are of caps
    source=(multifilesrc location="$input" start-index="${START:-0}"
      caps="image/${kind/jpg/jpeg},framerate=30/1" $buffers ! decodebin !
      videoconvert)
    if is_grey_png "$first"; then
      source+=(! 'video/x-raw,format=GRAY16_LE')
      many+=(channel-layout=mosaic channels=16)
    else
      many=()
      show=(visionoverlay)
    fi
    ;;
  *)
    choose_source "$input"
    source+=(! videoconvert)
    many=()
    show=(visionoverlay)
    ;;
esac
[ -n "$box" ] || { echo "say which box: x,y,width,height" >&2; exit 1; }

read -ra properties <<<"${EMDTRACK-}"
if has_display; then
  show+=(! videoconvert ! autovideosink)
else
  show=(visionjson ! fakesink)
fi
launch "${source[@]}" ! emdtrack targets="$box" ${many[@]+"${many[@]}"} \
  ${properties[@]+"${properties[@]}"} ! "${show[@]}"
