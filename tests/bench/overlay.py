#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What visionoverlay behind moct costs moct on the CPU, 8 colours with whole trails:

    meson devenv -C build ../tests/bench/overlay.py

prints, for two sizes, the elements' own times of a frame (`stats`), the median of
all frames but the first, and of them the median of seven turns: moct alone, moct
with visionoverlay behind it, and visionoverlay.  These hang on what else the
machine does.

    meson devenv -C build ../tests/bench/overlay.py --instructions

counts instructions by valgrind instead, which no other work changes: one thread,
frames of 640x480, some minutes."""
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

TURNS = 7
COUNTED = 40  # frames of --instructions
OBJECTS = "objects=red:#c70d0d~22;orange:#d27720~22;yellow:#c8b520~24;" \
    "green:#23813e~18;cyan:#17c9c2~21;blue:#3864d2~20;magenta:#d224a7~22;" \
    "violet:#572090~20"
OVERLAY = "! visionoverlay name=overlay backend=cpu"


def line(caps, frames, chain, more=""):
    return f"visiontestsrc num-buffers={frames} ! video/x-raw,format=NV12,{caps} ! " \
        f"moct name=moct backend=cpu trajectory=full {OBJECTS} {more} {chain} ! " \
        "fakesink name=sink signal-handoffs=true"


def median_time(caps, frames, chain, name):
    """Microseconds a frame of the element @name."""
    pipeline = Gst.parse_launch(line(caps, frames, chain))
    element, times = pipeline.get_by_name(name), []
    pipeline.get_by_name("sink").connect("handoff", lambda *_: times.append(
        element.get_property("stats").get_value("kernel-time") / 1e3))
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    assert message.type == Gst.MessageType.EOS, message.parse_error()
    pipeline.set_state(Gst.State.NULL)
    return statistics.median(times[1:])


def times():
    Gst.init(None)
    for width, height, frames in (640, 480, 120), (1920, 1080, 40):
        caps = f"width={width},height={height}"
        turns = [(median_time(caps, frames, "", "moct"),
                  median_time(caps, frames, OVERLAY, "moct"),
                  median_time(caps, frames, OVERLAY, "overlay"))
                 for _ in range(TURNS)]
        alone, before, drawing = map(statistics.median, zip(*turns))
        print(f"{width}x{height}: moct alone {alone:.0f}, before visionoverlay "
              f"{before:.0f} ({100 * before / alone - 100:+.1f} %), visionoverlay "
              f"{drawing:.0f} us")


def counted(chain):
    """Instructions a frame: of moct with all that it calls, and of visionoverlay."""
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}",
             "gst-launch-1.0", "-q", *line("width=640,height=480", COUNTED, chain,
                                           "n-threads=1").split()],
            check=True, capture_output=True)
        told = subprocess.run(
            ["callgrind_annotate", "--inclusive=yes", "--auto=no", "--threshold=100",
             out.name], check=True, capture_output=True, text=True).stdout
    return [max([int(n.replace(",", "")) / COUNTED for n in re.findall(
        rf"^ *([\d,]+) .*/{file}:{function}(?: |$)", told, re.M)], default=0)
        for file, function in (("gstmoct.c", "gst_moct_process"),
                               ("gstvisionoverlay.c", "process"))]


def instructions():
    if not shutil.which("valgrind"):
        sys.exit("--instructions needs valgrind")
    (alone, _), (before, drawing) = counted(""), counted(OVERLAY + " n-threads=1")
    print(f"640x480: moct alone {alone:,.0f}, before visionoverlay {before:,.0f} "
          f"({100 * before / alone - 100:+.4f} %), visionoverlay {drawing:,.0f} "
          "instructions a frame")


if __name__ == "__main__":
    instructions() if "--instructions" in sys.argv else times()
