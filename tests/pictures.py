#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What visionoverlay draws behind three chains is what it drew before, at full rate
and where four of five frames are dropped: pictures of 320x240 in tests/pictures.

--write makes them anew.  Text is left out, since fonts differ from machine to
machine.  Compared is how far a picture is from the kept one, by how far the same
frame without drawing is; trails are a fifth of what is drawn.

Run it as a test of Meson, which sets the environment."""
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from commands import ROOT

KEPT = ROOT / "tests/pictures"
MOST = .1  # of what is drawn
FRAME = 40
SCENE = "visiontestsrc num-buffers={n} noise=0 texture=0 shadows=0 ! " \
    "video/x-raw,format=RGB,width=640,height=480,framerate=30/1"
COLOURS = "objects='red:#c70d0d~22;blue:#3864d2~20' trajectory=full"
CHAINS = {
    "colours": f"{SCENE} ! {{few}}moct {COLOURS}",
    "target": f"{SCENE} ! {{few}}moct {COLOURS} ! emdtrack target-meta=red",
    "components": f"{SCENE} ! {{few}}moct {COLOURS} ! videoconvert ! "
                  "video/x-raw,format=NV12 ! "
                  "gpuccl threshold=170 frames=1 min-size=100",
}
LOOK = "show=box+centroid+trail+outline"
MORE = {"target": "merge=false color-by=element"}
# Of every frame, or of every fifth.
RATES = {"": "", "-few": "videorate drop-only=true ! video/x-raw,framerate=6/1 ! "}


def last_frame(line):
    """RGB of the last frame."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["gst-launch-1.0", "-q", *shlex.split(
                f"{line} ! videoconvert ! video/x-raw,format=RGB ! "
                f"multifilesink location={folder}/frame")], check=True)
        return (Path(folder) / "frame").read_bytes()


def small(line):
    """The same, at half of the width and height."""
    return last_frame(f"{line} ! videoconvert ! video/x-raw,width=640,height=480 ! "
                      "videoscale ! video/x-raw,width=320,height=240")


def write(path, pixels):
    """As PNG, through GStreamer."""
    with tempfile.NamedTemporaryFile() as raw:
        raw.write(pixels)
        raw.flush()
        subprocess.run(
            ["gst-launch-1.0", "-q", *shlex.split(
                f"filesrc location={raw.name} blocksize={len(pixels)} ! "
                "video/x-raw,format=RGB,width=320,height=240,framerate=1/1 ! "
                f"pngenc ! filesink location={path}")], check=True)


def distance(a, b):
    return sum(abs(p - q) for p, q in zip(a, b)) / len(a)


def main():
    failed = False
    for name, chain in CHAINS.items():
        for suffix, few in RATES.items():
            line = chain.format(n=FRAME, few=few)
            drawn = small(f"{line} ! visionoverlay {LOOK} {MORE.get(name, '')}")
            path = KEPT / f"{name}{suffix}.png"
            if "--write" in sys.argv:
                KEPT.mkdir(exist_ok=True)
                write(path, drawn)
                continue
            kept = last_frame(f"filesrc location={path} ! pngdec")
            off = distance(drawn, kept)
            all_of_it = distance(small(line), kept)
            print(f"{name}{suffix}: {off:.3f} of {all_of_it:.3f} grey levels differ")
            failed |= all_of_it < .1 or off > MOST * all_of_it
    sys.exit(failed)


if __name__ == "__main__":
    main()
