#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Known objects in depth and colour: a window that shows each with its box, name
# and number; without a display, a JSON line a frame, with poses.
#
#   pipelines/scopedetect.sh COLOR DEPTH INTRINSICS MODEL…
#   pipelines/scopedetect.sh clutter [SOLID…]
#
# With clutter, it is a generated scene: solids on a table (mug bottle duck
# bracket drill house pan camera plane tee, all of which are looked for if none
# is named); SEED=1 is another one.
#
# COLOR and DEPTH are two aligned pictures, DEPTH with 16 bits; two sequences of
# them, 'color-%06d.png' 'depth-%06d.png'; the two devices of a live camera,
# /dev/video4 /dev/video2 or camera:NAME, whose depth is GRAY16_LE and aligned
# with the colour; or two sources in words of gst-launch-1.0, 'realsensesrc …'.  Depth
# that is not aligned needs RIG=rig.yml, the calibration of both cameras, the depth
# camera first (depthalign); with - for INTRINSICS, the camera is that of the file, too.
# DEPTHALIGN holds further properties: DEPTHALIGN='depth-scale=0.0001'.  INTRINSICS is
# fx,fy,cx,cy in pixels, a file of OpenCV or ROS, or - where the frames bring
# them.  A MODEL is a file of vision-model, or a mesh or cloud of points, of which
# one is made first.
#
# SCOPEDETECT holds further properties: SCOPEDETECT='depth-scale=0.0001
# table=false'.  UNIT=0.001 says that meshes are in millimetres.  SIZE is that of
# the frames of devices (640x480).  START is the number of the first picture of a
# sequence (0, or 1).  FRAMES=100 ends it after 100 frames.  --help tells options for
# recordings.
set -euo pipefail
scene=clutter # of which no_camera speaks
# shellcheck source=pipelines/common.sh
. "$(dirname "$0")/common.sh"

if [ "${1-}" = clutter ]; then
  shift
  [ $# -gt 0 ] || set -- mug bottle duck bracket drill house pan camera plane tee
  color=clutter
elif [ $# -ge 4 ]; then
  color=$1 depth=$2 intrinsics=$3
  shift 3
else
  echo "usage: $0 COLOR DEPTH INTRINSICS MODEL… | clutter [SOLID…]" >&2
  exit 2
fi
read -ra words <<<"${SCOPEDETECT-}"
take_properties ${words[@]+"${words[@]}"}
size=${SIZE:-640x480}
[[ $size =~ ^[1-9][0-9]*x[1-9][0-9]*$ ]] || {
  echo "SIZE is written 640x480, not \"$size\"" >&2
  exit 2
}
[[ ${SEED:-0} =~ ^[0-9]+$ ]] || {
  echo "SEED is a number from 0 on, not \"$SEED\"" >&2
  exit 2
}

align=()
if [ -n "${RIG-}" ]; then
  need_file "$RIG"
  read -ra aligned <<<"${DEPTHALIGN-}"
  wanted=(${properties[@]+"${properties[@]}"})
  take_properties ${aligned[@]+"${aligned[@]}"}
  align=(depthalign rig="$(spelled "$RIG")" ${properties[@]+"${properties[@]}"} !)
  properties=(${wanted[@]+"${wanted[@]}"})
fi

# Of a live camera, what there is no time for is left there, in pairs.
short=(queue max-size-buffers=2 max-size-bytes=0 max-size-time=0)
queue=(queue)

# Sets `source` for one of the two, which $2 names.
choose_picture () {
  local first=$1 kind
  case $1 in
    /dev/* | camera:*)
      choose_source "$1"
      source+=(! "video/x-raw,width=${size%x*},height=${size#*x}")
      queue=("${short[@]}")
      return
      ;;
    *src | *src\ *)
      read -ra source <<<"$1"
      queue=("${short[@]}")
      return
      ;;
  esac
  if is_sequence "$1"; then
    choose_kind "$1"
    choose_first "$1"
    # shellcheck disable=SC2054 # the commas are of caps
    source=(multifilesrc location="$(spelled "$1")" start-index="${START:-0}"
      caps="image/$kind,framerate=30/1"
      ${FRAMES:+num-buffers="$FRAMES"} ! decodebin)
  else
    need_file "$1"
    discover "$1"
    find_still
    source=(filesrc location="$(spelled "$1")" ! decodebin)
  fi
  [ "$2" != depth ] || need_depth "$first"
}

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
models=
for model in "$@"; do
  if [ "$color" = clutter ]; then
    "$build/tools/vision-model" --solid "$model" "$made/$model.model" >&2
    model=$made/$model.model
  fi
  need_file "$model"
  case $model in
    *.ply | *.obj | *.pcd | *.xyz)
      # a folder each, since meshes of several folders may have one name
      own=$(basename -- "${model%.*}")
      own=$(mktemp -d "$made/XXXXXX")/${own//,/_}.model
      "$build/tools/vision-model" ${UNIT:+--unit "$UNIT"} "$model" "$own" \
        >&2 2>"$made/why" || {
        cat "$made/why" >&2
        ! grep -q -e --unit "$made/why" ||
          echo "UNIT=0.001 says that $model is in millimetres" >&2
        exit 1
      }
      cat "$made/why" >&2
      model=$own
      ;;
    *,*) # which would part the list of models
      own=$(mktemp -d "$made/XXXXXX")/model
      ln -s "$(realpath "$model")" "$own"
      model=$own
      ;;
  esac
  models+=${models:+,}$model
done

if [ "$color" = clutter ] || [ "$intrinsics" = - ]; then
  camera=() # it is on the buffers
elif [ -r "$intrinsics" ]; then
  camera=(calibration="$(spelled "$intrinsics")")
else
  camera=(intrinsics="$(spelled "$intrinsics")")
fi
# shellcheck disable=SC2054 # the commas are of caps
if [ "$color" = clutter ]; then
  scene=(visiontestsrc pattern=clutter seed="${SEED:-0}"
    ${FRAMES:+num-buffers="$FRAMES"})
  line=("${scene[@]}" view=color ! video/x-raw,format=RGB ! queue !
    objects.sink_color "${scene[@]}" view=depth ! queue ! objects.sink_depth)
else
  choose_picture "$color" color
  line=("${source[@]}" ! videoconvert ! video/x-raw,format=RGB !
    "${queue[@]}" ! objects.sink_color)
  choose_picture "$depth" depth
  line+=("${source[@]}" ! videoconvert ! video/x-raw,format=GRAY16_LE !
    "${align[@]}" "${queue[@]}" ! objects.sink_depth)
fi
choose_results visionoverlay
launch "${line[@]}" scopedetect name=objects models="$(spelled "$models")" "${camera[@]}" \
  "${properties[@]}" ! "${results[@]}"
