#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The rectification of pocstereo against OpenCV's, for any lens; and, where
VISION_TEST_DATA names them, on real chessboards, whose rows must meet and whose
squares must have their size:

    BUILD=build tests/rectify.py"""
import os
import subprocess
import sys
from pathlib import Path

from boards import BOARD, corners  # first: it skips
from measured import failures, limit
import cv2
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("BUILD", ROOT / "build"))


def rectify(views, frames):
    """Positions in pixels, masks and samples, each of two views."""
    height, width = frames[0].shape
    numbers = [np.float64(m).ravel() for view in views for m in view]
    sent = b"".join([np.int32([width, height]).tobytes(),
                     np.concatenate(numbers).tobytes(),
                     *(np.ascontiguousarray(f).tobytes() for f in frames)])
    got = subprocess.run([BUILD / "tests/rectify-frames"], input=sent,
                         stdout=subprocess.PIPE, check=True).stdout
    n = 2 * height * width
    maps = np.frombuffer(got, np.int32, 2 * n) / 1024
    valid = np.frombuffer(got, np.uint8, n, 8 * n)
    samples = np.frombuffer(got, np.uint16, n, 9 * n)
    return (maps.reshape(2, height, width, 2),
            valid.reshape(2, height, width),
            samples.reshape(2, height, width))


def fourteen(d):
    return np.pad(np.float64(d).ravel(), (0, 14 - np.size(d)))


def check_maps(what, views, frames):
    """Positions are those of initUndistortRectifyMap in the frame; those
    outside may end a few pixels beyond it."""
    maps, valid, samples = rectify(views, frames)
    height, width = frames[0].shape
    for i, (k, d, r, p) in enumerate(views):
        x, y = cv2.initUndistortRectifyMap(k, d, r, p, (width, height),
                                           cv2.CV_32FC1)
        # a float32 near 1000 is good to 1/16384
        x, y = np.clip(x, -4, width + 3), np.clip(y, -4, height + 3)
        apart = np.abs(maps[i] - np.stack([x, y], 2)).max()
        inside = (x >= 0) & (y >= 0) & (x <= width - 1) & (y <= height - 1)
        limit(f"{what} {i}: positions apart by {apart:.6f} px", apart < 1e-3)
        limit(f"{what} {i}: {inside.mean():.3f} of the frame, as OpenCV has it",
              (valid[i].astype(bool) != inside).mean() < 1e-4)
        # OpenCV's bilinear remap has 1/32 px, and ours is cubic
        theirs = cv2.remap(frames[i], x, y, cv2.INTER_LINEAR)
        differ = np.abs(samples[i] / 16 - theirs)[inside].mean()
        limit(f"{what} {i}: greys differ by {differ:.2f}", differ < 1)


def smooth(shape, random):
    noise = random.integers(0, 256, shape).astype(np.uint8)
    return cv2.GaussianBlur(noise, (0, 0), 3)


def rotation(random, most):
    return cv2.Rodrigues(random.uniform(-most, most, 3))[0]


def random_views(width, height, n, random):
    """Lenses of @n numbers, turned by a few degrees."""
    views = []
    for _ in range(2):
        f = width * random.uniform(0.8, 1.2)
        k = np.float64([[f, 0, width / 2 + 7], [0, f * 1.01, height / 2 - 5],
                        [0, 0, 1]])
        d = random.uniform(-0.02, 0.02, n)
        d[0] = random.uniform(-0.25, 0.1)
        p = np.hstack([np.diag([f * 0.9, f * 0.9, 1]), np.zeros((3, 1))])
        p[:2, 2] = width / 2, height / 2
        views.append((k, fourteen(d), rotation(random, 0.05), p))
    return views


def chessboards(folder):
    def read(name):
        storage = cv2.FileStorage(str(folder / name), cv2.FILE_STORAGE_READ)
        return lambda key: storage.getNode(key).mat()

    intrinsics = read("intrinsics_computed.yml")
    extrinsics = read("extrinsics_computed.yml")
    views = [(intrinsics(f"M{i}"), fourteen(intrinsics(f"D{i}")),
              extrinsics(f"R{i}"), extrinsics(f"P{i}")) for i in (1, 2)]
    rows, sides = [], []
    for n in (*range(1, 10), *range(11, 15)):
        frames = [cv2.imread(str(folder / f"{side}{n:02}.jpg"),
                             cv2.IMREAD_GRAYSCALE)
                  for side in ("left", "right")]
        if n == 1:
            check_maps("chessboard", views, frames)
        seen = [corners(np.uint8(np.minimum(s / 16 + 0.5, 255)))
                for s in rectify(views, frames)[2]]
        limit("the board is found in the rectified frames",
              all(s is not None for s in seen))
        left, right = (s[:, 0] for s in seen)
        rows.append(np.abs(left[:, 1] - right[:, 1]))
        sides.append(squares(extrinsics("Q"), left, right))
    rows, sides = np.concatenate(rows), np.concatenate(sides)
    limit(f"rows of corners are apart by {rows.mean():.3f} px",
          rows.mean() < 0.3)
    limit(f"squares are {sides.mean():.4f} of their size, deviation "
          f"{sides.std():.4f}", abs(sides.mean() - 1) < 0.005
          and sides.std() < 0.012)


def squares(q, left, right):
    space = q @ np.stack([left[:, 0], left[:, 1], left[:, 0] - right[:, 0],
                          np.ones(len(left))])
    grid = (space[:3] / space[3]).T.reshape(BOARD[1], BOARD[0], 3)
    return np.concatenate([
        np.linalg.norm(np.diff(grid, axis=a), axis=2).ravel() for a in (0, 1)])


def main():
    seed = 1
    print("seed", seed)
    random = np.random.default_rng(seed)
    for width, height, n in (320, 240, 5), (333, 201, 8), (200, 301, 12), \
            (321, 123, 14):
        frames = [smooth((height, width), random) for _ in range(2)]
        check_maps(f"{n} numbers", random_views(width, height, n, random),
                   frames)
    folder = Path(os.environ.get("VISION_TEST_DATA", "/")) / \
        "stereo/opencv_chessboard"
    if folder.is_dir():
        chessboards(folder)
    else:
        print("VISION_TEST_DATA names no folder with chessboards")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
