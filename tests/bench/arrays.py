#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""gstvision's functions of arrays beside others, whichever are installed: connected
components by connected-components-3d, OpenCV, SciPy and, on a GPU, CuPy; the earth mover's
distance of histograms by POT and OpenCV; disparity by OpenCV's semi-global matching.

    meson devenv -C build tests/bench/arrays.py        on the CPU
    meson devenv -C build tests/bench/arrays.py gpu    with CuPy

The median of nine calls (three of slow ones), milliseconds: on the CPU those of the one
thread that works, so that other work on the machine does not count; on a GPU the wall's."""
import importlib
import itertools
import statistics
import sys
import time

import gstvision
import numpy

rng = numpy.random.default_rng(3)


def milliseconds(function, n=9, clock=time.thread_time):
    function()
    times = []
    for _ in range(n):
        begin = clock()
        function()
        times.append(1000 * (clock() - begin))
        if sum(times) > 3000 and len(times) >= 3:
            break
    return f"{statistics.median(times):9.3f}"


def module(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"{name}: not installed")
        return None


def blobs(side):
    """Blobs of some 40 pixels: noise whose neighbourhoods were averaged."""
    small = rng.random((side // 16 + 3, side // 16 + 3))
    weights = numpy.linspace(0, 1, 16, endpoint=False)
    rows = numpy.concatenate([small[i] + (small[i + 1] - small[i]) * weights[:, None]
                              for i in range(len(small) - 1)])
    both = numpy.concatenate([rows[:, i:i + 1] + (rows[:, i + 1:i + 2] - rows[:, i:i + 1]) *
                              weights for i in range(rows.shape[1] - 1)], axis=1)
    return (both[:side, :side] > .5).astype("u1")


def components():
    peers = {name: module(name) for name in ("cc3d", "cv2", "scipy.ndimage")}
    if peers["cv2"]:
        peers["cv2"].setNumThreads(1)
    for side in 640, 4096:
        for kind, mask in ("blobs", blobs(side)), \
                ("noise", (rng.random((side, side)) < .5).astype("u1")):
            ours = gstvision.components(mask > 0, n_threads=1)
            told = [f"{side}^2 {kind}, {ours.n} components: here " + milliseconds(
                lambda: gstvision.components(mask, threshold=1, n_threads=1))]
            if c := peers["cc3d"]:
                assert c.connected_components(mask, connectivity=4).max() == ours.n
                told.append("cc3d " + milliseconds(lambda: c.statistics(
                    c.connected_components(mask, connectivity=4))))
                told.append("labels alone " + milliseconds(
                    lambda: c.connected_components(mask, connectivity=4)))
            if c := peers["cv2"]:
                told.append("OpenCV " + milliseconds(
                    lambda: c.connectedComponentsWithStats(mask, connectivity=4)))
            if c := peers["scipy.ndimage"]:
                told.append("SciPy, labels alone " + milliseconds(lambda: c.label(mask)))
            print(", ".join(told))


def distances():
    """Of histograms of 11 x 11 pixels, for each pixel; others for some of them."""
    ot, cv2 = module("ot"), module("cv2")
    # a new picture each time, since a pixel that stays as it was costs nothing
    pictures = itertools.cycle(rng.integers(0, 256, (11, 480, 640), dtype="u1"))
    target = numpy.arange(1, 12)
    costs = numpy.abs(numpy.subtract.outer(range(11), range(11))).astype(float)
    few = rng.dirichlet([1] * 11, 2000)
    goal = target / target.sum()
    print("640x480 maps of 11 bins: here, line "
          + milliseconds(lambda: gstvision.emd_map(next(pictures), target, n_threads=1))
          + ", any distance " + milliseconds(
              lambda: gstvision.emd_map(next(pictures), target, costs ** .5, n_threads=1)))
    scale = 480 * 640 / len(few)
    if ot:
        t = float(milliseconds(lambda: [ot.emd2(h, goal, costs) for h in few], 3))
        print(f"POT, {len(few)} histograms: {t:.1f}; of all pixels {t * scale:.0f}")
    if cv2:
        rows, to = few.astype("f4")[:, :, None], goal.astype("f4")[:, None]
        cost = costs.astype("f4")
        t = float(milliseconds(
            lambda: [cv2.EMD(h, to, cv2.DIST_USER, cost) for h in rows], 3))
        print(f"OpenCV, {len(few)} histograms: {t:.1f}; of all pixels {t * scale:.0f}")


def disparities():
    cv2 = module("cv2")
    left = rng.integers(0, 256, (480, 640), dtype="u1")
    left = left // 2 + numpy.roll(left, 1, 1) // 2
    right = numpy.roll(left, -20, 1)
    print("640x480, 64 disparities: here " + milliseconds(
        lambda: gstvision.stereo(left, right, min_disparity=0, max_disparity=64,
                                 n_threads=1)))
    if cv2:
        cv2.setNumThreads(1)
        matcher = cv2.StereoSGBM_create(0, 64, 5, 200, 800)
        print("OpenCV's semi-global matching " + milliseconds(
            lambda: matcher.compute(left, right)))


def on_gpu():
    import cupy
    from cupyx.scipy import ndimage
    wait, wall = cupy.cuda.get_current_stream().synchronize, time.perf_counter
    for side in 640, 4096:
        for kind, mask in ("blobs", blobs(side)), \
                ("noise", (rng.random((side, side)) < .5).astype("u1")):
            there = cupy.asarray(mask)
            host = gstvision.components(mask, threshold=1)
            ours = gstvision.components(there, threshold=1)
            assert (cupy.asnumpy(cupy.asarray(ours.labels)) ==
                    numpy.asarray(host.labels)).all() and ours.objects == host.objects
            print(f"{side}^2 {kind}: here "
                  f"{milliseconds(lambda: gstvision.components(there, threshold=1), 99, wall)}, "
                  f"CuPy, labels alone {milliseconds(lambda: (ndimage.label(there), wait()), 99, wall)}")
    picture = rng.integers(0, 256, (480, 640, 3), dtype="u1")
    grey, target = picture[:, :, 0].copy(), range(1, 12)
    for name, gpu, cpu in (
            ("emd_map", gstvision.emd_map(cupy.asarray(grey), target),
             gstvision.emd_map(grey, target)),
            ("stereo", gstvision.stereo(cupy.asarray(grey), cupy.asarray(grey)).disparity,
             gstvision.stereo(grey, grey).disparity)):
        assert (cupy.asnumpy(cupy.asarray(gpu)) == numpy.asarray(cpu)).all(), name
    for stream in None, cupy.cuda.Stream(non_blocking=True):
        assert gstvision.colours(cupy.asarray(picture), "a:#203040~30", stream=stream) == \
            gstvision.colours(picture, "a:#203040~30")
    print("the GPU's results are those of the CPU")


if __name__ == "__main__":
    if sys.argv[1:] == ["gpu"]:
        on_gpu()
    else:
        components()
        distances()
        disparities()
