#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Debian packages of this tree, in a fresh root of Debian 12, 13 or sid, as root:
#
#   packaging/debian.sh build OUT     installs what the build needs, builds, checks
#                                     with lintian, puts the packages into OUT
#   packaging/debian.sh test OUT      builds by setup.sh, where a warning is an error,
#                                     and runs README's commands, tests/run.sh among
#                                     them, and the guide's first lines; their log is
#                                     in OUT
#   packaging/debian.sh try OUT       installs the packages of OUT, runs an element,
#                                     the Python module and the examples, removes
#                                     them, and tells what they left behind
#   packaging/debian.sh install OUT   installs what gst-launch-1.0 needs, of OUT
#
# packaging/Containerfile has these steps for podman; tests/debian_root.sh runs them
# in roots that debootstrap makes.
set -euo pipefail
tree=$(cd "$(dirname "$0")/.." && pwd)
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

apt () {
  apt-get -q -y --no-install-recommends "$@" >/dev/null
}

build () {
  local out=$1
  apt update
  apt install build-essential lintian
  mkdir -p "$out/tree"
  tar -C "$tree" --exclude='./build*' --exclude=./.git -c . | tar -C "$out/tree" -x
  cd "$out/tree"
  apt build-dep ./
  dpkg-buildpackage -b -us -uc
  lintian --fail-on error --allow-root ../*.changes
}

test_all () {
  local out=$1
  mkdir -p "$out"
  cd "$tree"
  ./setup.sh -Dcuda=disabled -Dwerror=true
  apt install cmake gir1.2-gst-plugins-bad-1.0 gstreamer1.0-nice imagemagick procps \
    python3-numpy python3-onnx sudo xdotool xvfb
  tests/first_lines.py | tee "$out/tests.log"
}

# What is in the root, but what the package manager itself writes.
files () {
  find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o \
    -path /var/cache -o -path /var/lib/apt -o -path /var/lib/dpkg -o \
    -path /var/log -o -path "$1" -o -name __pycache__ \) -prune -o -print | sort
}

try () {
  local out=$1 names
  names=$(for file in "$out"/*.deb; do dpkg-deb -f "$file" Package; done)
  apt update
  # what the packages and the examples need stays
  apt install gcc g++ cmake make meson gstreamer1.0-tools gstreamer1.0-plugins-base \
    python3-gst-1.0 python3-numpy libgstreamer-plugins-base1.0-dev
  # shellcheck disable=SC2046 # names
  apt install $(apt-get -s install --no-install-recommends "$out"/*.deb |
    sed -n 's/^Inst \([^ ]*\) .*/\1/p' | grep -vxF "$names")
  files "$out" >/tmp/before
  apt install "$out"/*.deb
  "$tree/debian/tests/installed"
  # shellcheck disable=SC2086 # names
  apt purge $names
  files "$out" >/tmp/after
  if ! diff /tmp/before /tmp/after; then
    echo 'the packages left this behind' >&2
    exit 1
  fi
  echo 'installed, run, removed, nothing left behind'
}

install_few () {
  apt update
  apt install "$1"/gstreamer1.0-vision_*.deb "$1"/libgstvisionmeta0_*.deb \
    gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good
  rm -rf "$1" /var/lib/apt/lists/*
  gst-inspect-1.0 moct >/dev/null # --exists asks for GStreamer's version in 1.22
}

[ $# = 2 ] || { sed -n '3,/^[^#]/s/^#\( \|$\)//p' "$0"; exit 2; }
case $1 in
  build | try) "$1" "$(realpath -m "$2")" ;;
  test) test_all "$(realpath -m "$2")" ;;
  install) install_few "$(realpath -m "$2")" ;;
  *) echo "there is no step $1" >&2; exit 2 ;;
esac
