#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The evaluation of M. Korn, D. Sanders and J. Pauli, "Moving Object Detection by
Connected Component Labeling of Point Cloud Registration Outliers on the GPU",
VISAPP 2017, section 4, and what it does not compare, as files in a folder:

    pipelines/kinfumot.sh paper FOLDER [cuda] [PATH…]

PATH is parallel, towards, frontal, away, pass, rotation or body, which is 60 real
frames into which a body was set, where VISION_TEST_DATA names them; without any,
all.  cuda: on the GPU, where detection by kinfumot's maps has all 20 least sizes; a
CPU tries one, since it takes long.  FRAMES=30 ends each path after 30
frames.  Each step says how long those before it took.

paper.md sums up the others: figure7-*.csv and .svg (equation 3 over frame and least
size, and the start of each detector), runtime.csv (table 1 and figure 8),
objects-*.csv (signed and unsigned distance, without the ring), axes.csv and
figure9.png."""
import csv
import os
import subprocess
import sys
import time
from collections import defaultdict
from itertools import takewhile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / os.environ.get("BUILD", "build") / "tests"
PATHS = "parallel towards frontal away pass rotation body".split()
WAYS = {"signed": [], "unsigned, the paper's": ["unsigned"],
        "signed, without the ring": ["no-ring"]}
WINDOW = "window", "0"
PRESETS = {"preset paper": ("paper", "3500"), "unfiltered": ("paper unfiltered", "3500")}
STEPS = 2 + 2 + len(WAYS)  # calls of bench ()
BEGAN, done = time.monotonic(), 0


def bench(program, words, file):
    """Writes what the benchmark prints, and returns its rows by their first word,
    each a dictionary of its columns."""
    command = [TESTS / program, "--bench", *words]
    if "FRAMES" in os.environ:
        command += ["--frames", os.environ["FRAMES"]]
    global done
    done += 1
    print(f"step {done} of {STEPS}, after {time.monotonic() - BEGAN:.0f} s:", *command[2:],
          "…", flush=True)
    with open(file, "a", encoding="ascii") as out:
        subprocess.run(command, stdout=out, check=True)
    return read(file)


def read(file):
    columns, rows = {}, defaultdict(list)
    with open(file, encoding="ascii") as lines:
        for kind, *values in csv.reader(lines):
            if columns.setdefault(kind, values) != values:
                rows[kind].append(dict(zip(columns[kind], values)))
    return rows


def table(*rows):
    """Of Markdown; the first row is its head."""
    lines = [f"| {' | '.join(map(str, row))} |\n" for row in rows]
    return "".join([lines[0], "|---" * len(rows[0]) + "|\n", *lines[1:], "\n"])


# ---- Section 4.1 ----

def starts_of(rows):
    """{path: {(detector, least size): (frame since the motion's start, share of the
    object's pixels)}}, without those that never start."""
    starts = {}
    for row in rows:
        found = starts.setdefault(row["path"], {})
        if int(row["frame"]) >= 0:
            found[row["detector"], row["min_size"]] = int(row["frame"]), float(
                row["share"])
    return starts


def never_later(found, sizes):
    """Up to which least size components do not start later than the window."""
    def is_late(size):
        start = found.get(("components", size))
        return WINDOW in found and (not start or start[0] > found[WINDOW][0])

    early = list(takewhile(lambda size: not is_late(size), sizes))
    return early[-1] if early else "none"


def of_start(found, key):
    return ("%d" % found[key][0], f"{found[key][1]:.1%}") if key in found else (
        "never", "")


def detection(rows):
    sizes = list(dict.fromkeys(
        r["min_size"] for r in rows if r["detector"] == "components"))
    shown = [s for s in ("500", "3500", "10000") if s in sizes]
    lines = [["path", "window", "of the object"] + [
        word for s in [*PRESETS, *(f"components from {s} px on" for s in shown)]
        for word in (s, "of it")] + ["never later up to"]]
    for path, found in starts_of(rows).items():
        lines.append([path, *of_start(found, WINDOW)] + [
            word for key in [*PRESETS.values(), *(("components", s) for s in shown)]
            for word in of_start(found, key)] +
            [never_later(found, sizes)])
    return table(*lines)


# ---- Section 4.2 ----

def runtime(rows):
    lines = [["path", "detector", "device, ms a frame", "wall, ms a frame"]]
    for r in rows["table1"]:
        lines.append([r["path"], r["detector"]] + [
            f"{float(r[f'{what} ms']):.2f} ± {float(r[f'{what} deviation']):.2f}"
            for what in ("device", "wall")])
    return table(*lines), *(table(rows[kind][0], *(r.values() for r in rows[kind]))
                            for kind in ("figure8", "iterations"))


# ---- Figure 9, and what the paper does not compare ----

def draw_axes(file, n_frames, words):
    """The models as the camera sees them in the last of the frames."""
    size = "video/x-raw,width=320,height=240,framerate=30/1"
    subprocess.run([
        "gst-launch-1.0", "-q", "visiontestsrc", "pattern=rgbd", "path=axes",
        "motion-start=10", f"num-buffers={n_frames}", "!", size, "!", "kinfumot",
        "maps=correspondence+depth+rendered", "voxel-size=0.01", "truncation=0.04",
        *words, "!", "gpuccl", "min-size=200", "min-extent=7", "label-map=false", "!",
        "visionmap", "kind=rendered", "!", "videoconvert", "!", "pngenc", "!",
        "multifilesink", f"location={file}", "sync=false"], check=True)


def objects(ways):
    columns = [
        "camera worst mm", "accepted", "overlap at birth", "overlap later least",
        "objects", "off mean mm", "off worst mm", "off worst degrees"]
    lines = [["path", "distance", *columns]]
    for row, way in sorted(ways, key=lambda pair: PATHS.index(pair[0]["path"])):
        born = row["accepted"] != "-1"
        lines.append([row["path"], way] + [
            "never" if c == "accepted" and not born else
            row[c].replace("nan", "") for c in columns])
    return table(*lines)


# ---- All of it ----

def main(folder, *words):
    unknown = set(words) - {*PATHS, "cuda"}
    if unknown:
        sys.exit(f"there is no path {', '.join(unknown)}; there are {', '.join(PATHS)}")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.csv"):
        old.unlink()
    device = ["cuda"] * ("cuda" in words)
    paths = [p for p in PATHS if p in words] or PATHS
    text = ["# The evaluation of Korn, Sanders and Pauli (VISAPP 2017)\n\n"]
    for tracker, name in ([], "scene"), (["kinfumot"], "kinfumot"):
        file = folder / f"figure7-{name}.csv"
        rows = bench("test-gpuccl_paper", ["detection", *tracker, *device, *paths], file)
        picture = file.with_suffix(".svg")
        subprocess.run([ROOT / "docs/plots/gpuccl.py", file, picture], check=True)
        text += [f"## Detection by the maps of {name}\n\nThe first frame after the "
                 "motion's start in which a detector has an object, and how much of "
                 "the object's pixels that is.\n\n", detection(rows["start"]),
                 f"![Equation 3 over frame and least size]({picture.name})\n\n"]
    frames, stages, iterations = runtime(bench(
        "test-gpuccl_paper", ["runtime", *device, *paths], folder / "runtime.csv"))
    text += ["## Table 1\n\nMean and deviation; the components' times include the filter of "
             "the depth.\n\n", frames, "## Figure 8\n\nSums over all frames, of the "
             "preset `paper`; \"paper\" is what the paper states of 600.\n\n", stages,
             "## Iterations of label equivalence\n\nNumber of frames.\n\n", iterations]
    axes = bench("test-kinfumot_accuracy", ["axes", *device], folder / "axes.csv")["axis"]
    last = max(int(a["in frame"]) for a in axes)
    draw_axes(folder / "figure9.png", last + 1, ["backend=cuda"] * len(device))
    text += ["## Figure 9\n\nThe models of a machine of three axes, in the frame in which "
             "the last of them is best.\n\n", table(axes[0], *(a.values() for a in axes)),
             "![The models](figure9.png)\n\n"]
    ways = []
    for way, more in WAYS.items():
        rows = bench("test-kinfumot_accuracy", ["--seeds", "1", *more, *device, *paths],
                     folder / f"objects-{'-'.join(more) or 'signed'}.csv")
        ways += [(row, way) for row in rows["object"]]
    text += ["## Signed and unsigned, with and without the ring\n\nOn frames of 320x240, "
             "and the body on its own.\n\n", objects(ways)]
    (folder / "paper.md").write_text("".join(text), encoding="utf-8")
    print(folder / "paper.md")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
