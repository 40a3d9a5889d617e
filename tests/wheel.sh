#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The wheel in fresh environments:
#
#   tests/wheel.sh [PYTHON...]    builds it, and for each PYTHON (python3) runs the lines
#                                 of README.md and docs/arrays.md, and tests/arrays.py;
#                                 the elements run where the system has PyGObject
#
# Needs a network, for pip, meson-python and NumPy; ends with 77 without.  Options for the
# build are in WHEEL_ARGS, such as -Csetup-args=-Dcuda=disabled.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- python3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$1" -m venv "$work/build"
if ! "$work/build/bin/pip" install -q --upgrade pip \
  >"$work/log" 2>&1; then
  echo 'SKIP: no package index can be reached'
  exit 77
fi
# shellcheck disable=SC2086 # several words
"$work/build/bin/pip" wheel -q --no-deps -Cbuild-dir=build-wheel ${WHEEL_ARGS-} -w "$work" .

# The blocks of Python of page $1.
lines () {
  awk '/^```python$/ { on = 1; next } /^```$/ { on = 0 } on' "$1"
}

for python; do
  "$python" -m venv "$work/fresh"
  "$work/fresh/bin/pip" install -q "$work"/gst_vision-*.whl numpy
  for page in README.md docs/arrays.md; do
    lines "$page" | sed '/^gstvision.init/,$d' >"$work/lines.py"
    (cd "$work" && fresh/bin/python lines.py)
  done
  for part in known refused kept; do
    BUILD=build-wheel "$work/fresh/bin/python" tests/arrays.py "$part"
  done
  if "$python" -c 'import gi' 2>/dev/null; then
    "$python" -m venv --system-site-packages "$work/with"
    "$work/with/bin/pip" install -q --no-deps "$work"/gst_vision-*.whl
    lines docs/arrays.md >"$work/lines.py"
    (cd "$work" && with/bin/python lines.py | tee elements)
    grep -q Moct "$work/elements"
  fi
  rm -rf "$work/fresh" "$work/with"
  echo "ok   $("$python" --version)"
done
