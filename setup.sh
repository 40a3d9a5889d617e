#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Installs the distribution's packages that are missing, configures Meson and
# builds; whatever is done already is not done again.
#
#   ./setup.sh                   into the folder build
#   ./setup.sh -Dcuda=disabled   the same with options of Meson, which stay set
#   BUILD=build-cpu ./setup.sh   into another folder
#
# For Debian 12 or newer (Ubuntu 24.04 is untested), as root or with sudo (only
# where packages are missing).  A GPU and nvcc are used where they are.
set -euo pipefail
cd "$(dirname "$0")"

build=${BUILD:-build}
packages=(
  gcc g++ libc6-dev meson ninja-build pkgconf
  libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev
  libgstreamer-plugins-bad1.0-dev libjson-glib-dev libcairo2-dev
  libpango1.0-dev libpng-dev libjpeg-dev libkissfft-dev libfftw3-dev libnlopt-dev
  gobject-introspection libgirepository1.0-dev
  gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good
  gstreamer1.0-plugins-bad gstreamer1.0-libav gstreamer1.0-x
  gstreamer1.0-plugins-base-apps fonts-dejavu-core
  python3 python3-gi python3-gst-1.0 gir1.2-gst-plugins-base-1.0
)

# What some of the tree needs beside these: packages, and for what.
optional=(
  'gir1.2-gtk-3.0 python3-gi-cairo' 'the live window, pipelines/live.sh'
  'gstreamer1.0-opencv opencv-data' 'pipelines/gpuccl.sh with a clip; points on faces'
  'gstreamer1.0-plugins-ugly' 'recordings by x264 instead of OpenH264'
  'python3-numpy' 'maps as arrays in Python, pipelines/apps/maps.py'
  'python3-opencv' 'tools/vision-calibrate'
  'gir1.2-gst-plugins-bad-1.0 gstreamer1.0-nice' 'a browser, pipelines/apps/web.py'
  'python3-dev python3-numpy' 'the algorithms on arrays in Python'
  'mkdocs python3-markdown' 'the documents as web pages: ninja site, ninja report'
)

say () {
  printf '%-10s %s\n' "$1" "$2"
}

die () {
  printf 'setup.sh: %s\n' "$@" >&2
  exit 1
}

# Runs a command that only speaks when it fails.  $1 is what to tell then.
quietly () {
  local remedy=$1 log
  shift
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    rm -f "$log"
    die "this failed: $*" "$remedy"
  fi
  rm -f "$log"
}

# Those of $@ that are not installed.
missing_packages () {
  local p
  for p in "$@"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$p" 2>/dev/null |
      grep -qx installed || echo "$p"
  done
}

as_root () {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

apt () {
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o DPkg::Lock::Timeout=120 --no-install-recommends "$@"
}

install_packages () {
  local missing
  if ! command -v dpkg-query >/dev/null; then
    say packages "not checked: this is no Debian; needed are what Debian calls"
    say '' "${packages[*]}"
    return
  fi
  mapfile -t missing < <(missing_packages "${packages[@]}")
  if [ ${#missing[@]} = 0 ]; then
    say packages 'all there'
    return
  fi
  say packages "installing ${missing[*]}"
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    die 'packages are missing, and there is neither root nor sudo to install' \
      "them; ask for: apt-get install ${missing[*]}"
  fi
  quietly 'Is there a network, and are the sources of apt right?' apt update
  quietly 'Debian 12 is the oldest release that has them all.' \
    apt install "${missing[@]}"
}

# Names what is not installed of what only some commands need.
name_optional () {
  local i names
  command -v dpkg-query >/dev/null || return 0
  for ((i = 0; i < ${#optional[@]}; i += 2)); do
    # shellcheck disable=SC2086 # several names
    names=$(missing_packages ${optional[i]} | paste -s -d ' ')
    [ -z "$names" ] || say optional "${optional[i + 1]}: apt-get install $names"
  done
}

# nvcc is often installed outside the PATH.
find_nvcc () {
  local dir=${CUDA_HOME:-/usr/local/cuda}/bin
  if ! command -v nvcc >/dev/null && [ -x "$dir/nvcc" ]; then
    export NVCC=$dir/nvcc
  fi
  compiler=$("${NVCC:-nvcc}" --version 2>/dev/null |
    sed -n 's/.*release.* V/nvcc /p') || compiler='no nvcc'
}

# The folder remembers what it was configured with: nvcc, then the options.
configure () {
  local stamp=$build/setup.stamp before=() now mode=()
  find_nvcc
  [ ! -f "$stamp" ] || mapfile -t before <"$stamp"
  now=("$compiler" "$@")
  [ $# -gt 0 ] || now+=("${before[@]:1}")
  if [ -f "$build/build.ninja" ]; then
    if [ "${now[*]}" = "${before[*]}" ]; then
      say configure 'nothing to do'
      return
    fi
    mode=(--reconfigure)
    [ "${before[0]-$compiler}" = "$compiler" ] || mode=(--wipe)
  fi
  say configure "$build with ${now[*]}"
  quietly "The end of $build/meson-logs/meson-log.txt tells more." \
    meson setup "${mode[@]}" "$build" "${now[@]:1}"
  printf '%s\n' "${now[@]}" >"$stamp"
}

install_packages
configure "$@"
say build "$build"
quietly "To see it all: ninja -C $build" ninja -C "$build"
name_optional
