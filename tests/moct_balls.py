#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""moct's learned colours on pictures of robot soccer by many cameras, beside OpenCV's
back-projection of a ratio histogram and a range by hand:

    VISION_TEST_DATA=FOLDER BUILD=build PYTHON tests/moct_balls.py [--write]

A ball's colour is learned in one picture, from its box, and searched for in the other
pictures of a field of that colour.  Prints the table of docs/lab/moct.md, "Balls in
other pictures", which --write puts there, and fails where a limit is not met.  It
needs PYTHON with OpenCV and NumPy, and is skipped without (see tests/footage.py)."""
import csv
import json
import os
import statistics
import sys
from pathlib import Path

try:
    import cv2
    import numpy as np
except ImportError:
    print("SKIP: this Python has no cv2 or no NumPy")
    sys.exit(77)

import footage
import measured
from measured import failures, limit

BEGIN, END = "<!-- balls -->\n", "<!-- end of balls -->\n"
SIDE = 224  # of each picture, pixels
SMALLEST = 10  # sides of a ball that counts, pixels
LIKE = 12  # the greatest difference of the colours of like fields, in a and b
AREA = 30  # the fewest pixels of what is found
PARTS = 1, .9, .5
# The peers' constants were chosen on the first halves: bins a side and the least ratio,
# and, by hand, OpenCV's hue in half degrees, saturation and value.
BINS, RATIO = 8, .2
ORANGE = (0, 110, 60), (18, 255, 255)
RATE = 10  # frames a second
LIMITS = {"moct, 100 % of one box": (.84, .84), "moct, three boxes": (.85, .8)}


class Picture:
    def __init__(self, file, boxes):
        self.bgr = cv2.imread(str(file))
        self.lab = cv2.cvtColor(np.float32(self.bgr) / 255, cv2.COLOR_BGR2LAB)
        self.balls = [b for b in boxes if min(b[2:]) >= SMALLEST]
        self.small = [b for b in boxes if min(b[2:]) < SMALLEST]
        self.field = np.median(self.lab[SIDE // 2:].reshape(-1, 3), axis=0)[1:]


def pictures(folder):
    """The pictures with a ball, in the order of their names."""
    boxes = {}
    with open(folder / "boxes.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["object"] == "ball":
                x, y, x1, y1 = (int(row[k])
                                for k in ("xmin", "ymin", "xmax", "ymax"))
                boxes.setdefault(row["file"], []).append((x, y, x1 - x, y1 - y))
    return [Picture(folder / name, boxes[name]) for name in sorted(boxes)]


def clusters(all_pictures):
    """Pictures whose fields are alike, directly or by others between them."""
    found = []
    for picture in all_pictures:
        near = [c for c in found if any(
            np.hypot(*(picture.field - p.field)) < LIKE for p in c)]
        found = [c for c in found if all(c is not n for n in near)]
        found.append([p for c in near for p in c] + [picture])
    return [sorted(c, key=all_pictures.index) for c in found]


# ---- Finders: boxes in pictures, learned from boxes in pictures ----

def moct(examples, searched):
    """One stream: the examples, then what is searched, each after a black frame that
    ends all tracks."""
    black = bytes(3 * SIDE * SIDE)
    frames = [e.bgr.tobytes() for e, _ in examples]
    for picture in searched:
        frames += [black, picture.bgr.tobytes()]
    drags = "+".join("roi={},{},{},{}@{}".format(*box, i / RATE)
                     for i, (_, box) in enumerate(examples))
    out = footage.launch(
        "fdsrc fd=0", f"rawvideoparse format=bgr width={SIDE} height={SIDE} "
        f"framerate={RATE}/1", f"moct objects=ball:{drags} min-area={AREA} "
        "merge-distance=0 lose-frames=0", "visionjson", "fakesink",
        frames=b"".join(frames))
    lines = [json.loads(line)["objects"] for line in out.splitlines()
             if line.startswith(b"{")]
    return [[(o["x"], o["y"], o["width"], o["height"]) for o in objects]
            for objects in lines[len(examples) + 1::2]]


def components(mask):
    stats = cv2.connectedComponentsWithStats(mask)[2][1:]
    return [tuple(s[:4]) for s in stats if s[4] >= AREA]


def ratio_histogram(examples, searched):
    """Back-projection of the box's histogram over the frame's, in Lab (Swain and
    Ballard), averaged over a disc.  OpenCV 5's calcBackProject () finds nothing in a
    histogram of three dimensions, so the bins are looked up here."""
    ends, inside, frame = [0, 256] * 3, 0, 0
    for picture, (x, y, w, h) in examples:
        lab = cv2.cvtColor(picture.bgr, cv2.COLOR_BGR2LAB)
        frame = frame + cv2.calcHist([lab], [0, 1, 2], None, [BINS] * 3, ends)
        inside = inside + cv2.calcHist([lab[y:y + h, x:x + w]], [0, 1, 2], None,
                                       [BINS] * 3, ends)
    ratio = np.float32(inside / np.maximum(frame, 1))
    disc = np.float32(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3)))
    for picture in searched:
        lab = cv2.cvtColor(picture.bgr, cv2.COLOR_BGR2LAB)
        back = ratio[tuple((lab // (256 // BINS)).transpose(2, 0, 1))]
        back = cv2.filter2D(back, -1, disc / disc.sum())
        yield components(np.uint8(back >= RATIO))


def by_hand(_, searched):
    """inRange, closing and components."""
    for picture in searched:
        mask = cv2.inRange(cv2.cvtColor(picture.bgr, cv2.COLOR_BGR2HSV), *ORANGE)
        yield components(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((3, 3))))


# ---- Scores ----

def score(found, picture):
    """Right, found, there.  Smaller balls are neither right nor wrong."""
    right = footage.hits(found, picture.balls)
    small = footage.hits(found, picture.balls + picture.small) - right
    return right, len(found) - small, len(picture.balls)


def precision_recall(find, examples, cluster):
    searched = [p for p in cluster if all(p is not e for e, _ in examples)]
    right, found, there = np.sum([score(list(boxes), p) for boxes, p in zip(
        find(examples, searched), searched)], axis=0)
    return right / max(found, 1), right / there


def starts(cluster, part, many):
    """Each ball in turn, or @many that lie a third of the cluster's balls apart."""
    balls = [(p, footage.inner(dict(zip("xywh", b)), part))
             for p in cluster for b in p.balls]
    for k in range(len(balls)):
        examples = [balls[(k + i * len(balls) // many) % len(balls)]
                    for i in range(many)]
        if any(p.balls and all(p is not e for e, _ in examples) for p in cluster):
            yield sorted(examples, key=lambda e: cluster.index(e[0]))


def median_scores(find, groups, part=1, many=1):
    """Over all starts of the groups that have balls in enough pictures."""
    scores = [precision_recall(find, examples, group) for group in groups
              if sum(bool(p.balls) for p in group) > many
              for examples in starts(group, part, many)]
    return [statistics.median(s) for s in zip(*scores)] + [len(scores)]


def halves(groups, which):
    return [g[:len(g) // 2] if which == 0 else g[len(g) // 2:] for g in groups]


def table(groups):
    sets = {"first half": halves(groups, 0), "second half": halves(groups, 1),
            "all": groups}
    ways = [(f"moct, {100 * part:.0f} % of one box", moct, part, 1)
            for part in PARTS]
    ways += [("moct, three boxes", moct, 1, 3),
             ("ratio histogram, one box", ratio_histogram, 1, 1),
             ("ratio histogram, three boxes", ratio_histogram, 1, 3),
             ("`inRange`, by hand", by_hand, 1, 1)]
    rows = [f"OpenCV {cv2.__version__}.", "",
            "| precision / recall, starts | " + " | ".join(sets) + " |",
            "|---" * (1 + len(sets)) + "|"]
    found = {}
    for name, find, part, many in ways:
        cells = []
        for what, of in sets.items():
            found[name, what] = median_scores(find, of, part, many)
            cells.append("{:.2f} / {:.2f}, {}".format(*found[name, what]))
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
        print(rows[-1], flush=True)
    return rows, found


def main():
    folder = Path(os.environ.get("VISION_TEST_DATA", "")) / "moct/ssl_dataset"
    if not folder.is_dir():
        print("SKIP: VISION_TEST_DATA names no folder with moct/ssl_dataset")
        sys.exit(77)
    os.environ.setdefault("GST_PLUGIN_PATH", str(footage.BUILD / "gst"))
    rows, found = table(clusters(pictures(folder)))
    for name, least in LIMITS.items():
        limit(f"{name}: at least {least}",
              all(f >= m for f, m in zip(found[name, "all"], least)))
    if "--write" in sys.argv[1:] and not failures:
        measured.write(footage.LAB / "moct.md", BEGIN, END, rows)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
