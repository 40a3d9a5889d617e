#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""moct over real footage, against annotations:

    tests/accuracy.py [--write]

VISION_TEST_DATA names the folder with the data; without it the test is skipped.
Prints a table and fails where a limit is not met; --write puts it, and the
table of the generated scenes, into docs/lab/moct.md.  Run it with BUILD naming
the build folder (default: build)."""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import measured

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("BUILD", ROOT / "build"))
PAGE = ROOT / "docs/lab/moct.md"
BEGIN, END = "<!-- measured -->\n", "<!-- end -->\n"

CUPS = ("ball:hsv=40..66,45..100,50..100;cup:hsv=345..12,60..100,25..100",
        "min-area=400")
POMPONS = ("red:lab=0..100,56..95,41..74;green:lab=0..100,-128..-22,-128..99;"
           "blue:lab=0..100,-128..98,-128..-16", "min-area=200")
SWEETS = ("brown:hsv=0..360,10..100,8..45;blue:hsv=195..262,50..100,80..100;"
          "green:hsv=100..160,50..100,60..100;"
          "orange:hsv=4..45,37..100,85..100;red:hsv=335..4,60..100,60..100",
          "min-area=500 merge-distance=0")
FIELD = ("yellow:hsv=38..70,40..100,60..100;orange:hsv=8..28,54..100,50..82;"
         "blue:hsv=205..250,45..100,40..100", "min-area=20 merge-distance=0")


def moct(path, settings):
    """The frames of visionjson for a file."""
    colours, more = settings
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "lines.json"
        subprocess.run(
            ["gst-launch-1.0", "-q", "filesrc", f"location={path}", "!",
             "decodebin", "!", "moct", f"objects={colours}", *more.split(),
             "!", "visionjson", f"location={lines}", "!", "fakesink"],
            check=True, timeout=200)
        return [json.loads(line) for line in lines.read_text().splitlines()]


def annotations(path):
    """By frame, a list of what is there."""
    truth = {}
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            truth.setdefault(int(row["frame"]), []).append(row)
    return truth


def seen(frame):
    return [o for o in frame["objects"] if o["state"] in ("new", "tracking")]


def distance(found, truth):
    return math.hypot(found["cx"] - float(truth["cx"]),
                      found["cy"] - float(truth["cy"]))


class Score:
    """What was found of the objects of one label."""

    def __init__(self):
        self.errors, self.missed, self.false = [], 0, 0

    def match(self, finds, truths, reach):
        """Nearest first, each find and each truth once."""
        finds, truths = list(finds), list(truths)
        pairs = sorted((distance(f, t), i, k) for i, f in enumerate(finds)
                       for k, t in enumerate(truths))
        used, met = set(), {}
        for d, i, k in pairs:
            if d <= reach and i not in used and k not in met:
                used.add(i)
                met[k] = i
                self.errors.append(d)
        self.missed += len(truths) - len(met)
        self.false += len(finds) - len(used)

    def mean(self):
        return sum(self.errors) / len(self.errors) if self.errors else math.inf


class Table:
    def __init__(self):
        self.rows, self.failures = [], []

    def limit(self, what, holds):
        if not holds:
            self.failures.append(what)

    def add(self, data, label, score, note=""):
        self.rows.append(
            f"| {data} | {label} | {len(score.errors)} | {score.mean():.2f} | "
            f"{max(score.errors, default=math.inf):.2f} | {score.missed} | "
            f"{score.false} | {note} |")


def nearest_id(frame, truth):
    cups = [o for o in frame["objects"] if o["label"] == "cup"]
    return min(cups, key=lambda o: distance(o, truth))["id"]


def cups(table, folder):
    frames = moct(folder / "sam2_gallery/02_cups.mp4", CUPS)
    truth = annotations(folder / "annotations/02_cups.csv")
    scores = {"ball": Score(), "cup": Score()}
    for number, there in truth.items():
        for label, score in scores.items():
            score.match(
                [o for o in seen(frames[number]) if o["label"] == label],
                [t for t in there if t["object"].startswith(label)], 40)
    first, last = (next(t for t in truth[n] if t["object"] == name)
                   for n, name in ((30, "cup_L"), (280, "cup_R")))
    kept = nearest_id(frames[30], first) == nearest_id(frames[280], last)
    table.add("02_cups", "ball", scores["ball"])
    table.add("02_cups", "cups", scores["cup"],
              "the cup over the ball " + ("keeps" if kept else "loses") +
              " its id through the shuffle")
    table.limit("ball <= 1.5 px", scores["ball"].mean() <= 1.5)
    table.limit("cups <= 3 px", scores["cup"].mean() <= 3)
    table.limit("cups missed or false",
                scores["cup"].missed <= 6 and not scores["cup"].false)
    table.limit("identity", kept)


def pompons(table, folder):
    expected = {"red": (61, 21, 49, 41, 84, 41, 1556),
                "green": (22, 20, 39, 45, 40, 42, 1294),
                "blue": (105, 20, 36, 41, 124, 38, 1004)}
    found = moct(folder / "openmv/blobs.ppm", POMPONS)[0]["objects"]
    for label, (x, y, w, h, cx, cy, area) in expected.items():
        score = Score()
        blobs = [o for o in found if o["label"] == label]
        score.match(blobs, [{"cx": cx, "cy": cy}], 10)
        o = blobs[0]
        sides = [o["x"] - x, o["y"] - y, o["x"] + o["width"] - x - w,
                 o["y"] + o["height"] - y - h]
        part = 100 * (o["area"] / area - 1)
        table.add("blobs", label, score, f"box ±{max(map(abs, sides)):.0f} px, "
                  f"area {part:+.1f} %")
        table.limit(f"{label} box", max(map(abs, sides)) <= 1)
        table.limit(f"{label} centroid",
                    abs(o["cx"] - cx) <= 1 and abs(o["cy"] - cy) <= 1)
        table.limit(f"{label} area", abs(part) <= 4)
        table.limit(f"{label} once", score.missed + score.false == 0)


def still(table, folder, name, path, settings, reach, limits):
    """A picture: @limits is (mean error, missed, false) by label."""
    found = moct(folder / path, settings)[0]["objects"]
    truth = annotations(folder / f"annotations/{name}.csv")[0]
    for label, (error, missed, false) in limits.items():
        score = Score()
        score.match([o for o in found if o["label"] == label],
                    [t for t in truth if t["colour_class"] == label], reach)
        table.add(name, label, score)
        table.limit(f"{name} {label} error", score.mean() <= error)
        table.limit(f"{name} {label} missed", score.missed <= missed)
        table.limit(f"{name} {label} false", score.false <= false)


def scenes():
    """The rows that the test of the scenes prints."""
    out = subprocess.run([BUILD / "tests/test-moct_scene", "known"],
                         capture_output=True, text=True, check=True).stdout
    return [line for line in out.splitlines() if line.startswith("|")]


def write(rows):
    measured.write(PAGE, BEGIN, END, [
        "## Generated scenes", "",
        "| scene | format | frames | mean centroid error | missed | false | "
        "id switches | ids kept through occlusion |",
        "|---|---|---|---|---|---|---|---|", *scenes(), "",
        "## Real footage", "",
        "| data | object | found | mean error, px | greatest, px | missed | "
        "false | |", "|---|---|---|---|---|---|---|---|", *rows])


def main():
    data = os.environ.get("VISION_TEST_DATA")
    if not data or not (Path(data) / "moct").is_dir():
        print("SKIP: VISION_TEST_DATA names no folder with moct's data")
        return 77
    os.environ.setdefault("GST_PLUGIN_PATH", str(BUILD / "gst"))
    folder, table = Path(data) / "moct", Table()
    cups(table, folder)
    pompons(table, folder)
    still(table, folder, "smarties", "opencv/smarties.png", SWEETS, 15,
          {"blue": (1.5, 0, 0), "green": (1.5, 0, 0), "orange": (4, 0, 0),
           "red": (1.5, 0, 1), "brown": (5, 0, 0)})
    still(table, folder, "ssl-field-2008", "ssl_vision/ssl-field-2008.jpg",
          FIELD, 5, {"orange": (1, 0, 0), "yellow": (1, 0, 0),
                     "blue": (1, 0, 0)})
    print("\n".join(table.rows))
    for failure in table.failures:
        print("FAIL", failure)
    if "--write" in sys.argv[1:] and not table.failures:
        write(table.rows)
    return bool(table.failures)


if __name__ == "__main__":
    sys.exit(main())
