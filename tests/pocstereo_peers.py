#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""pocstereo on real pairs beside what OpenCV offers:

    VISION_TEST_DATA=FOLDER BUILD=build PYTHON tests/pocstereo_peers.py [--write]

prints the tables of docs/lab/pocstereo.md, section "Stereo pairs beside peers", which
--write puts there.  It needs PYTHON with OpenCV and NumPy, and is skipped without
(python3 -m venv VENV; VENV/bin/pip install opencv-python-headless; PYTHON is
VENV/bin/python).  Times are of this machine: nothing else should run."""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import measured

try:
    import cv2
    import numpy as np
except ImportError:
    print("SKIP: this Python has no cv2 or no NumPy")
    sys.exit(77)

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("BUILD", ROOT / "build")).resolve()
PAGE = ROOT / "docs/lab/pocstereo.md"
BEGIN, END = "<!-- stereo peers -->\n", "<!-- end of stereo peers -->\n"

# Name, folder, views, truth of both, grey levels a pixel of disparity, range.
PAIRS = (
    ("Wood2", "mb2006_Wood2", "view1 view5", "disp1.png disp5.png", 2, 112),
    ("teddy", "mb2003_teddy", "im2 im6", "disp2.pgm disp6.pgm", 4, 64),
    ("cones", "mb2003_cones", "im2 im6", "disp2.png disp6.png", 4, 64),
    ("Motorcycle", "mb2014_Motorcycle", "motorcycle_left motorcycle_right",
     "motorcycle_disp.npz", 1, 64),
    ("Reindeer", "mb2005_Reindeer", "view1 view5", "disp1.png disp5.png", 2,
     112),
    ("Cloth3", "mb2006_Cloth3", "view1 view5", "disp1.png disp5.png", 2, 112))
SCALE = 1 / 256  # pixels a step of pocstereo's output
POINTS = "window=32 lines=15 bandwidth=8 weight=rectangle fit=closed-form " \
    "candidates=1 left-right=false revote=false speckle-size=0 fill=false " \
    "smooth=false"
# As the preset of this name.
FAST = "min-peak=0.2 left-right=false fill=false"
# Before gaps were filled, surfaces smoothed and layers fewer.
BEFORE = "fill=false smooth=false speckle-size=200 layers=4 paths=false"
GREY = "videoconvert ! video/x-raw,format=GRAY8"
MOVED, SIZE, EDGE = ("Wood2", "Cloth3", "Motorcycle"), (480, 320), 24
SHIFTS = 3.1, 4.77, 6.43, 8.1, 9.77


# ---- Pairs, and which of their pixels both views show ----

class Pair:
    def __init__(self, data, row):
        self.name, folder, views, truth, scale, self.range = row
        folder = data / "stereo" / folder
        self.files = [folder / f"{view}.png" for view in views.split()]
        self.views = [cv2.imread(str(file)) for file in self.files]
        if scale == 1:
            self.truth = np.load(folder / truth)["arr_0"].astype(float)
            self.truth[~np.isfinite(self.truth)] = np.nan
            self.visible = self.by_warp()
        else:
            self.truth, right = [self.picture(folder / f, scale)
                                 for f in truth.split()]
            self.visible = self.by_pair(right, .25 if scale == 2 else 0)
        self.hidden = np.isfinite(self.truth) & ~self.visible

    @classmethod
    def of_left(cls, name, files, truth, most):
        """One of which the truth is that of the left view alone."""
        pair = cls.__new__(cls)
        pair.name, pair.files, pair.range = name, files, most
        pair.views = [cv2.imread(str(file)) for file in files]
        pair.truth = truth
        pair.visible = pair.by_warp()
        pair.hidden = np.isfinite(truth) & ~pair.visible
        return pair

    @staticmethod
    def picture(file, scale):
        """Half pixels were cut, not rounded."""
        grey = cv2.imread(str(file), cv2.IMREAD_GRAYSCALE).astype(float)
        return np.where(grey, grey / scale + (.25 if scale == 2 else 0), np.nan)

    def places(self, cut=0):
        """The columns of the right view, and which of them are in it."""
        x = np.arange(self.truth.shape[1])[None] - self.truth + cut
        inside = (np.rint(x) >= 0) & (np.rint(x) < self.truth.shape[1])
        return np.where(inside, np.rint(x), 0).astype(int), inside

    def by_pair(self, right, cut):
        q, inside = self.places(cut)
        return inside & (np.abs(np.take_along_axis(right, q, 1) -
                                self.truth) <= 1)

    def by_warp(self):
        """What nothing nearer hides."""
        q, inside = self.places()
        nearest = np.zeros_like(self.truth)
        rows = np.broadcast_to(np.arange(len(q))[:, None], q.shape)
        np.maximum.at(nearest, (rows[inside], q[inside]), self.truth[inside])
        return inside & (self.truth >= np.take_along_axis(nearest, q, 1) - 1)

    def score(self, found):
        """M and > 2 px of what both views show, and what share of the rest gets
        a disparity, percent."""
        error = np.abs(found - self.truth)
        there = self.visible & np.isfinite(found)
        known = self.visible.sum()
        return (100 * (1 - (there & (error <= 1)).sum() / known),
                100 * (error[there] > 2).sum() / there.sum(),
                100 * np.isfinite(found[self.hidden]).mean())

    def parts(self, found):
        """Density, > 1 px and > 2 px of the matches, and M, percent."""
        there = self.visible & np.isfinite(found)
        error = np.abs(found - self.truth)[there]
        return (100 * there.sum() / self.visible.sum(),
                100 * (error > 1).mean(), 100 * (error > 2).mean(),
                self.score(found)[0])


# ---- Matchers: from two files to disparities; NaN: none ----

def line(files, settings, frames, what="videoconvert ! video/x-raw,format=RGB",
         end=f"output=disparity disparity-scale={SCALE} ! fdsink"):
    views = [f"filesrc location={file} ! pngdec ! {what} ! imagefreeze "
             f"num-buffers={frames} ! queue ! p.sink_{side}"
             for file, side in zip(files, ("left", "right"))]
    return (f"{views[0]} {views[1]} pocstereo name=p backend=cpu {settings} "
            f"{end}").split()


def run(files, settings, frames=1, **kinds):
    return subprocess.run(
        ["gst-launch-1.0", "-q", *line(files, settings, frames, **kinds)],
        check=True, timeout=300, capture_output=True).stdout


def pocstereo(settings, **kinds):
    def match(files, views, most):
        steps = np.frombuffer(
            run(files, f"max-disparity={most} {settings}", **kinds), "<u2")
        steps = steps.reshape(views[0].shape[0], -1)[:, :views[0].shape[1]]
        return np.where(steps > 0, (steps - 1.) * SCALE, np.nan)
    return match


def matches(files, settings):
    """x, y, disparity, sigma and confidence of a grid of points."""
    said = run(files, f"mode=points {settings}",
               end="! visionjson lists=true ! fakesink")
    return np.array([m["values"] for m in json.loads(said)["maps"]
                     if m["kind"] == "matches"][0])


def points(files, views, most):
    """Each point of a grid stands for the pixels up to the next."""
    found = np.full(views[0].shape[:2], np.nan)
    for x, y, d, *_ in matches(files, f"grid-spacing=4 max-disparity={most}"):
        found[int(y):int(y) + 4, int(x):int(x) + 4] = d
    return found


def peer(make, channels=1):
    """Without a border, the first columns of the left view get nothing."""
    def match(_, views, most):
        if channels == 1:
            views = [cv2.cvtColor(v, cv2.COLOR_BGR2GRAY) for v in views]
        views = [cv2.copyMakeBorder(v, 0, 0, most, 0, cv2.BORDER_REPLICATE)
                 for v in views]
        found = make(most).compute(*views)[:, most:] / 16
        return np.where(found >= 0, found, np.nan)
    return match


def sgbm(mode, channels=1):
    return peer(lambda most: cv2.StereoSGBM_create(
        0, most, 3, P1=8 * 9 * channels, P2=32 * 9 * channels, disp12MaxDiff=1,
        preFilterCap=63, uniquenessRatio=10, speckleWindowSize=200,
        speckleRange=2, mode=mode), channels)


PEERS = {
    "SGBM": sgbm(cv2.StereoSGBM_MODE_HH, channels=3),
    "SGBM of grey": sgbm(cv2.StereoSGBM_MODE_HH),
    "3WAY": sgbm(cv2.StereoSGBM_MODE_SGBM_3WAY),
    "BM": peer(lambda most: cv2.StereoBM_create(most, 15))}
MATCHERS = {
    "`dense`": pocstereo(""), "`fast`": pocstereo(FAST), **PEERS,
    "`dense` before": pocstereo(BEFORE),
    "`fast` before": pocstereo(
        FAST + " min-peak=0.35 speckle-size=0 candidates=1 revote=false "
        "smooth=false layers=4")}


def pairs(loaded):
    rows = ["| M / > 2 px, % | " + " | ".join(p.name for p in loaded) +
            " | mean | of what one view shows |",
            "|---" * (3 + len(loaded)) + "|"]
    for name, match in MATCHERS.items():
        scores = [pair.score(match(pair.files, pair.views, pair.range))
                  for pair in loaded]
        scores.append(np.mean(scores, axis=0))
        rows.append(f"| {name} | " + " | ".join(
            "{:.1f} / {:.2f}".format(*s) for s in scores) +
            f" | {scores[-1][2]:.0f} |")
    return rows


# ---- Grey of eight bits ----

def greys(loaded):
    """Colours; grey that is rounded; grey as videoconvert makes it."""
    rows = ["| M of `dense` | colours | rounded grey | GRAY8 of videoconvert |",
            "|---|---|---|---|"]
    for pair in loaded:
        with tempfile.TemporaryDirectory() as folder:
            files = [f"{folder}/{i}.png" for i in (0, 1)]
            for file, view in zip(files, pair.views):
                cv2.imwrite(file, cv2.cvtColor(view, cv2.COLOR_BGR2GRAY))
            scores = [pair.score(match(of, pair.views, pair.range))[0]
                      for match, of in (
                          (pocstereo(""), pair.files), (pocstereo(""), files),
                          (pocstereo("", what=GREY), pair.files))]
        rows.append(f"| {pair.name} | " + " | ".join(
            f"{s:.1f}" for s in scores) + " |")
    return rows


# ---- Views that are moved by parts of a pixel ----

def moved(view, shift, rng):
    """The view and what is @shift pixels farther left, by Fourier, with noise of
    one grey level on both: the middle of each."""
    waves = np.fft.rfft(view.astype(float), axis=1)
    k = np.fft.rfftfreq(view.shape[1])[None, :, None]
    right = np.fft.irfft(waves * np.exp(2j * np.pi * k * shift), view.shape[1],
                         axis=1)
    x, y = (view.shape[1] - SIZE[0]) // 2, (view.shape[0] - SIZE[1]) // 2
    return [np.clip(np.rint(v[y:y + SIZE[1], x:x + SIZE[0]] +
                            rng.normal(0, 1, (SIZE[1], SIZE[0], 3))), 0,
                    255).astype(np.uint8) for v in (view.astype(float), right)]


def fractions(loaded):
    loaded = {pair.name: pair for pair in loaded}
    rows = ["| RMS / median, px; found, % | " + " | ".join(MOVED) + " |",
            "|---" * (1 + len(MOVED)) + "|"]
    matchers = {"`dense`": pocstereo(""), "`dense` before": pocstereo(BEFORE),
                "points, 32x15": points,
                "every pixel as the paper's points": pocstereo(POINTS),
                "`dense`, 32x15 windows": pocstereo("window=32 lines=15"),
                "`fast`": pocstereo(FAST), **PEERS}
    cells = {name: [] for name in matchers}
    for name in MOVED:
        rng, errors = np.random.default_rng(1), {m: [] for m in matchers}
        for shift in SHIFTS:
            views = moved(loaded[name].views[0], shift, rng)
            with tempfile.TemporaryDirectory() as folder:
                files = [f"{folder}/{i}.png" for i in (0, 1)]
                for file, view in zip(files, views):
                    cv2.imwrite(file, view)
                for m, match in matchers.items():
                    found = match(files, views, 16)[EDGE:-EDGE, EDGE:-EDGE]
                    errors[m].append(np.abs(found - shift).ravel())
        for m, all_of in errors.items():
            e = np.concatenate(all_of)
            near = e[e < .5]
            cells[m].append("{:.3f} / {:.3f}; {:.0f}".format(
                np.sqrt((near ** 2).mean()), np.median(near),
                100 * np.isfinite(e).mean()))
    return rows + [f"| {m} | " + " | ".join(c) + " |" for m, c in cells.items()]


# ---- What all lines of a window share ----

def compressed(view, path):
    """A view that is blurred by a pixel and compressed, as PNG."""
    view = cv2.GaussianBlur(np.clip(view, 0, 255), (0, 0), 1)
    coded = cv2.imencode(".jpg", np.rint(view), (cv2.IMWRITE_JPEG_QUALITY, 90))
    cv2.imwrite(path, cv2.imdecode(coded[1], cv2.IMREAD_GRAYSCALE))


def shared(folder):
    """Photographs of a chessboard, moved by Fourier: the mean of the errors of
    a view, and the share of them within sigma."""
    fits = {"points, 32x15": "", "the same, closed form": "fit=closed-form",
            "the same, Newton's fit, Gaussian weights": "fit=newton "
            "weight=gaussian"}
    found = {fit: [] for fit in fits}
    for name in "left01", "left06", "left12":
        view = cv2.imread(f"{folder}/{name}.jpg", cv2.IMREAD_GRAYSCALE)
        waves, n = np.fft.rfft(view.astype(float), axis=1), view.shape[1]
        for shift in 8.25, 8.5, 8.75:
            turn = np.exp(2j * np.pi * np.fft.rfftfreq(n) * shift)
            with tempfile.TemporaryDirectory() as there:
                files = [f"{there}/{i}.png" for i in (0, 1)]
                compressed(view.astype(float), files[0])
                compressed(np.fft.irfft(waves * turn, n, axis=1), files[1])
                for fit, settings in fits.items():
                    m = matches(files, f"grid-spacing=6 max-disparity=32 "
                                f"{settings}")
                    inside = np.all((m[:, :2] > (60, 20)) &
                                    (m[:, :2] < (580, 460)), axis=1)
                    error, sigma = m[inside, 2] - shift, m[inside, 3]
                    near = np.abs(error) < .5
                    found[fit].append((
                        abs(error[near].mean()),
                        100 * (np.abs(error) < sigma)[near].mean()))
    rows = ["| chessboards, blurred and in JPEG | common error, px: mean of nine "
            "| greatest | within sigma, % |", "|---|---|---|---|"]
    for fit, nine in found.items():
        off, within = np.array(nine).T
        rows.append(f"| {fit} | {off.mean():.3f} | {off.max():.3f} | "
                       f"{within.min():.0f} to {within.max():.0f} |")
    return rows


# ---- Seconds a frame of Motorcycle ----

def spent(work):
    """Wall and CPU seconds, those of child processes, too."""
    def now():
        return [time.perf_counter()] + [sum(resource.getrusage(who)[:2]) for who in (
            resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    before = now()
    work()
    wall, own, children = (b - a for a, b in zip(before, now()))
    return np.array([wall, own + children])


def least(work, tries=5):
    return np.min([spent(work) for _ in range(tries)], axis=0)


def times(pair):
    """pocstereo's by two numbers of frames, so that the start does not count."""
    rows = ["| Motorcycle, 741x500, disparities 0 to 64, seconds a frame | wall | "
            "CPU |", "|---|---|---|"]
    seconds = {}
    for name, settings in (("`dense`", ""), ("`fast`", FAST)):
        few, many = [least(lambda n=n, s=settings: run(
            pair.files, f"max-disparity={pair.range} {s}", frames=n))
            for n in (2, 8)]
        seconds[name] = (many - few) / 6
    for name, match in PEERS.items():
        seconds[f"OpenCV {name}"] = least(
            lambda m=match: m(None, pair.views, pair.range))
    return rows + ["| {} | {:.3f} | {:.3f} |".format(name, *s)
                   for name, s in seconds.items()]


def main():
    data = Path(os.environ.get("VISION_TEST_DATA", ""))
    if not (data / "stereo/mb2006_Wood2").is_dir():
        print("SKIP: VISION_TEST_DATA names no folder with stereo pairs")
        sys.exit(77)
    os.environ.setdefault("GST_PLUGIN_PATH", str(BUILD / "gst"))
    loaded = [Pair(data, row) for row in PAIRS]
    rows = [f"OpenCV {cv2.__version__}.", ""]
    for table in (pairs(loaded), greys(loaded), fractions(loaded),
                  shared(data / "stereo/opencv_chessboard"), times(loaded[3])):
        rows += table + [""]
    print("\n".join(rows))
    if "--write" in sys.argv[1:]:
        measured.write(PAGE, BEGIN, END, rows)


if __name__ == "__main__":
    main()
