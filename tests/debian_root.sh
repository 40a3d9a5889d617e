#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The steps of packaging/Containerfile in fresh roots that debootstrap makes: the
# packages are built, checked, installed, run and removed.  It needs root, a network
# and some ten minutes, and is no test of Meson:
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
trap 'rm -rf "$work"' EXIT

# new_root RELEASE NAME: one with the tree in it
new_root () {
  local root=$work/$2
  debootstrap --variant=minbase "$1" "$root" "$mirror" >/dev/null
  mkdir "$root/src"
  git ls-files -z -co --exclude-standard | tar --null -T - -c | tar -C "$root/src" -x
  cp /etc/resolv.conf "$root/etc/"
}

for release in "$@"; do
  new_root "$release" build
  chroot "$work/build" /src/packaging/debian.sh build /out
  new_root "$release" try
  mkdir "$work/try/out"
  cp "$work"/build/out/*.deb "$work/try/out/"
  chroot "$work/try" /src/packaging/debian.sh try /out
  rm -rf "$work/build" "$work/try"
  echo "ok   $release"
done
