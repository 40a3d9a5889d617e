#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Before a release: whether programs that were built with libgstvisionmeta of an older
# revision still run with this tree's, by abidiff (Debian's abigail-tools).  Fails where
# a function or a struct of the public headers is gone or has changed; a new function is
# no change.  The names alone are tested by embedding.py.
#
#   tests/abi.sh REVISION
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# = 1 ] || { sed -n '3,/^[^#]/s/^#\( \|$\)//p' "$0"; exit 2; }
command -v abidiff >/dev/null || { echo 'SKIP: abidiff is missing'; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/before"
git archive "$1" | tar -C "$work/before" -x
ln -s "$PWD" "$work/now"
for tree in before now; do
  meson setup "$work/$tree-build" "$work/$tree" -Dcuda=disabled -Dtests=disabled \
    -Dintrospection=disabled &>"$work/log" || { tail "$work/log"; exit 1; }
  ninja -C "$work/$tree-build" gst/meta/libgstvisionmeta.so.0 &>"$work/log" ||
    { tail "$work/log"; exit 1; }
done
abidiff --no-added-syms --headers-dir1 "$work/before/gst/meta" \
  --headers-dir2 gst/meta --drop-private-types \
  "$work"/{before,now}-build/gst/meta/libgstvisionmeta.so.0 ||
  { echo "programs of $1 may break: look at each change above"; exit 1; }
echo "ok   programs of $1 run with this library"
