#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What visionoverlay draws behind three chains and over three real clips is what it
drew before, at full rate and where four of five frames are dropped: pictures of
320x240 in tests/pictures.  Of the clips, which VISION_TEST_DATA has, 320x180 pixels
are kept of the drawing alone: by how much it changes the frame.  One decoder of H.264
decodes them wherever this runs, since others leave frames out, or to the GPU; without
it they are skipped.

--write makes them anew.  Text is left out, since fonts differ from machine to
machine.  Compared is how far a picture is from the kept one, by how far the same
frame without drawing is; trails are a fifth of what is drawn.

Run it as a test of Meson, which sets the environment."""
import os
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
# File, frames, a fifth of its rate, chain.
CLIPS = {
    "cups": ("moct/sam2_gallery/02_cups.mp4", 80, "6000/1001",
             "moct objects='cup:hsv=335..5,60..100,40..100' min-area=2000 "
             "trajectory=full"),
    "bottles": ("emd/bottles/bottle-detection.mp4", 120, "179/30",
                "moct objects=cap:roi=84,111,24,18 min-area=150 ! "
                "emdtrack target-meta=cap"),
    "road": ("emd/car-detection.mp4", 30, "5/2",
            "gpuccl threshold=130 frames=1 min-size=2000"),
}
LOOK = "show=box+centroid+trail+outline"
MORE = {"target": "merge=false color-by=element", "cups": "color-by=id",
        "bottles": "merge=false color-by=element"}
DECODER = "avdec_h264"
# Of every frame, or of every fifth.
RATES = {"": "", "-few": "videorate drop-only=true ! video/x-raw,framerate=6/1 ! "}


def frame_of(line, number=0):
    """RGB of a frame."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["gst-launch-1.0", "-q", *shlex.split(
                f"{line} ! videoconvert ! video/x-raw,format=RGB ! "
                f"multifilesink location={folder}/%d")], check=True)
        return (Path(folder) / str(number)).read_bytes()


def small(line, height, number):
    """The same, of 320 x @height pixels."""
    return frame_of(f"{line} ! videoconvert ! videoscale ! "
                    f"video/x-raw,width=320,height={height}", number)


def write(path, pixels):
    """As PNG of 320 pixels a row, through GStreamer."""
    with tempfile.NamedTemporaryFile() as raw:
        raw.write(pixels)
        raw.flush()
        subprocess.run(
            ["gst-launch-1.0", "-q", *shlex.split(
                f"filesrc location={raw.name} blocksize={len(pixels)} ! "
                f"video/x-raw,format=RGB,width=320,height={len(pixels) // 960},"
                "framerate=1/1 ! "
                f"pngenc ! filesink location={path}")], check=True)


def distance(a, b):
    return sum(abs(p - q) for p, q in zip(a, b)) / len(a)


def cases():
    """Name of a picture, its launch line, the end of that, its height, and which of
    the frames it is."""
    for name, chain in CHAINS.items():
        for suffix, few in RATES.items():
            yield name + suffix, chain.format(n=FRAME, few=few), \
                f"visionoverlay {LOOK} {MORE.get(name, '')}", 240, \
                FRAME // (5 if few else 1) - 1
    data = Path(os.environ.get("VISION_TEST_DATA", "none"))
    os.environ["GST_PLUGIN_FEATURE_RANK"] = f"{DECODER}:MAX"
    if subprocess.run(["gst-inspect-1.0", "--exists", DECODER],
                      check=False).returncode:
        print(f"SKIP clips: {DECODER} is missing, of the package gstreamer1.0-libav")
        return
    for name, (file, frames, rate, chain) in CLIPS.items():
        for suffix, few in {
                "": "", "-few": f"videorate drop-only=true ! "
                f"video/x-raw,framerate={rate} ! "}.items():
            if (data / file).exists():
                yield name + suffix, f"filesrc location={data / file} ! decodebin ! " \
                    f"identity eos-after={frames + 10} ! videoconvert ! " \
                    f"video/x-raw,format=NV12 ! {few}{chain}", \
                    f"visionoverlay {LOOK} {MORE.get(name, '')}", 180, \
                    frames // (5 if few else 1) - 1
            else:
                print(f"SKIP {name}{suffix}: no {file} in VISION_TEST_DATA")


def main():
    failed = False
    for name, line, overlay, height, number in cases():
        plain = small(line, height, number)
        drawn = small(f"{line} ! {overlay}", height, number)
        if height == 180:
            drawn = bytes(abs(p - q) for p, q in zip(drawn, plain))
            plain = bytes(len(drawn))
        path = KEPT / f"{name}.png"
        if "--write" in sys.argv:
            KEPT.mkdir(exist_ok=True)
            write(path, drawn)
            continue
        kept = frame_of(f"filesrc location={path} ! pngdec")
        off, all_of_it = distance(drawn, kept), distance(plain, kept)
        print(f"{name}: {off:.3f} of {all_of_it:.3f} grey levels differ")
        failed |= all_of_it < .1 or off > MOST * all_of_it
    sys.exit(failed)


if __name__ == "__main__":
    main()
