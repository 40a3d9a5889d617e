#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The steps of packaging/Containerfile in fresh roots that debootstrap makes: the
# packages are built, checked, installed, run and removed, and what hangs on the
# release of GStreamer is tested.  It needs root, a network and some half an hour, and
# is no test of Meson:
#
#   tests/debian_root.sh [bookworm] [trixie]     both, if none is named
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
  echo 'SKIP: roots need debootstrap and root'
  exit 77
fi
mirror=${MIRROR:-http://deb.debian.org/debian}
[ $# -gt 0 ] || set -- bookworm trixie
work=$(mktemp -d)
unset TMPDIR # a folder of this machine, not of the roots
trap 'umount "$work"/*/proc 2>/dev/null; rm -rf --one-file-system "$work"' EXIT

# new_root RELEASE NAME: one with the tree in it
new_root () {
  local root=$work/$2
  debootstrap --variant=minbase "$1" "$root" "$mirror" >/dev/null
  mkdir "$root/src"
  git ls-files -z -co --exclude-standard | tar --null -T - -c | tar -C "$root/src" -x
  cp /etc/resolv.conf "$root/etc/"
}

# step RELEASE NAME: one of packaging/debian.sh in a new root, with the packages that
# are built already
step () {
  new_root "$1" "$2"
  mkdir "$work/$2/out"
  [ "$2" = build ] || cp "$work"/*.deb "$work/$2/out/"
  mount --bind /proc "$work/$2/proc"
  chroot "$work/$2" "/src/packaging/debian.sh" "$2" /out
}

end_step () {
  umount "$work/$1/proc"
  rm -rf "${work:?}/$1"
}

for release in "$@"; do
  step "$release" build
  cp "$work"/build/out/*.deb "$work/"
  end_step build
  for name in test try install; do
    step "$release" "$name"
    [ "$name" != install ] || chroot "$work/install" gst-launch-1.0 -q visiontestsrc \
      num-buffers=3 ! moct 'objects=red:#c70d0d~22' ! visionjson ! fakesink |
      grep -c '"label":"red"' | grep -qx 3
    end_step "$name"
  done
  rm "$work"/*.deb
  echo "ok   $release"
done
