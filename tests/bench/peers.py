#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What moct's sums cost with CuPy, the way one would write them there: a table
lookup and weighted bin counts, or a mask and sums for each colour.  Prints
microseconds a frame by CUDA events, frames rotated beyond the cache."""
import sys

try:
    import cupy as cp
except ImportError:
    sys.exit("CuPy is not there")


def frames(width, height, count):
    rng = cp.random.default_rng(1)
    return [rng.integers(0, 256, (height, width, 4), dtype=cp.uint8)
            for _ in range(count)]


def by_table(frame, table, x, y, n):
    ids = table[frame[..., 0] >> 3, frame[..., 1] >> 3, frame[..., 2] >> 3]
    ids = ids.ravel()
    return (cp.bincount(ids, minlength=n + 1),
            cp.bincount(ids, weights=x, minlength=n + 1),
            cp.bincount(ids, weights=y, minlength=n + 1))


def by_mask(frame, lows, highs, x, y):
    sums = []
    for low, high in zip(lows, highs):
        mask = ((frame[..., :3] >= low) & (frame[..., :3] <= high)).all(axis=2)
        mask = mask.ravel()
        sums.append((mask.sum(), (mask * x).sum(), (mask * y).sum()))
    return sums


def measure(call, clip, rounds=30):
    for frame in clip[:3]:
        call(frame)
    start, end = cp.cuda.Event(), cp.cuda.Event()
    start.record()
    for i in range(rounds):
        call(clip[i % len(clip)])
    end.record()
    end.synchronize()
    return 1000 * cp.cuda.get_elapsed_time(start, end) / rounds


print("method,size,colours,us a frame")
for width, height in ((1920, 1080), (3840, 2160)):
    clip = frames(width, height, 16)
    grid = cp.arange(width * height)
    x, y = (grid % width).astype(cp.float64), (grid // width).astype(cp.float64)
    for n in (1, 8, 128):
        rng = cp.random.default_rng(n)
        table = rng.integers(0, n + 1, (32, 32, 32), dtype=cp.int32)
        us = measure(lambda f: by_table(f, table, x, y, n), clip)
        print(f"CuPy table + bincount,{width}x{height},{n},{us:.0f}")
        if n <= 8:
            lows = rng.integers(0, 200, (n, 3)).astype(cp.uint8)
            us = measure(lambda f: by_mask(f, lows, lows + 50, x, y), clip)
            print(f"CuPy mask a colour,{width}x{height},{n},{us:.0f}")
