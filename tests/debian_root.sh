#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The steps of packaging/Containerfile in fresh roots that debootstrap makes: the
# packages are built, checked, installed, run and removed; README's commands and the
# guide's first lines run as they stand, with all tests, and with the release's own
# compiler and GStreamer, of which sid has the newest.  It needs root, a network and, for
# each release, the time of two builds and of tests/run.sh; it is no test of Meson:
#
#   tests/debian_root.sh [bookworm] [trixie] [sid]     all three, if none is named
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
  echo 'SKIP: roots need debootstrap and root'
  exit 77
fi
mirror=${MIRROR:-http://deb.debian.org/debian}
[ $# -gt 0 ] || set -- bookworm trixie sid
work=$(mktemp -d)
unset TMPDIR # a folder of this machine, not of the roots
trap 'umount "$work"/*/{proc,dev/pts} 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT

# new_base RELEASE: what all roots of a release begin with.  apt refuses sid's Release
# file after a week, and a mirror may be behind by more; dpkg waits for the disk, which
# matters to no root that is thrown away.
new_base () {
  debootstrap --variant=minbase "$1" "$work/base" "$mirror" >/dev/null
  echo 'Acquire::Check-Valid-Until "false";' >"$work/base/etc/apt/apt.conf.d/90old"
  echo force-unsafe-io >"$work/base/etc/dpkg/dpkg.cfg.d/unsafe"
  cp /etc/resolv.conf "$work/base/etc/"
}

# step NAME: one of packaging/debian.sh in a new root with the tree in it, with the
# packages that are built already
step () {
  local root=$work/$1
  cp -a "$work/base" "$root"
  mkdir "$root/src" "$root/out"
  git ls-files -z -co --exclude-standard | tar --null -T - -c | tar -C "$root/src" -x
  [ "$1" = build ] || cp "$work"/*.deb "$root/out/"
  mount --bind /proc "$root/proc"
  mount --bind /dev/pts "$root/dev/pts"
  chroot "$root" /src/packaging/debian.sh "$1" /out
}

end_step () {
  umount "$work/$1/proc" "$work/$1/dev/pts"
  rm -rf "${work:?}/$1"
}

for release in "$@"; do
  new_base "$release"
  step build
  cp "$work"/build/out/*.deb "$work/"
  end_step build
  for name in test try install; do
    step "$name"
    [ "$name" != install ] || chroot "$work/install" gst-launch-1.0 -q visiontestsrc \
      num-buffers=3 ! moct 'objects=red:#c70d0d~22' ! visionjson ! fakesink |
      grep -c '"label":"red"' | grep -qx 3
    end_step "$name"
  done
  rm -rf "$work"/*.deb "${work:?}/base"
  echo "ok   $release"
done
