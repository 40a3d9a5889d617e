#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Known answers for trajectory_error.py, and figures that others published.

Where VISION_TEST_DATA names a folder with rgbd/trajectories_evo, the trajectories
of two TUM sequences are measured, too."""
import contextlib
import math
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import trajectory_error as tr

TOOL = Path(__file__).with_name("trajectory_error.py")
ROUND = 1e-12


def near(a, b, off=ROUND):
    assert abs(a - b) <= off, f"{a} is not {b} +- {off}"


def at(x, y, z):
    return (x, y, z), (1., 0., 0., 0.)


def about(axis, degrees):
    half = math.radians(degrees) / 2
    return (math.cos(half), *(math.sin(half) * (k == axis) for k in range(3)))


def draw(rng, far=1.):
    q = [rng.gauss(0, 1) for _ in range(4)]
    norm = math.hypot(*q)
    return tuple(rng.uniform(-far, far) for _ in range(3)), \
        tuple(x / norm for x in q)


def moved_whole():
    """The same trajectory in another world has no error."""
    rng = random.Random(1)
    for _ in range(20):
        truth, move = [draw(rng) for _ in range(9)], draw(rng, 5)
        estimate = [tr.chain(move, p) for p in truth]
        near(tr.ate(truth, estimate).most, 0)
        near(tr.ate(truth, estimate, True).most, 0)
        for errors in tr.rpe(range(9), truth, estimate):
            near(errors.most, 0, 1e-6)


def grown_square():
    """A unit square, twice as large: corners are sqrt(1/2) off, or, seen from the
    first, 0, 1, sqrt(2) and 1."""
    truth = [at(0, 0, 0), at(1, 0, 0), at(1, 1, 0), at(0, 1, 0)]
    estimate = [at(2 * p[0] + 7, 2 * p[1] - 3, 1) for p, _ in truth]
    errors = tr.ate(truth, estimate)
    near(errors.rmse, math.sqrt(.5))
    near(errors.mean, math.sqrt(.5))
    errors = tr.ate(truth, estimate, True)
    near(errors.rmse, 1)
    near(errors.mean, (2 + math.sqrt(2)) / 4)
    near(errors.median, 1)
    near(errors.most, math.sqrt(2))


def mirrored():
    """A mirror image is not the same thing turned."""
    truth = [at(1, 0, 0), at(-1, 0, 0), at(0, 2, 0), at(0, -2, 0), at(0, 0, 3),
             at(0, 0, -3)]
    estimate = [at(-p[0], p[1], p[2]) for p, _ in truth]
    # the best turn leaves the two points on x where they are: 2 apart each
    near(tr.ate(truth, estimate).rmse, math.sqrt(2 * 4 / 6))


def best_alignment():
    """No small change of the alignment fits better."""
    rng = random.Random(2)
    for _ in range(20):
        truth = [draw(rng) for _ in range(12)]
        estimate = [draw(rng) for _ in range(12)]
        a, b = [p[0] for p in truth], [p[0] for p in estimate]
        move = tr.align(a, b)

        def cost(move):
            return sum(math.dist(p, tr.chain(move, (q, (1, 0, 0, 0)))[0]) ** 2
                       for p, q in zip(a, b))
        least = cost(move)
        near(math.hypot(*move[1]), 1)
        for _ in range(50):
            way = tuple(rng.gauss(0, 1e-3) for _ in range(3))
            step = way, about(rng.randrange(3), rng.gauss(0, .1))
            assert cost(tr.chain(step, move)) >= least - 1e-12


def drift():
    """1 % too far and half a degree too much a frame; 10 frames of it within a
    second of 10."""
    times = [i / 10 for i in range(30)]
    truth = [at(i, 0, 0) for i in range(30)]
    longer = [at(1.01 * i, 0, 0) for i in range(30)]
    turned = [((i, 0, 0), about(2, .5 * i)) for i in range(30)]
    way, angle = tr.rpe(times, truth, longer)
    assert way.n == 29
    near(way.rmse, .01)
    near(angle.most, 0)
    way, angle = tr.rpe(times, truth, longer, 1, "seconds")
    assert way.n == 20
    near(way.mean, .1)
    way, angle = tr.rpe(times, truth, turned, 4)
    assert way.n == 26
    near(angle.rmse, 2, 1e-9)
    near(angle.most, 2, 1e-9)


def association():
    """The closest come first, each time once; the limit is not included."""
    poses = dict.fromkeys
    assert tr.associate(poses([1., 2., 3.]), poses([1.01, 2.01, 2.995])) == \
        [(1., 1.01), (2., 2.01), (3., 2.995)]
    assert tr.associate(poses([1., 1.01]), poses([1.006])) == [(1.01, 1.006)]
    assert tr.associate(poses([1., 1.03]), poses([1.01, 1.012])) == \
        [(1., 1.01), (1.03, 1.012)]
    assert tr.associate(poses([0.]), poses([.5, 1.]), .5) == []
    assert tr.associate(poses([0.]), poses([.5, 1.]), .6) == [(0., .5)]
    assert tr.associate(poses([5.]), poses([2.])) == []
    assert tr.associate(poses([5.]), poses([2.]), offset=3.) == [(5., 2.)]


@contextlib.contextmanager
def written(*texts):
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / str(i) for i in range(len(texts))]
        for path, text in zip(paths, texts):
            path.write_text(text, encoding="latin-1")
        yield paths


GOOD = "# a comment\n1 0 0 0 0 0 0 1\n\n1.1,1,0,0,0,0,0,2\n1.2 1 1 0 0 0 0 1\n"


def files():
    """Comments, commas and quaternions of any length; what is wrong is refused
    with the file's name and the line."""
    with written(GOOD) as (path,):
        poses = tr.read(path)
    assert list(poses) == [1, 1.1, 1.2]
    assert poses[1.1] == ((1, 0, 0), (1, 0, 0, 0))
    bad = ["", "# nothing\n", "1 2 3\n", "1 0 0 0 0 0 0 0\n", "\xe4\xff\n",
           "1 nan 0 0 0 0 0 1\n", "1 0 0 0 0 0 0 1 5\n", "x 0 0 0 0 0 0 1\n"]
    for text in bad:
        with written(text) as (path,):
            try:
                tr.read(path)
            except tr.Bad as error:
                assert str(path) in str(error)
            else:
                assert False, f"{text!r} was read"


