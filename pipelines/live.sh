#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# An element live, in a window with its properties: vision-live, with the plug-in as it
# was built, from any folder.
#
#   pipelines/live.sh                       moct on a generated scene
#   pipelines/live.sh clip.mp4 emdtrack     a file, camera, camera:NAME, an address, or
#                                           'frame-%04d.png', and an element
#   pipelines/live.sh clip.mp4 moct min-area=200 --record found.mp4
#
set -euo pipefail
# shellcheck source=pipelines/devenv.sh
. "$(dirname "$0")/devenv.sh"
case " $* " in
  *' --help '* | *' -h '*) sed -n '3,/^[^#]/s/^#\( \|$\)//p' "$0" ;;
esac
export BUILD=$build
exec "$root/tools/vision-live" "$@"
