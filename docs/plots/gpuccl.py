#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws figure 7 of gpuccl's paper as measured here: reads the lines of
`test-gpuccl_paper --bench detection` and writes a picture.

    docs/plots/gpuccl.py paper.csv [docs/gpuccl-fig7.svg]"""
import sys
from collections import defaultdict
from itertools import groupby
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent
CELL = 2.4, 8           # pixels of a frame and of a threshold
MARGIN = 48, 26, 14, 34  # left, top, right and bottom of a panel
STEPS = 16              # of colour to each side of 0


def colour(value):
    """Blue for -4 over white to red for 4."""
    part = round(min(1, abs(value) / 4) ** .5 * STEPS) / STEPS
    far = (178, 24, 43) if value > 0 else (33, 102, 172)
    return "#%02x%02x%02x" % tuple(
        round(255 + (c - 255) * part) for c in far)


def read(path):
    """{path: {threshold: [enhancement of each frame]}}."""
    found = defaultdict(lambda: defaultdict(list))
    with open(path, encoding="ascii") as lines:
        for line in lines:
            words = line.strip().split(",")
            if words[0] == "figure7" and words[1] != "path":
                found[words[1]][int(words[2])].append(
                    (int(words[3]), float(words[8])))
    return found


def panel(name, rows, x0, y0):
    """A heat map with its axes, runs of one colour as one rectangle."""
    thresholds = sorted(rows)
    first = min(frame for frame, _ in rows[thresholds[0]])
    width = CELL[0] * len(rows[thresholds[0]])
    height = CELL[1] * len(thresholds)
    out = [f'<text x="{x0 + width / 2:.0f}" y="{y0 - 8}" '
           f'text-anchor="middle" font-weight="bold">{name}</text>']
    for i, threshold in enumerate(thresholds):
        y = y0 + height - (i + 1) * CELL[1]
        at = 0
        for fill, run in groupby(colour(v) for _, v in rows[threshold]):
            n = len(list(run))
            if fill != "#ffffff":
                out.append(f'<rect x="{x0 + at * CELL[0]:.1f}" y="{y}" '
                           f'width="{n * CELL[0]:.1f}" height="{CELL[1]}" '
                           f'fill="{fill}"/>')
            at += n
        if threshold % 2500 == 0:
            out.append(f'<text x="{x0 - 5}" y="{y + CELL[1]}" '
                       f'text-anchor="end">{threshold}</text>')
    for frame in range(0, first + len(rows[thresholds[0]]), 25):
        out.append(f'<text x="{x0 + (frame - first) * CELL[0]:.0f}" '
                   f'y="{y0 + height + 14}" text-anchor="middle">{frame}</text>')
    out.append(f'<rect x="{x0}" y="{y0}" width="{width:.1f}" '
               f'height="{height}" fill="none" stroke="#444"/>')
    return out, width, height


def legend(x0, y0):
    out = [f'<text x="{x0 - 8}" y="{y0 + 10}" text-anchor="end">enhancement: '
           '−4</text>']
    for i in range(33):
        out.append(f'<rect x="{x0 + 5 * i}" y="{y0}" width="5.2" height="12" '
                   f'fill="{colour((i - 16) / 4)}"/>')
    out.append(f'<text x="{x0 + 173}" y="{y0 + 10}">4</text>')
    return out


def main(path, picture=DOCS / "gpuccl-fig7.svg"):
    left, top, right, bottom = MARGIN
    body, x, y, across = [], 0, 0, 0
    for i, (name, rows) in enumerate(read(path).items()):
        out, width, height = panel(name, rows, x + left, y + top)
        body += out
        x += left + width + right
        across = max(across, x)
        if i % 3 == 2:
            x, y = 0, y + top + height + bottom
    body += legend(across / 2 - 60, y + 4)
    body.append(f'<text x="{left}" y="{y + 14}">least size over frames since '
                'the start</text>')
    svg = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{across:.0f}" '
           f'height="{y + 24}" font-family="sans-serif" font-size="11">\n'
           f'<rect width="100%" height="100%" fill="white"/>\n'
           + "\n".join(body) + "\n</svg>\n")
    Path(picture).write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
