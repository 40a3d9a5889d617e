#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""CPU time a frame of each element on the CPU backend, of all threads together:

    meson devenv -C build ../tests/bench/cpu.py

prints the table of docs/performance.md.  What is measured is the CPU time of
gst-launch-1.0 with the element, by two numbers of frames, so that the start does
not count; less that of the same line without it.  CPU time does not say how long
a frame waits, and is longer on a machine whose cores others use, too."""
import os
import resource
import shlex
import subprocess
import sys
import tempfile

TRIES = 2
OBJECTS = "objects='red:#c70d0d~22;orange:#d27720~22;yellow:#c8b520~24;" \
    "green:#23813e~18;cyan:#17c9c2~21;blue:#3864d2~20;magenta:#d224a7~22;" \
    "violet:#572090~20'"
BIG = "! video/x-raw,width=1920,height=1080 "
STEREO = "visiontestsrc pattern=stereo view=side-by-side num-buffers={n} "

# What, frames, source, element.
CASES = [
    ("moct, 8 colours, 640x480", 60, "visiontestsrc num-buffers={n}",
     f"moct {OBJECTS}"),
    ("moct, 8 colours, 1920x1080", 20, f"visiontestsrc num-buffers={{n}} {BIG}",
     f"moct {OBJECTS}"),
    ("gpuccl, a tracker's outliers, 640x480", 30,
     "visiontestsrc pattern=rgbd num-buffers={n}", "gpuccl"),
    ("kinfumot, 640x480", 3, "visiontestsrc pattern=rgbd num-buffers={n}",
     "kinfumot"),
    ("pocstereo, points, two views of 640x480", 3,
     STEREO + "! video/x-raw,width=1280,height=480",
     "pocstereo mode=points max-disparity=64"),
    ("pocstereo, every pixel of 320x240", 2,
     STEREO + "! video/x-raw,width=640,height=240",
     "pocstereo max-disparity=32"),
    ("emdtrack, one target, 640x480", 30, "visiontestsrc num-buffers={n}",
     "emdtrack targets=it:58,76,74,74"),
    ("emdtrack, the map of every pixel, 640x480", 3,
     "visiontestsrc num-buffers={n}",
     "emdtrack targets=it:58,76,74,74 emd-map=true"),
    ("visionoverlay, 8 objects with trails, 640x480", 60,
     f"visiontestsrc num-buffers={{n}} ! moct {OBJECTS} trajectory=full",
     "visionoverlay"),
]


def cpu_time(line):
    """Seconds of all threads of a launch line."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["gst-launch-1.0", "-q", *shlex.split(line)], check=True,
                   stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def a_frame(source, element, n):
    """Seconds a frame between frames @n and 4 @n; the least of some tries."""
    def slope(chain):
        few, many = [min(cpu_time(f"{source.format(n=frames)} {chain} ! fakesink")
                         for _ in range(TRIES)) for frames in (n, 4 * n)]
        return (many - few) / (3 * n)
    return slope(f"! {element}") - slope("")


def scopedetect():
    """The first frame, which is searched, and those after it, which are
    followed."""
    build = os.environ.get("BUILD", "build")
    scene = "visiontestsrc pattern=clutter num-buffers={n}"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([f"{build}/tools/vision-model", "--solid", "mug",
                        f"{folder}/mug.model"], check=True, capture_output=True)
        line = f"{scene} view=color ! video/x-raw,format=RGB ! queue ! " \
            f"{{e}}sink_color {scene} view=depth ! queue ! {{e}}sink_depth {{of}}"
        element = line.replace("{e}", "s.").replace(
            "{of}", f"scopedetect name=s models={folder}/mug.model ! fakesink")
        none = f"{scene} view=color ! video/x-raw,format=RGB ! fakesink " \
            f"{scene} view=depth ! fakesink"
        one, more = [cpu_time(element.format(n=n)) - cpu_time(none.format(n=n))
                     for n in (1, 11)]
    return one, (more - one) / 10


def main():
    rows = []
    for what, n, source, element in CASES:
        rows.append((what, a_frame(source, element, n)))
        print(f"| {rows[-1][0]} | {1e3 * rows[-1][1]:.1f} |", flush=True)
    found, followed = scopedetect()
    print(f"| scopedetect, one model, 640x480: searched | {1e3 * found:.0f} |")
    print(f"| the same, followed | {1e3 * followed:.0f} |")


if __name__ == "__main__":
    sys.exit(main())
