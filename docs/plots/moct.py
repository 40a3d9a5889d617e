#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws figures 7 and 8 of the MOCT paper as measured here: reads the output
of `test-moct_methods --bench`, of which docs/plots/moct.csv is one, and writes
docs/moct-fig7.svg and docs/moct-fig8.svg.  Needs matplotlib.

    docs/plots/moct.py <docs/plots/moct.csv"""
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
COLOURS = {"fused": "#0072b2", "pyramid": "#d55e00", "per-object": "#009e73",
           "pyramid of 16 bytes": "#cc79a7",
           "vertical": "#0072b2", "horizontal": "#d55e00", "square": "#009e73"}
TICKS = [1, 2, 4, 8, 16, 32, 64, 128]


def curves(lines, figure):
    """{size: {(device, curve): [(x, us, ...), ...]}} of one figure."""
    found = defaultdict(lambda: defaultdict(list))
    for line in lines:
        if line.startswith(figure + ","):
            _, device, width, height, curve, *values = line.strip().split(",")
            found[int(width), int(height)][device, curve].append(
                tuple(float(v) for v in values))
    return found


def dress(ax, title, x_label, y_label):
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ax.set_xticks(TICKS, [str(t) for t in TICKS])
    ax.set_title(title)
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)
    ax.grid(True, which="major", color="#dddddd")


def save(fig, name):
    fig.tight_layout()
    fig.savefig(DOCS / name, metadata={"Date": None})


def figure_7(sizes):
    fig, grid = plt.subplots(1, len(sizes), figsize=(4.8 * len(sizes), 4),
                             squeeze=False, sharey=True)
    for ax, (size, found) in zip(grid[0], sorted(sizes.items())):
        for (device, method), points in found.items():
            x, us = zip(*points)
            ax.plot(x, us, "o-" if device == "cuda" else "s:", markersize=4,
                    color=COLOURS[method],
                    label=f"{method}, {'GPU' if device == 'cuda' else 'CPU'}")
        dress(ax, "%d × %d" % size, "colours", "µs a frame")
    grid[0][0].legend(fontsize="small")
    save(fig, "moct-fig7.svg")


def figure_8(sizes):
    """The GPU's times above, the texels that the levels read below."""
    sizes = {size: {curve: points for (device, curve), points in found.items()
                    if device == "cuda"} for size, found in sizes.items()
             if any(device == "cuda" for device, _ in found)}
    fig, grid = plt.subplots(2, len(sizes), figsize=(4.8 * len(sizes), 6),
                             squeeze=False, sharex=True)
    for (above, below), (size, found) in zip(grid.T, sorted(sizes.items())):
        for layout, points in found.items():
            factor, us, reads, bound = zip(*points)
            above.plot(factor, us, "o-", markersize=4, label=layout,
                       color=COLOURS[layout])
            below.plot(factor, reads, "o-", markersize=4,
                       color=COLOURS[layout], label=f"read, {layout}")
        if found:
            below.plot(factor, bound, "k--", label="bound, equation (1)")
        dress(above, "%d × %d, 32 colours" % size, "", "µs a frame")
        above.set_yscale("linear")
        above.set_ylim(bottom=0)
        dress(below, "", "reduction factor", "texels")
    grid[0][0].legend(fontsize="small")
    grid[1][0].legend(fontsize="small")
    save(fig, "moct-fig8.svg")


def main():
    lines = sys.stdin.readlines()
    if not any(line.startswith("fig") for line in lines):
        sys.exit(f"there are no lines of fig7 and fig8 on standard input\n\n{__doc__}")
    plt.rcParams["svg.hashsalt"] = "moct"  # else each run names things anew
    plt.rcParams["svg.fonttype"] = "none"
    figure_7(curves(lines, "fig7"))
    figure_8(curves(lines, "fig8"))


if __name__ == "__main__":
    if sys.stdin.isatty():
        sys.exit(__doc__)
    main()
