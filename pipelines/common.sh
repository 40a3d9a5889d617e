# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# What the scripts of this folder share; they source it.  BUILD names the
# build folder (build); FRAMES, where it is set, ends a pipeline after that many
# frames (of a file, at times one more that its decoder still had).

# ---- Options, which may stand anywhere ----

show_help () {
  sed -n '3,/^[^#]/s/^#\( \|$\)//p' "$0"
  cat <<END

Options:
  --record FILE.mp4  write a video with the results drawn in it; Ctrl-C or
                     SIGTERM ends it as it should end
  --json FILE        write the results, a JSON line a frame
  --headless         open no window
  --help             this text

A camera is camera (the first), camera:NAME (a part of the name that
gst-device-monitor-1.0 tells), /dev/videoN, or an address as rtsp://… or http://….
END
}

record=
json=
headless=
arguments=()
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) show_help; exit ;;
    --headless) headless=yes ;;
    --record | --json)
      [ -n "${2-}" ] || { echo "$1 needs the name of a file" >&2; exit 2; }
      printf -v "${1#--}" %s "$2"
      shift
      ;;
    --record=* | --json=*)
      word=${1%%=*}
      printf -v "${word#--}" %s "${1#*=}"
      ;;
    -?*) echo "there is no option $1; --help tells which there are" >&2; exit 2 ;;
    *) arguments+=("$1") ;;
  esac
  shift
done
set -- ${arguments[@]+"${arguments[@]}"}
[[ ${FRAMES:-1} =~ ^[1-9][0-9]*$ ]] || {
  echo "FRAMES is a number of frames from 1 on, not \"$FRAMES\"" >&2
  exit 2
}
[[ ${PROGRESS:-10} =~ ^[0-9]*\.?[0-9]*[1-9][0-9]*$ ]] || {
  echo "PROGRESS is a number of seconds above 0, not \"$PROGRESS\"" >&2
  exit 2
}
[[ ${START:-0} =~ ^[0-9]+$ ]] || {
  echo "START is the number of the first picture, from 0 on, not \"$START\"" >&2
  exit 2
}

# take_at_most N "$@": ends where there are more words than a script takes.
take_at_most () {
  local n=$1
  shift
  [ $# -le "$n" ] || {
    echo "\"${*:n + 1:1}\" is one word too many; several colours or boxes are one word," \
      "with ; between them; --help tells more" >&2
    exit 2
  }
}

# shellcheck source=pipelines/devenv.sh
. "$(dirname "${BASH_SOURCE[0]}")/devenv.sh"

# ---- Sources ----

live=
still= # of a picture that a window shows until it is closed: before or after the element
lists= # whether lines have the numbers of maps that are lists

