#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws figures 2 and 3 of the EMD paper as measured here: reads the lines of
`test-emdtrack --bench figures FILE WIDTH HEIGHT 1`, one size after the other,
such as docs/plots/emdtrack.csv, and writes docs/emdtrack-fig2-3.svg.  Needs
matplotlib.

    docs/plots/emdtrack.py <docs/plots/emdtrack.csv"""
import sys
from collections import defaultdict
from pathlib import Path

try:
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot as plt
except ImportError:
    sys.exit("matplotlib is missing: apt-get install python3-matplotlib\n\n" + __doc__)

DOCS = Path(__file__).resolve().parent.parent
COLOURS = {"cold": "#0072b2", "warm": "#d55e00", "cold copies": "#56b4e9",
           "warm copies": "#e69f00", "warm cache-bits 20": "#009e73"}
PAPER = 1e3 / 117.1, 1e3 / 9.9  # ms: the ends of its range, Results
FIGURES = {720: "Figure 2", 1080: "Figure 3"}


def curves(lines):
    """{(width, height): {cache: [(channels, ms), ...]}}."""
    found = defaultdict(lambda: defaultdict(list))
    for line in lines:
        if line.startswith("paper,"):
            _, channels, size, cache, us, *_ = line.strip().split(",")
            width, height = size.split("x")
            found[int(width), int(height)][cache].append(
                (int(channels), float(us) / 1e3))
    return dict(sorted(found.items()))


def draw(sizes):
    fig, grid = plt.subplots(1, len(sizes), figsize=(4.8 * len(sizes), 4),
                             squeeze=False, sharey=True)
    for ax, (size, found) in zip(grid[0], sizes.items()):
        for cache, points in found.items():
            ax.plot(*zip(*points), "o-", markersize=4, color=COLOURS[cache],
                    label=f"cache {cache}")
        ax.axhspan(*PAPER, color="#dddddd",
                   label="the paper, all sizes and channels")
        ax.set_yscale("log")
        ax.set_title("%s: %d × %d" % (FIGURES.get(size[1], "Time"), *size))
        ax.set_xlabel("channels")
        ax.set_ylabel("ms a frame")
        ax.grid(True, which="major", color="#eeeeee")
    grid[0][0].legend(fontsize="small")
    fig.tight_layout()
    fig.savefig(DOCS / "emdtrack-fig2-3.svg", metadata={"Date": None})


def main():
    sizes = curves(sys.stdin)
    if not sizes:
        sys.exit(f"there are no lines of solver=paper on standard input\n\n{__doc__}")
    plt.rcParams["svg.hashsalt"] = "emdtrack"  # else names change at each run
    plt.rcParams["svg.fonttype"] = "none"
    draw(sizes)


if __name__ == "__main__":
    if sys.stdin.isatty():
        sys.exit(__doc__)
    main()
