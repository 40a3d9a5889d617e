#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What many streams in one process cost: reads the lines of bench-streams that
`tests/gpu.sh BUILD OUT streams` keeps in OUT/streams.txt, and prints a table: a row an
element, a column a number of streams, each with the medians of all turns of frames a
second and of microseconds of CPU time a frame.  docs/performance.md quotes them.

With --draw it also draws curves of them into docs/streams.svg, which needs matplotlib.

    docs/plots/streams.py <OUT/streams.txt"""
import re
import statistics
import sys
from collections import defaultdict
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent
LINE = re.compile(r"^ *(\d+) (\S+).* (\d+)/s  user +(\d+)  system +(\d+) us/frame$")


def medians(lines):
    """{element: {streams: (frames a second, us of CPU time a frame)}}."""
    turns = defaultdict(list)
    for line in lines:
        if found := LINE.match(line.rstrip()):
            n, element, rate, user, system = found.groups()
            turns[element, int(n)].append((int(rate), int(user) + int(system)))
    table = defaultdict(dict)
    for (element, n), measured in turns.items():
        table[element][n] = tuple(map(statistics.median, zip(*measured)))
    return table


def draw(table):
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot as plt

    plt.rcParams["svg.hashsalt"] = "streams"  # else names change at each run
    plt.rcParams["svg.fonttype"] = "none"
    fig, both = plt.subplots(1, 2, figsize=(9.6, 4))
    for ax, which, title in zip(both, (0, 1), ("frames a second, all streams",
                                               "CPU time a frame, µs")):
        for element, row in table.items():
            ns = sorted(row)
            ax.plot(ns, [row[n][which] for n in ns], "o-", markersize=4, label=element)
        ax.set_xscale("log", base=2)
        ax.set_title(title)
        ax.set_xlabel("streams of 1080p")
        ax.grid(True, which="major", color="#eeeeee")
    both[0].legend(fontsize="small")
    fig.tight_layout()
    fig.savefig(DOCS / "streams.svg", metadata={"Date": None})


def main():
    table = medians(sys.stdin)
    if not table:
        sys.exit(f"there are no lines of bench-streams on standard input\n\n{__doc__}")
    ns = sorted({n for row in table.values() for n in row})
    print("| streams | " + " | ".join(map(str, ns)) + " |")
    print("|---" * (len(ns) + 1) + "|")
    for element, row in table.items():
        print(f"| {element} | " + " | ".join(
            "{:.0f}; {:.0f}".format(*row[n]) if n in row else "" for n in ns) + " |")
    if "--draw" in sys.argv:
        draw(table)


if __name__ == "__main__":
    if sys.stdin.isatty():
        sys.exit(__doc__)
    main()