# Writes a value, such as a name, as gst-launch-1.0 takes it behind NAME=, whatever is
# in it.  It takes what follows a backslash as it is, and puts a backslash before each
# space itself, up to the first quotation mark.  A mark at the value's beginning would be
# its end, too, a backslash at its end would join the next word, and line breaks end a
# word: what has such is written as octal numbers.
# tools/visionlive/properties.py has the same in Python.
spelled () {
  local text=$1 plain rest
  if [[ $text == \"* || $text == *[[:cntrl:]]* || $text == *\\ ]]; then
    text=$(printf %s "$text" | od -An -v -to1 | tr -d '\n')
    printf %s "\\\"${text// /\\\\}\\\""
    return
  fi
  text=${text//\\/\\\\}
  text=${text//\"/\\\"}
  plain=${text%%\"*}
  rest=${text:${#plain}}
  text=$plain${rest// /\\ }
  [[ $text != \'* ]] || text=\\$text
  printf %s "${text:-\"\"}"
}

# Sets `properties` to the words $@, as gst-launch-1.0 takes them; ends where one is
# no NAME=VALUE.
take_properties () {
  local word
  properties=()
  for word in "$@"; do
    [[ $word =~ ^@?[a-z][a-z0-9-]*= ]] || {
      echo "a property is written NAME=VALUE, which \"$word\" is not" >&2
      exit 2
    }
    properties+=("${word%%=*}=$(spelled "${word#*=}")")
  done
}

has_element () {
  gst-inspect-1.0 --exists "$1"
}

# `NAME<tab>words of gst-launch-1.0`, a line a camera.
list_cameras () {
  gst-device-monitor-1.0 Video/Source 2>/dev/null | sed -n \
    -e '/^[[:space:]]*name *: */{s///;h}' \
    -e '/^[[:space:]]*gst-launch-1\.0 /{s///;s/ ! \.\.\.$//;H;x;s/\n/\t/p}'
}

# Nothing is called $1: says what there is, what is missing, and what runs.
no_camera () {
  local names devices
  names=$(list_cameras | cut -f 1)
  devices=$(compgen -G '/dev/video*' || true)
  {
    if [ -n "$1" ]; then echo "no camera is called $1"; else
      echo "no camera was found"
    fi
    [ -z "$names" ] || printf 'cameras:\n%s\n' "${names//[^[:print:]$'\n']/?}"
    [ -z "$devices" ] || printf 'devices:\n%s\n' "$devices"
    [ -n "$(type -p gst-device-monitor-1.0)" ] ||
      echo "names need gst-device-monitor-1.0, of the package" \
        "gstreamer1.0-plugins-base-apps"
    has_element v4l2src ||
      echo "cameras need v4l2src, of the package gstreamer1.0-plugins-good"
    echo "the generated scene needs none: $0${scene:+ $scene}"
  } >&2
  exit 1
}

# Sets `source` to the camera of which $1 is a part of the name.
choose_camera () {
  local name words
  while IFS=$'\t' read -r name words; do
    [[ ${name,,} == *"${1,,}"* ]] || continue
    mapfile -t source < <(xargs -n 1 <<<"$words") # quotes, and no shell
    source+=(! decodebin)
    return
  done < <(list_cameras)
  no_camera "$1"
}

# Sets `tells` to what gst-discoverer-1.0 says about the file $1; ends where that is
# no video or picture.
discover () {
  local heard why
  tells=
  [ -f "$1" ] && [ -n "$(type -p gst-discoverer-1.0)" ] || return 0
  tells=$(gst-discoverer-1.0 -v -t 60 "$1" 2>/dev/null) || return 0
  # a busy machine says nothing about the file
  ! grep -qx 'Analyzing URI timed out' <<<"$tells" || { tells=; return; }
  ! grep -qE '^ *video(\(image\))? #' <<<"$tells" || return 0
  heard=$(sed -nE 's/^ *(audio|subtitles) #[0-9]+: ([^,]*).*/it has \2 alone/p' \
    <<<"$tells" | sed -n 1p)
  why=$(sed '1,/^An error/d' <<<"$tells" | tr -s ' \n' ' ')
  {
    echo "$1 has no video that can be shown: $heard${why# }"
    echo "gst-discoverer-1.0 -v $1 tells more; most decoders are in the packages" \
      "gstreamer1.0-libav and gstreamer1.0-plugins-good, -bad and -ugly"
  } >&2
  exit 1
}

# Sets `still` where the file that `tells` is about is one picture, and a window is
# all that is wanted.
find_still () {
  if has_window && [ -z "$record$json${FRAMES-}" ] && grep -q 'video(image) #' <<<"$tells"
  then
    still=after
  fi
}

# The frame of a still picture again and again, so that what a user clicks at counts.
repeat_still () {
  [ -n "$still" ] || return 0
  still=before
  source+=(! imagefreeze ! 'video/x-raw,framerate=5/1')
}

# Whether a decoder leaves the frames of the file that `tells` is about on the GPU in
# a format that every element takes: converting them would fetch them.
stays_on_gpu () {
  has_element nvh264dec && grep -q \
    'x-h26[45].*chroma-format=(string)4:2:0, bit-depth-luma=(uint)8' <<<"$tells"
}

# Sets `source` to the head of a pipeline: a file, a sequence of pictures, a camera,
# an address, or the generated scene (`test`); of what comes from outside, frames that every element
# takes.
choose_source () {
  local convert=(! videoconvert)
  tells=
  if is_sequence "$1"; then
    choose_sequence "$1"
    return
  fi
  case $1 in
    test)
      source=(visiontestsrc ${FRAMES:+num-buffers="$FRAMES"} !
        'video/x-raw,framerate=30/1')
      return
      ;;
    camera) live=yes; choose_camera '' ;;
    camera:*) live=yes; choose_camera "${1#camera:}" ;;
    /dev/*)
      live=yes
      [ -e "$1" ] || no_camera "$1"
      source=(v4l2src device="$(spelled "$1")" ! decodebin)
      ;;
    rtsp*://*) live=yes; source=(uridecodebin uri="$(spelled "$1")") ;;
    *://*) source=(uridecodebin uri="$(spelled "$1")") ;;
    *)
      need_file "$1"
      refuse_moving "$1"
      if is_bitmap "$1"; then
        tells='video(image) #0'
        source=(filesrc location="$(spelled "$1")" ! gdkpixbufdec)
      else
        discover "$1"
        source=(filesrc location="$(spelled "$1")" ! decodebin)
      fi
      find_still
      if grep -qE 'image orientation: (rotate-[1-9]|flip)' <<<"$tells"; then
        convert+=(! videoflip video-direction=auto) # as telephones film
      elif grep -q 'Interlaced: true' <<<"$tells" && has_element deinterlace; then
        convert+=(! deinterlace fields=top) # of both fields, edges would be combs
      elif stays_on_gpu; then
        convert=()
      fi
      ;;
  esac
  source+=(${convert[@]+"${convert[@]}"})
  # the queue refuses most that a decoder still has then; a query that it drops then
  # is waited for without an end
  if [ -n "${FRAMES-}" ]; then
    source+=(! 'video/x-raw(ANY)' ! identity drop-allocation=true ! queue !
      identity eos-after=$((FRAMES + 1)))
  fi
}

need_file () {
  if [ ! -r "$1" ] || [ -d "$1" ]; then
    echo "there is no file $1 to read" >&2
    exit 1
  fi
  if ! printf %s "$1" | iconv -f UTF-8 -t UTF-8 >/dev/null 2>&1; then
    echo "the name of $(printf %s "$1" | iconv -c -f UTF-8 -t UTF-8) is no UTF-8;" \
      "give the file another one" >&2
    exit 1
  fi
}

# The decoder of GIFs of gstreamer1.0-libav shows all frames and then never ends; of
# moving PNG and WebP only the first picture would be shown.
refuse_moving () {
  local kind='' what='does not play to its end'
  [ -f "$1" ] || return 0
  case $(head -c 256 "$1" | od -An -v -tx1 | tr -d ' \n') in
    47494638*) kind=GIF ;;
    89504e47*6163544c*) kind='moving PNG' what='shows the first picture of' ;;
    52494646????????5745425056503858?????????[2367abef]*)
      kind='moving WebP' what='shows the first picture of'
      ;;
    3026b2758e66cf11*)
      has_element avdemux_asf || has_element asfdemux || {
        kind='WMV' what='cannot play without gstreamer1.0-libav or -plugins-ugly'
      }
      ;;
  esac
  [ -z "$kind" ] || {
    echo "$1 is a $kind, which GStreamer $what; make a video of it first, for" \
      "example: ffmpeg -i ${1@Q} video.mp4" >&2
    exit 1
  }
}

# Whether $1 is a BMP or TIFF, which decodebin gives to no decoder that can read it.
is_bitmap () {
  [ -f "$1" ] && [[ $(head -c 4 "$1" | tr -d '\0') =~ ^(BM|II\*|MM\*) ]]
}

# Whether $1 names a sequence of pictures, as 'frame-%04d.png', and not a file with
# such a name, or an address.
is_sequence () {
  [[ $1 =~ %0?[0-9]*d && $1 != *://* ]] && [ ! -e "$1" ]
}

# Of a sequence of pictures, sets `first` to the first one, and START to its number
# where that was not set: 0, or 1 if there is no picture 0.
choose_first () {
  # shellcheck disable=SC2059 # the sequence's name is a format
  first=$(printf "$1" "${START:-0}")
  if [ -z "${START-}" ] && [ ! -e "$first" ]; then
    # shellcheck disable=SC2059
    first=$(printf "$1" 1)
    START=1
    [ -e "$first" ] || {
      echo "there is no picture 0 or 1 of $1; START=12 says that 12 is the first" >&2
      exit 1
    }
  fi
  need_file "$first"
  sequence=$1
}

# Sets `kind` to that of the pictures of the sequence $1, by its ending.
choose_kind () {
  kind=${1##*.}
  [[ $kind =~ ^[[:alnum:]]+$ ]] || {
    echo "the name of a sequence ends with the kind of its pictures, as" \
      "frame-%04d.png" >&2
    exit 1
  }
  kind=${kind/jpg/jpeg}
}

# Sets `source` to the sequence of pictures $1.
choose_sequence () {
  local kind
  choose_kind "$1"
  choose_first "$1"
  # shellcheck disable=SC2054 # the commas are of caps
  source=(multifilesrc location="$(spelled "$1")" start-index="${START:-0}"
    caps="image/$kind,framerate=30/1" ${FRAMES:+num-buffers="$FRAMES"} !
    decodebin ! videoconvert)
}

# Ends where $1 is a PNG, but not of 16 bits of grey: any other has no depth (PNG,
# 11.2.2: byte 25 is the number of bits, byte 26 the kind of colours).
need_depth () {
  local bits kind
  [ "$(head -c 4 "$1" | tail -c 3)" = PNG ] || return 0
  read -r bits kind < <(od -An -tu1 -j24 -N2 "$1")
  [ "$bits $kind" = '16 0' ] || {
    echo "$1 is no picture of depth: these have 16 bits of grey, and this one has" \
      "$bits bits$([ "$kind" = 0 ] || echo ' of each colour')" >&2
    exit 1
  }
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

# The read-only property $2 of element $1, as gst-inspect-1.0 shows it.
property () {
  gst-inspect-1.0 "$1" |
    sed -n "/^  $2  /,/^  [a-z]/s/.*Default: \"\(.*\)\"/\1/p"
}

# ---- What becomes of the results ----

has_window () {
  [ -z "$headless" ] && [ -n "${DISPLAY-}${WAYLAND_DISPLAY-}" ]
}

# Whether pictures are wanted, for a window or a recording.
is_shown () {
  has_window || [ -n "$record" ]
}

# Sets `encoder` to what makes H.264, in a quality that keeps thin lines.  OpenH264 calls
# the end of each stream an error: `noise` is then what of it is not shown.
noise=
choose_encoder () {
  if has_element x264enc; then
    encoder=(x264enc pass=qual quantizer=21 tune=zerolatency)
  elif has_element openh264enc; then
    encoder=(openh264enc bitrate=8000000)
    noise='^\[OpenH264] .*EncodeFrame(), cmInitParaError'
  else
    echo "--record needs x264enc or openh264enc, of the packages" \
      "gstreamer1.0-plugins-ugly and gstreamer1.0-plugins-bad" >&2
    exit 1
  fi
}

# Sets `results` to the end of a pipeline: $@ draws the results where pictures are
# wanted.  Without a window, lines go to the standard output where no file is
# named for them.
choose_results () {
  local encoder window=() file=()
  results=()
  if [ -n "$json" ]; then
    results=(visionjson ${lists:+lists=true} location="$(spelled "$json")" !)
  elif ! has_window; then
    results=(visionjson ${lists:+lists=true} !)
  fi
  if has_window; then
    window=(videoconvert ! autovideosink)
    [ "$still" != after ] || window=(videoconvert ! imagefreeze ! autovideosink)
  fi
  # H.264 of 4:2:0 has even sizes
  if [ -n "$record" ]; then
    choose_encoder
    # shellcheck disable=SC2054 # the commas are of caps
    file=(videoconvert ! videoscale !
      'video/x-raw,format=I420,width=[2,16384,2],height=[2,16384,2]' !
      "${encoder[@]}" ! h264parse ! mp4mux !
      filesink location="$(spelled "$record")")
  fi
  case ${window:+window}${file:+file} in
    window) results+=("$@" ! "${window[@]}") ;;
    file) results+=("$@" ! "${file[@]}") ;;
    windowfile)
      results+=("$@" ! tee name=pictures ! queue ! "${window[@]}"
        pictures. ! queue ! "${file[@]}" async=false) # the window starts at once
      ;;
    *) results+=(fakesink ${live:+sync=true qos=true}) ;;
  esac
}

# Where a sequence of pictures ended before its last one, says which one is missing:
# multifilesrc takes it for the end.
sequence=
tell_gap () {
  local n=${START:-0} next
  [ -n "$sequence" ] && [ -z "${FRAMES-}" ] || return 0
  # shellcheck disable=SC2059 # the sequence's name is a format
  while [ -e "$(printf "$sequence" "$n")" ]; do n=$((n + 1)); done
  for ((next = n + 1; next <= n + 1000; next++)); do
    # shellcheck disable=SC2059
    if [ -e "$(printf "$sequence" "$next")" ]; then
      # shellcheck disable=SC2059
      echo "it ended where $(printf "$sequence" "$n") is missing; START=$next goes on" \
        "behind the gap" >&2
      return
    fi
  done
}

# Shows the launch line, then runs it.  Of what gst-launch-1.0 says, warnings
# and JSON lines are left.
launch () {
  local a line=gst-launch-1.0
  for a in "$@"; do
    case $a in
      *[\ \;\#\(\)\&\|\[\]\'\"\\\$\`\<\>\*\?]*) line+=" ${a@Q}" ;;
      *) line+=" $a" ;;
    esac
  done
  printf '%s\n\n' "$line" >&2
  local end=(-e)
  # Only a recording needs the end of the stream.  A still picture has none, and a
  # pipeline of a camera may wait for ever if its end is asked for while the first frame
  # comes (gst-launch-1.0 of 1.22).
  [ -n "$record" ] || [ -z "$still$live" ] || end=()
  run_pipeline gst-launch-1.0 ${end[@]+"${end[@]}"} "$@" || return
  tell_gap
}

# Says again and again how many frames have a line in the file $1, of $2 ("" where that
# is not known), and how long the others will take.
tell_progress () {
  local began=$SECONDS n passed words never
  exec {never}<> <(:)
  while true; do
    read -r -t "${PROGRESS:-10}" -u "$never" _ || true
    n=$(wc -l <"$1")
    passed=$((SECONDS - began))
    words="$n${2:+ of $2} frames in $passed s"
    [ -z "$2" ] || [ "$n" = 0 ] || [ "$n" -gt "$2" ] ||
      words+=", about $((passed * ($2 - n) / n)) s are left"
    echo "$words" >&2
  done
}

# What of gst-launch-1.0's other messages is shown, and kept in the file $kept.
told=
kept=

# Runs $@ until it ends.  Ctrl-C reaches it from the terminal; SIGTERM, which may
# reach this script alone, is handed on as Ctrl-C, so that recordings end as they
# should.  `stopped` is then the exit status of a script that has more to do.
stopped=
run_pipeline () {
  local lines reader errors=2 filter='' pipeline status=0
  # The pipeline ends first.  In bash 5.3 a trap in >( ) does not ignore Ctrl-C.
  local deaf=(exec env --ignore-signal=INT,TERM)
  if [ -n "$noise" ]; then
    exec {errors}> >("${deaf[@]}" sed -u "/$noise/d" >&2)
    filter=$!
  fi
  exec {lines}> >(
    "${deaf[@]}" sed -u -n -e '/^{/p' -e '/^WARNING/w /dev/stderr' \
      ${told:+-e "/$told/w /dev/stderr" -e "/$told/w $kept"}
  )
  reader=$!
  ( # a shell in the background would ignore Ctrl-C
    trap - INT
    trap '' TERM
    exec "$@" >&"$lines" 2>&"$errors" {lines}>&-
  ) <&0 &
  pipeline=$!
  exec {lines}>&-
  trap 'stopped=130' INT
  trap 'stopped=143; kill -INT "$pipeline"' TERM
  wait "$pipeline" || status=$?
  [ -z "$stopped" ] || end_pipeline
  trap - TERM
  wait "$reader" 2>/dev/null || true # bash 5.3 may have waited for it
  if [ -n "$filter" ]; then
    exec {errors}>&-
    wait "$filter" 2>/dev/null || true
  fi
  return "$status"
}

# Waits for run_pipeline's after a signal, and ends it by force if half a minute is not
# enough: gst-launch-1.0 can hang where the signal comes before the first frame is shown.
end_pipeline () {
  local tenths=300
  while kill -0 "$pipeline" 2>/dev/null; do
    if [ $((tenths--)) = 0 ]; then
      echo "the pipeline did not end in 30 seconds, and was stopped" >&2
      kill -KILL "$pipeline"
    fi
    sleep .1 || true
  done
  status=0
  wait "$pipeline" || status=$?
}
