#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The system of section 5 of pocstereo's paper: points on faces.

    FACE=PICTURE VISION_TEST_DATA=FOLDER meson devenv -C build ../tests/faces.py

prints the table of docs/lab/pocstereo.md.  FACE is a photograph of a face, such
as astronaut.png of Debian's package python3-skimage.  facedetect finds the face
in the left view, pocstereo measures a grid of points on it; photographs are
moved by a known disparity, and the generated head has its true depth."""
import json
import math
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHIFT = 12.4  # pixels
FRAMES = 20
FIND = "facedetect min-size-width=80 min-size-height=80 display=false !"


# ---- A drawn face, for machines without photographs ----

def grain(seed):
    """A texture that is known between pixels."""
    knots = random.Random(seed).choices(range(-9, 10), k=4096)

    def at(x, y):
        total = 0
        for size in 3, 7:
            i, f = divmod(x / size, 1)
            f *= f * (3 - 2 * f)
            left, right = (knots[int(k * 73 + y // size * 191 + size) % 4096]
                           for k in (i, i + 1))
            total += (1 - f) * left + f * right
        return total
    return at


# The dark and light parts of a face, both of those that come in pairs: depth
# in grey levels, then place and size in halves of the face's width.
PARTS = [(-110, .38, -.3, .2, .1), (-60, .38, -.52, .26, .07),
         (-22, .14, .18, .09, .06), (20, .45, .1, .2, .2),
         (12, 0, -.1, .1, .3), (-40, 0, .55, .32, .08)]


def draw_face(path, shift, width=320, height=240, half=60):
    """Writes a picture, moved to the left by @shift, as PNG."""
    texture, rows = grain(1), b""
    for y in range(height):
        v = (y - height / 2) / half
        rows += b"\0"
        for x in range(width):
            u = (x + shift - width / 2) / half
            skin = 1 / (1 + math.exp(min(30, 12 * (math.hypot(u, v / 1.3) - 1))))
            face = 100 + sum(
                depth * math.exp(-((u - side * px) / sx) ** 2 -
                                 ((v - py) / sy) ** 2)
                for depth, px, py, sx, sy in PARTS for side in (-1, 1))
            grey = 90 + skin * face + texture(x + shift, y)
            rows += bytes([max(0, min(255, round(grey)))])
    head = (width.to_bytes(4, "big") + height.to_bytes(4, "big") +
            b"\x08\0\0\0\0")
    Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(
        len(data).to_bytes(4, "big") + kind + data +
        zlib.crc32(kind + data).to_bytes(4, "big")
        for kind, data in ((b"IHDR", head), (b"IDAT", zlib.compress(rows)),
                           (b"IEND", b""))))


def listed(line, kind="matches"):
    """The points of a JSON line: x, y, disparity, sigma and confidence, or x, y,
    z and sigma in metres."""
    return [values for m in json.loads(line).get("maps", [])
            if m["kind"] == kind for values in m["values"]]


# ---- Measuring ----

def launch(line):
    """Runs a launch line; returns its wall and CPU time, seconds."""
    def spent():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime
    env = dict(os.environ, OPENCV_LOG_LEVEL="OFF")
    wall, cpu = time.monotonic(), spent()
    subprocess.run(
        ["gst-launch-1.0", "-q", *line.split()],
        env=env, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - wall, spent() - cpu


def measure(pair, said, find, properties):
    """The last frame's JSON line, and milliseconds a frame: wall, CPU."""
    times = []
    for n in 1, 1 + FRAMES:
        views = [f"filesrc location={path} ! decodebin ! imagefreeze "
                 f"num-buffers={n} ! videoconvert ! video/x-raw,format=RGB !"
                 for path in pair]
        times.append(launch(
            f"{views[0]} {find} queue ! p.sink_left "
            f"{views[1]} queue ! p.sink_right pocstereo name=p mode=points "
            f"regions-only=true {properties} ! "
            f"visionjson lists=true location={said} ! fakesink"))
    took = [1000 * (b - a) / FRAMES for a, b in zip(*times)]
    return Path(said).read_text().splitlines()[-1], took


def row(name, took, errors, most, unit):
    """Errors of more than @most are counted, not averaged."""
    near = [e for e in errors if abs(e) <= most]
    rms = math.sqrt(sum(e * e for e in near) / len(near))
    print(f"| {name} | {len(errors)} | {took[0]:.0f} | {took[1]:.0f} | "
          f"{rms:.3f} {unit} | {len(errors) - len(near)} |", flush=True)