def command():
    """What it prints, and that it says what is wrong."""
    def run(*arguments):
        return subprocess.run([sys.executable, TOOL, *map(str, arguments)],
                              capture_output=True, text=True, check=False)
    with written(GOOD, GOOD, "9 0 0 0 0 0 0 1\n", "1 0 0 0 0 0 0 1\n") as \
            (a, b, late, short):
        good = run(a, b, "--delta", 2)
        assert good.returncode == 0, good.stderr
        assert good.stdout.startswith("pairs         3\n"), good.stdout
        assert good.stdout.count("rmse 0.000000") == 4, good.stdout
        for arguments, words in [((a, late), "clock"), ((a, short), "apart"),
                                 ((a, "/nowhere"), "cannot be read"),
                                 ((a, b, "--delta", ".5"), "whole"),
                                 ((a, b, "--delta", "nan"), "positive"),
                                 ((a, b, "--delta", 3), "apart")]:
            bad = run(*arguments)
            assert bad.returncode and words in bad.stderr, (words, bad.stderr)
            assert "Traceback" not in bad.stderr, bad.stderr


def published():
    """fr2_desk is in evo's doc/performance.md; the other was worked out by
    TUM's script."""
    folder = Path(os.environ.get("VISION_TEST_DATA", "/")) / \
        "rgbd" / "trajectories_evo"
    if not folder.is_dir():
        print("SKIP: VISION_TEST_DATA names no folder with trajectories")
        return
    for truth, estimate, n, rmse, *rest in [
            ("fr2_desk_groundtruth", "fr2_desk_ORB", 2223, "0.008144",
             "0.007514", "0.007432", "0.024329"),
            ("freiburg1_xyz-groundtruth", "freiburg1_xyz-rgbdslam", 786,
             "0.013473")]:
        times, a, b = tr.compare(tr.read(folder / f"{truth}.txt"),
                                 tr.read(folder / f"{estimate}.txt"))
        errors = tr.ate(a, b)
        assert len(times) == errors.n == n
        assert f"{errors.rmse:.6f}" == rmse
        for value, text in zip([errors.mean, errors.median, errors.most], rest):
            assert f"{value:.6f}" == text


for part in [moved_whole, grown_square, mirrored, best_alignment, drift,
             association, files, command, published]:
    part()
    print("ok  ", part.__name__)
