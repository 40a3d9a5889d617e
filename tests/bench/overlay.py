#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What visionoverlay behind moct costs on the CPU, 8 colours with whole trails:

    meson devenv -C build ../tests/bench/overlay.py

prints, for two sizes, the elements' own times of a frame (`stats`), the median of
all frames but the first, and of them the median of seven turns: moct alone, moct
with visionoverlay behind it, and visionoverlay."""
import statistics

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

TURNS = 7
OBJECTS = "objects=red:#c70d0d~22;orange:#d27720~22;yellow:#c8b520~24;" \
    "green:#23813e~18;cyan:#17c9c2~21;blue:#3864d2~20;magenta:#d224a7~22;" \
    "violet:#572090~20"


def median_time(caps, frames, chain, name):
    """Microseconds a frame of the element @name."""
    pipeline = Gst.parse_launch(
        f"visiontestsrc num-buffers={frames} ! video/x-raw,format=NV12,{caps} ! "
        f"moct name=moct backend=cpu trajectory=full {OBJECTS} {chain} ! "
        "fakesink name=sink signal-handoffs=true")
    element, times = pipeline.get_by_name(name), []
    pipeline.get_by_name("sink").connect("handoff", lambda *_: times.append(
        element.get_property("stats").get_value("kernel-time") / 1e3))
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    assert message.type == Gst.MessageType.EOS, message.parse_error()
    pipeline.set_state(Gst.State.NULL)
    return statistics.median(times[1:])


def main():
    Gst.init(None)
    overlay = "! visionoverlay name=overlay backend=cpu"
    for width, height, frames in (640, 480, 120), (1920, 1080, 40):
        caps = f"width={width},height={height}"
        turns = [(median_time(caps, frames, "", "moct"),
                  median_time(caps, frames, overlay, "moct"),
                  median_time(caps, frames, overlay, "overlay"))
                 for _ in range(TURNS)]
        alone, before, drawing = map(statistics.median, zip(*turns))
        print(f"{width}x{height}: moct alone {alone:.0f}, before visionoverlay "
              f"{before:.0f} ({100 * before / alone - 100:+.1f} %), visionoverlay "
              f"{drawing:.0f} us")


if __name__ == "__main__":
    main()
