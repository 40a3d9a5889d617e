#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# One HTML page with the papers' figures and tables beside what is measured here, made
# of the documents; where there is no MkDocs there is none, and the exit code is 77:
#
#   tests/report.sh [FILE]      build/report.html
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-build/report.html}
mkdir -p "$(dirname "$out")"
docs/site.py report "$out"
echo "$out"
