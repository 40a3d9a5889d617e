#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs a line of gst-launch-1.0 with the plug-in as it was built, presets
# included.  (meson devenv, which runs other commands so, takes a word that
# begins with @ for a file of arguments.)
#
#   pipelines/launch.sh visiontestsrc pattern=stereo view=side-by-side ! \
#     pocstereo @preset=points ! visionjson ! fakesink
set -euo pipefail
case ${1-} in
  '' | --help) sed -n '3,/^[^#]/s/^#\( \|$\)//p' "$0"; exit ;;
esac
# shellcheck source=pipelines/devenv.sh
. "$(dirname "$0")/devenv.sh"
exec gst-launch-1.0 "$@"
