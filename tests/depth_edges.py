#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Edges of real depth that depthalign moved into the pixels of the picture, and edges of
that picture:

    VISION_TEST_DATA=FOLDER meson test -C build -v depth_edges

An edge of the depth is a pixel behind which, at most 8 pixels away, the depth is 10 % or
more larger; an edge of the picture is OpenCV's (Canny). The unit of the depth is the one
of four for which the edges of both frames agree best. Half of the edges of each frame are
at most two pixels away from one of the picture; of the depth as it came, they are not."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import cv2
    import numpy as np
except ImportError as error:
    print(f"SKIP: {error}")
    sys.exit(77)

DEPTH = "476.0536193848,476.0534973145,311.4845581055,246.2832336426"
COLOUR = "615.1674804688,615.1675415039,312.1889953613,243.4373779297"
UNITS = .0000625, .000124986647, .00025, .001  # metres
SIZE = 480, 640
MARGIN = 12


def read_depth(path):
    """Two sides of 32 bits, then depths of 16 bits."""
    return np.fromfile(path, np.uint16)[4:].reshape(SIZE)


def aligned(depth, transform, unit, folder):
    source, target = Path(folder) / "depth.raw", Path(folder) / "aligned.raw"
    depth.tofile(source)
    subprocess.run([
        "gst-launch-1.0", "-q", "filesrc", f"location={source}",
        f"blocksize={depth.nbytes}", "!", "rawvideoparse", "format=gray16-le",
        f"width={SIZE[1]}", f"height={SIZE[0]}", "!", "depthalign",
        f"depth-scale={unit}", f"intrinsics={DEPTH}", f"target-intrinsics={COLOUR}",
        f"transform={transform}", "inverse=true", "!", "filesink",
        f"location={target}"], check=True, timeout=60)
    return np.fromfile(target, np.uint16).reshape(SIZE)


def edges_of(depth):
    depth = depth.astype(float)
    edges = np.zeros(SIZE, bool)
    for axis in 0, 1:
        for way in 1, -1:
            found, between = np.zeros(SIZE, bool), np.ones(SIZE, bool)
            for k in range(1, 9):
                behind = np.roll(depth, -way * k, axis)
                found |= (behind > 1.1 * depth) & between
                between &= behind == 0
            for k in range(1, 4):  # the surface that ends there
                before = np.roll(depth, way * k, axis)
                found &= (before > 0) & (abs(before - depth) < .02 * depth)
            edges |= found
    edges[:MARGIN] = edges[-MARGIN:] = False
    edges[:, :MARGIN] = edges[:, -MARGIN:] = False
    return edges


def distances_of(depth, picture):
    """The median distance of the depth's edges from the picture's, pixels, and the mean
    of distances that count as 6 if they are larger."""
    edges = cv2.Canny(picture, 20, 60)
    away = cv2.distanceTransform((edges == 0).astype(np.uint8), cv2.DIST_L2,
                                 cv2.DIST_MASK_PRECISE)
    away = away[edges_of(depth)]
    return float(np.median(away)), float(np.minimum(away, 6).mean())


def shown(distances):
    return ", ".join(f"{median:.1f} ({mean:.1f}) pixels" for median, mean in distances)


def main():
    folder = Path(os.environ.get("VISION_TEST_DATA", "/")) / "pose/visp_castel"
    if not folder.is_dir():
        print("SKIP: VISION_TEST_DATA names no folder with pose/visp_castel")
        return 77
    transform = " ".join((folder / "depth_M_color.txt").read_text().split())
    away = {unit: [] for unit in UNITS}
    before = []
    with tempfile.TemporaryDirectory() as made:
        for number in "0000", "0015":
            picture = cv2.imread(str(folder / f"image_{number}.png"), 0)
            depth = read_depth(folder / f"depth_image_{number}.bin")
            before.append(distances_of(depth, picture))
            for unit in UNITS:
                away[unit].append(distances_of(
                    aligned(depth, transform, unit, made), picture))
    for unit, distances in away.items():
        print(f"{unit:g} m: {shown(distances)}")
    print(f"not aligned: {shown(before)}")
    best = min(UNITS, key=lambda unit: sum(mean for _, mean in away[unit]))
    assert best == UNITS[1], f"{best} m fits better"
    assert max(median for median, _ in away[best]) <= 2, "edges are more than two pixels away"
    assert min(median for median, _ in before) > 2, "the depth was aligned already"
    return 0


sys.exit(main())
