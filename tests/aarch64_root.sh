#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The tree built for aarch64 in a fresh root that debootstrap makes, and run there by
# qemu-user: the tests of the algorithms, and the digests of docs/digests.txt, which are
# those of x86-64.  It needs root, a network and an hour of one core, and is no test of
# Meson.  No board has run it.
#
#   tests/aarch64_root.sh [TEST...]     all tests of algorithms but the long ones, if
#                                       none is named
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
  echo 'SKIP: roots need debootstrap and root'
  exit 77
fi
mirror=${MIRROR:-http://deb.debian.org/debian}
root=$(mktemp -d)
unset TMPDIR # a folder of this machine, not of the root
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT

debootstrap --variant=minbase bookworm "$root" "$mirror" >/dev/null
mkdir "$root/src"
git ls-files -z -co --exclude-standard | tar --null -T - -c | tar -C "$root/src" -x
cp /etc/resolv.conf "$root/etc/"
mount --bind /proc "$root/proc"

cat >"$root/aarch64.ini" <<'END'
[binaries]
c = 'aarch64-linux-gnu-gcc'
cpp = 'aarch64-linux-gnu-g++'
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
pkgconfig = 'aarch64-linux-gnu-pkg-config'
exe_wrapper = 'qemu-aarch64'
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
END

cat >"$root/run.sh" <<'END'
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
dpkg --add-architecture arm64
apt-get -q update >/dev/null
apt-get -q -y --no-install-recommends install crossbuild-essential-arm64 qemu-user \
  meson ninja-build pkgconf python3 libgstreamer1.0-dev:arm64 \
  libgstreamer-plugins-base1.0-dev:arm64 libjson-glib-dev:arm64 libpango1.0-dev:arm64 \
  libpng-dev:arm64 libjpeg-dev:arm64 libkissfft-dev:arm64 libfftw3-dev:arm64 \
  libnlopt-dev:arm64 gstreamer1.0-plugins-base:arm64 >/dev/null
cd /src
meson setup build --cross-file /aarch64.ini -Dcuda=disabled -Danalytics=disabled \
  -Dintrospection=disabled >/dev/null
ninja -C build >/dev/null
if [ $# = 0 ]; then set -- --suite algorithms --no-suite long; fi
export EMULATED=1
meson test -C build --no-rebuild --timeout-multiplier 20 --print-errorlogs "$@"
GST_PLUGIN_PATH=/src/build/gst GST_REGISTRY_FORK=no BUILD=build \
  EXE_WRAPPER=qemu-aarch64 tests/digests.py demo
END
chroot "$root" bash /run.sh "$@"
