# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# What the scripts of this folder share; they source it.  BUILD names the
# build folder (build); FRAMES, where it is set, ends a pipeline after so many
# frames (of a file, some more that are on their way).
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "$root" && realpath -m "${BUILD:-build}")

# What is started from here finds the plug-in in the build folder.  A variable
# that is not set leaves no empty entry in a path.
[ -f "$build/build.ninja" ] || "$root/setup.sh" >&2
eval "$(meson devenv -C "$build" --dump |
  sed -E 's/:\$(\w+)"$/${\1:+:$\1}"/')"

# Shows the launch line, then runs it.  Of what gst-launch-1.0 says, warnings
# and JSON lines are left.
launch () {
  local a line=gst-launch-1.0
  for a in "$@"; do
    case $a in
      *[\ \;\#\(\)\&\|]*) line+=" '$a'" ;;
      *) line+=" $a" ;;
    esac
  done
  printf '%s\n\n' "$line" >&2
  gst-launch-1.0 -e "$@" | {
    trap '' INT # Ctrl-C ends the pipeline first
    exec sed -u -n -e '/^{/p' -e '/^WARNING/w /dev/stderr'
  }
}

# The read-only property $2 of element $1, as gst-inspect-1.0 shows it.
property () {
  gst-inspect-1.0 "$1" |
    sed -n "/^  $2  /,/^  [a-z]/s/.*Default: \"\(.*\)\"/\1/p"
}

# Sets `source` to the head of a pipeline: a file, a camera (`camera` or
# /dev/videoN), or the generated scene (`test`).
choose_source () {
  case $1 in
    test)
      source=(visiontestsrc ${FRAMES:+num-buffers="$FRAMES"} !
        'video/x-raw,framerate=30/1')
      ;;
    camera) source=(v4l2src ! decodebin) ;;
    /dev/*) source=(v4l2src device="$1" ! decodebin) ;;
    *)
      [ -r "$1" ] || { echo "there is no file $1 to read" >&2; exit 1; }
      source=(filesrc location="$1" ! decodebin)
      ;;
  esac
  if [ "$1" != test ] && [ -n "${FRAMES-}" ]; then
    source+=(! 'video/x-raw(ANY)' ! identity eos-after=$((FRAMES + 1)))
  fi
}

# Sets `colours` to what moct shall look for in $1 where the caller has not
# said: the colours of the generated scene, or four hues.
choose_colours () {
  colours='red:hsv=345..12,60..100,30..100'
  colours+=';yellow:hsv=45..70,60..100,40..100'
  colours+=';green:hsv=90..160,40..100,25..100'
  colours+=';blue:hsv=200..250,50..100,25..100'
  [ "$1" != test ] || colours=$(property visiontestsrc palette)
}

has_display () {
  [ -n "${DISPLAY-}${WAYLAND_DISPLAY-}" ]
}
