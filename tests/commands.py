# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands that a test runs, and which must succeed."""
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(command, **more):
    """The output of a command, which must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=280,
                          **more)
    if done.returncode:
        sys.exit(f"{shlex.join(map(str, command))}\nfailed with "
                 f"{done.returncode}: {done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def make(line):
    run(["gst-launch-1.0", *shlex.split(line)])
