#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Squares of real chessboards, measured by pocstereo: the element gets the
frames as they are and OpenCV's calibration, is asked around the corners of the
rectified left view, and its disparities and Q put the corners in space.

    VISION_TEST_DATA=FOLDER meson test -C build -v chessboard"""
import os
import re
import subprocess
import sys
from pathlib import Path

from boards import BOARD, corners_of  # first: it skips
from measured import failures, limit
import cv2
import numpy as np

CORNERS = BOARD[0] * BOARD[1]
NUMBERS = [*range(1, 10), *range(11, 15)]  # of the pairs there are
# With disparities from 0 on the pattern meets itself: see docs/lab/pocstereo.md.
RANGE = "min-disparity=64 max-disparity=192"


class Rig:
    """What OpenCV's two files say; a unit is the side of a square."""

    def __init__(self, folder):
        self.paths = [folder / f"{name}_computed.yml"
                      for name in ("intrinsics", "extrinsics")]
        inner, outer = (cv2.FileStorage(str(path), cv2.FILE_STORAGE_READ)
                        for path in self.paths)
        self.views = [[file.getNode(f"{name}{i}").mat() for file, name in
                       ((inner, "M"), (inner, "D"), (outer, "R"), (outer, "P"))]
                      for i in (1, 2)]
        self.q = outer.getNode("Q").mat()

    def rectify(self, seen, view):
        k, d, r, p = self.views[view]
        return cv2.undistortPoints(seen, k, d, R=r, P=p)[:, 0]


def measure(folder, n, rig, points, properties):
    """The disparities of one pair, by (x, y)."""
    views = [f"filesrc location={folder}/{side}{n:02}.jpg ! jpegdec ! "
             f"p.sink_{side}" for side in ("left", "right")]
    listed = ";".join(f"{x},{y}" for x, y in points)
    line = (f"{' '.join(views)} pocstereo name=p mode=points {RANGE} "
            f"{properties} calibration={','.join(map(str, rig.paths))} "
            f"points={listed} post-messages=true ! fakesink")
    done = subprocess.run(["gst-launch-1.0", "-m", *line.split()],
                          capture_output=True, text=True, timeout=60,
                          check=False)
    said = re.search(r"matches=\(double\)<([^>]*)>", done.stdout)
    if not said:
        sys.exit(f"FAIL pair {n}: {done.stdout[-300:]} {done.stderr[-300:]}")
    numbers = np.float64(said[1].split(",")).reshape(-1, 5)
    return {(int(x), int(y)): d for x, y, d, _, _ in numbers}


def pixels_around(corner):
    """The four pixels and their bilinear weights."""
    x, y = np.floor(corner).astype(int)
    u, v = corner - (x, y)
    return [((x + i, y + j), (u if i else 1 - u) * (v if j else 1 - v))
            for j in (0, 1) for i in (0, 1)]


def at_corners(disparities, corners):
    """Disparities between pixels; NaN where one of the four has no match."""
    return np.float64([
        sum(weight * disparities.get(pixel, np.nan)
            for pixel, weight in pixels_around(corner))
        for corner in corners])


def squares(rig, corners, disparities):
    """Sides of the squares and distances to the board's plane, in squares."""
    space = rig.q @ np.stack([*corners.T, disparities, np.ones(CORNERS)])
    points = (space[:3] / space[3]).T
    grid = points.reshape(BOARD[1], BOARD[0], 3)
    sides = np.concatenate([
        np.linalg.norm(np.diff(grid, axis=a), axis=2).ravel() for a in (0, 1)])
    known = points[np.isfinite(points).all(axis=1)]
    apart = np.linalg.svd(known - known.mean(axis=0))[2][2] @ \
        (known - known.mean(axis=0)).T
    return sides, apart


def asked(folder, rig, n, corners, properties):
    """pocstereo's disparities at the corners."""
    points = sorted({pixel for corner in corners
                     for pixel, _ in pixels_around(corner)})
    return at_corners(measure(folder, n, rig, points, properties), corners)


def check(rig, seen, name, find):
    """@find: the disparities at the corners of a pair."""
    pairs = [squares(rig, corners, find(n, corners))
             for n, corners in seen.items()]
    sides, apart = (np.concatenate(all_of) for all_of in zip(*pairs))
    good = np.isfinite(sides)
    mean, deviation = sides[good].mean(), sides[good].std()
    limit(f"{name}: {good.sum()} of {good.size} sides, mean {mean:.4f}, "
          f"deviation {deviation:.4f}, {np.sqrt((apart ** 2).mean()):.4f} from "
          "the plane (RMS)",
          good.mean() > 0.99 and abs(mean - 1) <= 0.005 and deviation <= 0.012)


def main():
    folder = Path(os.environ.get("VISION_TEST_DATA", "/")) / \
        "stereo/opencv_chessboard"
    if not folder.is_dir():
        print("SKIP: VISION_TEST_DATA names no folder with chessboards")
        return 77
    rig = Rig(folder)
    seen, other = (
        {n: rig.rectify(found, i) for n in NUMBERS
         if (found := corners_of(folder / f"{side}{n:02}.jpg")) is not None}
        for i, side in enumerate(("left", "right")))
    limit(f"the board is found in {len(seen)} left and {len(other)} right "
          "views", len(seen) == len(other) == 13)
    for name, properties in (
            ("two windows", ""), ("closed form", "fit=closed-form"),
            ("newton", "fit=newton")):
        check(rig, seen, name, lambda n, corners, asks=properties:
              asked(folder, rig, n, corners, asks))
    check(rig, seen, "OpenCV's corners in both views",
          lambda n, corners: (corners - other[n])[:, 0])
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