def photograph(path, scale, folder):
    """FACE, larger by @scale, cut to at most 1280 x 960, moved by its Fourier
    series, with noise of one grey level."""
    import cv2
    import numpy as np
    noise = np.random.default_rng(1)
    grey = cv2.resize(cv2.imread(path, cv2.IMREAD_GRAYSCALE), None, fx=scale,
                      fy=scale, interpolation=cv2.INTER_CUBIC).astype(float)
    wave = np.fft.rfft(grey, axis=1)
    turn = np.exp(2j * np.pi * np.arange(wave.shape[1]) * SHIFT / grey.shape[1])
    left = max(0, (grey.shape[1] - 1280) // 2)
    pair = [f"{folder}/{side}.png" for side in ("left", "right")]
    for side, view in zip(pair, (
            grey, np.fft.irfft(wave * turn, grey.shape[1], axis=1))):
        view = view[:960, left:left + 1280]
        view = np.rint(view + noise.normal(size=view.shape))
        cv2.imwrite(side, np.clip(view, 0, 255).astype(np.uint8))
    return pair


def moved(name, pair, said):
    line, took = measure(pair, said, FIND, "max-disparity=64")
    row(name, took, [m[2] - SHIFT for m in listed(line)], 1, "px")


def true_depth(source):
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
    sys.path.insert(0, str(ROOT / "python"))
    import gstvision
    import numpy as np
    Gst.init(None)
    pipeline = Gst.parse_launch(f"{source} ! appsink name=out")
    pipeline.set_state(Gst.State.PLAYING)
    sample = pipeline.get_by_name("out").emit("pull-sample")
    depth, = (m for m in gstvision.maps(sample.get_buffer(), truth=True)
              if m.kind == "depth")
    with depth.view() as values:
        depth = np.array(values)
    pipeline.set_state(Gst.State.NULL)
    return depth


def head(folder, said):
    """The generated head, which facedetect does not find: the region is that of
    its truth."""
    import numpy as np
    source = "visiontestsrc pattern=stereo contents=head num-buffers=1 " \
        "view={} ! video/x-raw,width=1920,height=1440"
    pair = [f"{folder}/head-{side}.png" for side in ("left", "right")]
    for side, path in zip(("left", "right"), pair):
        launch(f"{source.format(side)} ! videoconvert ! pngenc ! "
               f"filesink location={path}")
    depth = true_depth(source.format("left"))
    ys, xs = np.nonzero(np.isfinite(depth))
    line, took = measure(
        pair, said, "", f"roi={xs.min()},{ys.min()},{np.ptp(xs)},{np.ptp(ys)} "
        "max-disparity=256 min-peak=0.5 intrinsics=2100,2100,959.5,719.5 "
        "baseline=0.06")
    errors = [1000 * (point[2] - depth[int(m[1]), int(m[0])])
              for point, m in zip(listed(line, "points"), listed(line))]
    row(f"generated head at {np.nanmedian(depth):.2f} m", took,
        [e for e in errors if np.isfinite(e)], 10, "mm")


def boards(folder, said):
    """How often facedetect sees the man behind the chessboards."""
    seen = 0
    pairs = sorted(folder.glob("left[0-9]*.jpg"))
    for left in pairs:
        right = str(left).replace("left", "right")
        views = [f"filesrc location={view} ! decodebin ! videoconvert ! "
                 "video/x-raw,format=RGB !" for view in (left, right)]
        launch(f"{views[0]} {FIND} queue ! p.sink_left "
               f"{views[1]} queue ! p.sink_right pocstereo name=p mode=points "
               "regions-only=true max-disparity=192 ! "
               f"visionjson lists=true location={said} ! fakesink")
        seen += bool(listed(Path(said).read_text()))
    print(f"chessboards: a face in {seen} of {len(pairs)}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        said = f"{folder}/said.json"
        print("| | points | wall, ms a frame | CPU, ms | error, RMS | wrong |")
        print("|---|---|---|---|---|---|")
        pair = [f"{folder}/drawn-{side}.png" for side in ("left", "right")]
        for path, shift in zip(pair, (0, SHIFT)):
            draw_face(path, shift, 640, 480, 150)
        moved("drawn face, 640x480", pair, said)
        if os.environ.get("FACE"):
            for scale in 1, 4:
                moved(f"photograph, {scale} times its size",
                      photograph(os.environ["FACE"], scale, folder), said)
        head(folder, said)
        data = os.environ.get("VISION_TEST_DATA")
        if data:
            boards(Path(data) / "stereo/opencv_chessboard", said)


if __name__ == "__main__":
    main()
