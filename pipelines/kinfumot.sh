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
#                                           the pictures that depth.txt lists; a
#                                           trajectory gets the times of that file
#   pipelines/kinfumot.sh camera            the first that is installed of
#                                           realsensesrc, openni2src, k4asrc and
#                                           zedsrc, all of which are untested
#   pipelines/kinfumot.sh /dev/video2       a device of depth, as a RealSense has
#   pipelines/kinfumot.sh 'realsensesrc …'  a source in words of gst-launch-1.0
#   pipelines/kinfumot.sh paper FOLDER      no window: the evaluation of the paper,
#                                           into FOLDER (tests/gpuccl_evaluation.py)
#
# KINFUMOT holds further properties; pictures and cameras need intrinsics:
#   KINFUMOT='intrinsics=585,585,320,240 depth-scale=0.001 mesh-location=room.ply'
# (those of TUM are set).  Where still things, such as a cupboard, become moving objects,
# KINFUMOT='max-objects=0' reconstructs the scene alone.  SHOW=classes shows which model explains each pixel,
# SHOW=all the models, the classes and the depth side by side.  START is the number
# of the first picture of a sequence (0, or 1).  FRAMES=100 ends it after 100
# frames.  --help tells options for recordings.
set -euo pipefail
# shellcheck source=pipelines/common.sh
. "$(dirname "$0")/common.sh"

input=${1:-test}
links=
read -ra words <<<"${KINFUMOT-}"
take_properties ${words[@]+"${words[@]}"}
draw=(visionoverlay states=new+tracking+found+accepted)
# shellcheck disable=SC2054 # the commas are of caps
case ${SHOW-} in
  all)
    small=(videoconvert ! videoscale ! video/x-raw,width=424,height=318)
    show=(tee name=kinds ! queue ! visionmap kind=rendered ! "${draw[@]}" !
      "${small[@]}" ! side.
      kinds. ! queue ! visionmap kind=correspondence ! "${small[@]}" ! side.
      kinds. ! queue ! visionmap kind=depth ! "${small[@]}" ! side.
      compositor name=side sink_1::xpos=424 sink_2::xpos=848)
    ;;
  classes) show=(visionmap kind=correspondence ! "${draw[@]}") ;;
  *) show=(visionmap kind=rendered ! "${draw[@]}") ;;
esac

# The time in a line of the trajectory counts frames, 30 a second; in its place
# comes that of the frame in depth.txt.
take_times () {
  local p trajectory=
  for p in "${words[@]}"; do
    case $p in trajectory-location=*) trajectory=${p#*=} ;; esac
  done
  [ -f "$trajectory" ] || return 0
  grep -v '^#' "$1/depth.txt" | awk -v start="${START:-0}" '
    NR == FNR { time[n++] = $1; next }
    { $1 = time[start + int ($1 * 30 + .5)]; print }
  ' - "$trajectory" >"$links/trajectory"
  cat "$links/trajectory" >"$trajectory"
}

# As links whose names count, which multifilesrc needs.
tum_folder () {
  local n=0 file
  links=$(mktemp -d)
  trap 'rm -r "$links"' EXIT
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
  source=(multifilesrc location="$(spelled "$1")" start-index="${START:-0}"
    caps=image/png,framerate=30/1 ${FRAMES:+num-buffers="$FRAMES"} !
    pngdec ! videoconvert ! 'video/x-raw,format=GRAY16_LE')
}

# Ends where nothing says which camera took the pictures.
need_camera () {
  case " ${words[*]-} " in
    *' intrinsics='* | *' calibration='*) return ;;
  esac
  echo "kinfumot needs the camera: KINFUMOT='intrinsics=FX,FY,CX,CY', in pixels, or" \
    "calibration=FILE, which vision-calibrate --camera writes" >&2
  exit 2
}

# Sets `source` to the depth of the first source that is installed, in words of its
# makers: of realsensesrc and k4asrc there are some whose depth rgbddemux gives.
choose_depth_camera () {
  if has_element realsensesrc && has_element rgbddemux; then
    source=(realsensesrc ! rgbddemux name=rgbd rgbd.src_depth)
  elif has_element realsensesrc; then
    source=(realsensesrc stream-type=1)
  elif has_element openni2src; then
    source=(openni2src sourcetype=depth)
  elif has_element k4asrc; then
    source=(k4asrc ! rgbddemux name=rgbd rgbd.src_depth)
  elif has_element zedsrc; then
    source=(zedsrc stream-type=3)
  else
    echo "camera needs realsensesrc, openni2src, k4asrc or zedsrc, and none of them is" \
      "installed; a device of depth is named as /dev/video2" >&2
    exit 1
  fi
  source+=(! 'video/x-raw,format=GRAY16_LE')
}

if [ "$input" = paper ]; then
  [ $# -ge 2 ] || { echo "paper needs the name of a folder" >&2; exit 2; }
  shift
  exec "$root/tests/gpuccl_evaluation.py" "$@"
fi
take_at_most 1 "$@"
if [ "$input" = test ]; then
  source=(visiontestsrc pattern=rgbd ${FRAMES:+num-buffers="$FRAMES"} !
    'video/x-raw,width=640,height=480,framerate=30/1')
elif is_sequence "$input"; then
  choose_first "$input"
  need_depth "$first"
  need_camera
  pictures "$input"
elif [ "$input" = camera ]; then
  live=yes
  need_camera
  choose_depth_camera
elif [[ $input = /dev/* ]]; then
  live=yes
  [ -e "$input" ] || no_camera "$input"
  need_camera
  source=(v4l2src device="$(spelled "$input")" ! 'video/x-raw,format=GRAY16_LE')
elif [[ $input = *src || $input = *'src '* ]]; then
  read -ra source <<<"$input"
else
  [ -d "$input" ] || {
    echo "$input is no folder; kinfumot needs depth: a sequence of pictures, a" \
      "folder of TUM, or a camera; --help tells more" >&2
    exit 1
  }
  need_file "$input/depth.txt"
  tum_folder "$input"
fi

choose_results "${show[@]}"
launch "${source[@]}" ! kinfumot maps=correspondence+depth+rendered \
  "${properties[@]}" ! gpuccl label-map=false ! "${results[@]}"
[ -z "$links" ] || take_times "$input"
