# SPDX-License-Identifier: LGPL-2.1-or-later
"""What tests of commands share: commands that must succeed, checks after which a test
goes on, and pictures of depth."""
import shlex
import struct
import subprocess
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(command, timeout=280, **more):
    """The output of a command, which must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout,
                          **more)
    if done.returncode:
        sys.exit(f"{shlex.join(map(str, command))}\nfailed with "
                 f"{done.returncode}: {done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def make(line):
    run(["gst-launch-1.0", *shlex.split(line)])


failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAIL", what)


def write_grey(path, rows):
    """A PNG of 16 bits."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(
            ">I", zlib.crc32(kind + data))
    pixels = b"".join(b"\0" + struct.pack(f">{len(row)}H", *row)
                      for row in rows)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(
        b"IHDR", struct.pack(">2I5B", len(rows[0]), len(rows), 16, 0, 0, 0, 0)) +
        chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b""))
