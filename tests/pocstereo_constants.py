#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How much the constants of pocstereo's filling, smoothing and specks owe to the
pairs that they were chosen on:

    VISION_TEST_DATA=FOLDER BUILD=build tests/pocstereo_constants.py

BUILD is a build with -Dcuda=disabled: its library is linked without CUDA's.

Each constant is tried at a smaller and a greater value.  Then each pair is left
out in turn: one constant after the other is chosen anew on the other five, by the
least mean of M, the share of known pixels without a match or off by more than
one, of those values with which none of the five has more matches off by two
pixels than OpenCV's SGBM; and the pair that was left out is measured with what
was chosen.  Prints the tables of docs/lab/pocstereo.md."""
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("BUILD", ROOT / "build")).resolve()
FILL, SMOOTH = "pocstereo_fill_core.h", "pocstereo_smooth_core.h"
PARAMS = "pocstereo_params.c"
COMPILED = "pocstereo_fill_cpu.c", "pocstereo_smooth_cpu.c", PARAMS
# SGBM's > 2 px: the less of colours and grey, of tests/pocstereo_peers.py.
SGBM = {"Wood2": .66, "teddy": 3.45, "cones": 2.68, "Motorcycle": 3.18,
        "Reindeer": 2.37, "Cloth3": .91}
FLAGS = "-O2 -std=gnu11 -ffp-contract=off -fopenmp-simd -fno-math-errno " \
    "-fno-trapping-math -w"

# Name, file, text with the value, the value, others.
CONSTANTS = (
    ("how far a gap looks, px", FILL, "FILL_REACH {}\n", "32", ("16", "64")),
    ("sides that must agree", FILL, "MAJORITY ({})", "POCSTEREO_SIDES / 2 + 1",
     ("4", "6")),
    ("to how much, px", FILL, "FILL_STEP ({} * POCSTEREO_ONE)", "2", ("1", "4")),
    ("quarters of the dropped match's cost", FILL, "\n      {} * "
     "pocstereo_disagreement", "5", ("4", "6")),
    ("a pair's sum, px", SMOOTH, "SMOOTH_MAX {}\n", "POCSTEREO_ONE",
     ("(POCSTEREO_ONE / 2)", "(2 * POCSTEREO_ONE)")),
    ("a pair's difference, px", SMOOTH, "SMOOTH_LEAN ({} * POCSTEREO_ONE)", "4",
     ("2", "8")),
    ("pairs apart, px", SMOOTH, "SMOOTH_APART {}\n", "2", ("1", "3")),
    ("pairs across, to each side", SMOOTH, "SMOOTH_X {}\n", "4", ("3", "5")),
    ("pairs down", SMOOTH, "SMOOTH_Y {}\n", "3", ("2", "4")),
    ("specks, pixels", PARAMS, "speckle_size, 0, INT32_MAX, {},", "100",
     ("50", "200")))


def changed(name, values):
    """The file @name with these values of its constants."""
    text = (ROOT / "cuda/pocstereo" / name).read_text()
    for (_, file, where, now, _), value in zip(CONSTANTS, values):
        if file == name:
            assert text.count(where.format(now)) == 1, where
            text = text.replace(where.format(now), where.format(value))
    return text


def measure(values, known):
    """M and > 2 px of each pair, in percent; @known: what was measured before."""
    if values in known:
        return known[values]
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder) / "pocstereo"
        there.mkdir()
        for name in (FILL, SMOOTH, PARAMS):
            (there / name).write_text(changed(name, values))
        sources = [there / name if name == PARAMS else
                   ROOT / "cuda/pocstereo" / name for name in COMPILED]
        libraries = subprocess.run(
            ["pkg-config", "--libs", "libpng", "zlib", "kissfft-float",
             "pangocairo"], check=True, capture_output=True, text=True).stdout
        done = subprocess.run(
            [*shlex.split(os.environ.get("CC", "cc")), *FLAGS.split(),
             "-D_GNU_SOURCE", f"-I{folder}", f"-I{ROOT / 'cuda'}",
             f"-I{ROOT / 'tests'}", "-o", f"{folder}/pairs",
             ROOT / "tests/pocstereo/pocstereo_accuracy.c", *sources,
             BUILD / "cuda/libalgorithms.a", *shlex.split(libraries), "-lm",
             "-lpthread", "-ldl"])
        if done.returncode:
            sys.exit(f"the pairs' test cannot be built; {BUILD} must be a build "
                     "with -Dcuda=disabled")
        out = subprocess.run([f"{folder}/pairs", "--pairs"], check=True,
                             capture_output=True, text=True).stdout
    rows = [[cell.strip() for cell in line.split("|")[1:-1]]
            for line in out.splitlines() if line.startswith("| ")]
    known[values] = {row[0]: (float(row[4]), float(row[3]))
                     for row in rows if row[0] != "mean"}
    return known[values]


def mean(scores):
    return sum(m for m, _ in scores.values()) / len(scores)


def chosen(default, known, without):
    """What the pairs but @without choose."""
    def cost(values):
        scores = {name: s for name, s in measure(values, known).items()
                  if name != without}
        wrong = sum(max(0, off - SGBM[name])
                    for name, (_, off) in scores.items())
        return round(wrong, 3), mean(scores)
    values = default
    for i, (*_, others) in enumerate(CONSTANTS):
        values = min((values, *(values[:i] + (v,) + values[i + 1:]
                                for v in others)), key=cost)
    return values


def said(value):
    """The number that a constant's text stands for."""
    return f"{eval(value, {'POCSTEREO_ONE': 1, 'POCSTEREO_SIDES': 8}):g}"


def main():
    if not os.environ.get("VISION_TEST_DATA"):
        print("SKIP: VISION_TEST_DATA is not set")
        sys.exit(77)
    known, default = {}, tuple(c[3] for c in CONSTANTS)
    base = measure(default, known)
    print(f"| constant | mean M: as it is, {mean(base):.2f}; smaller | greater |")
    print("|---|---|---|")
    for i, (name, _, _, now, others) in enumerate(CONSTANTS):
        tried = [default[:i] + (v,) + default[i + 1:] for v in others]
        print(f"| {name}: {said(others[0])}, {said(now)}, {said(others[1])} | " +
              " | ".join(
            f"{mean(measure(t, known)):.2f}" for t in tried) + " |", flush=True)
    print("\n| left out | M, > 2 px as it is | with what the other five choose | "
          "what these change |\n|---|---|---|---|")
    sums = [0] * 4
    for name in base:
        values = chosen(default, known, name)
        new = measure(values, known)[name]
        change = "; ".join(f"{c[0]} {said(v)}" for c, v, d in zip(
            CONSTANTS, values, default) if v != d)
        print("| {} | {:.2f}, {:.2f} | {:.2f}, {:.2f} | {} |".format(
            name, *base[name], *new, change or "nothing"), flush=True)
        sums = [s + v / len(base) for s, v in zip(sums, (*base[name], *new))]
    print("| mean | {:.2f}, {:.2f} | {:.2f}, {:.2f} | |".format(*sums))


if __name__ == "__main__":
    main()
