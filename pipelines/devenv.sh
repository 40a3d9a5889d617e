# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# What is started after this finds the plug-in in the build folder, which BUILD
# names (build); it is made where there is none.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "$root" && realpath -m "${BUILD:-build}")

[ -f "$build/build.ninja" ] || "$root/setup.sh" >&2
# A variable that is not set leaves no empty entry in a path.
[ "${VISION_DEVENV-}" = "$build" ] ||
  eval "$(meson devenv -C "$build" --dump |
    sed -E 's/:\$(\w+)"$/${\1:+:$\1}"/')"
