#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sums up the lines of visionjson in a file:

    pipelines/report.py FILE.json

Where the lines hold the truth of a generated scene: a row an object, what was
found of it.  An object is found where one with its label was seen in its box
or near it; a prediction is not a find.  Where objects are accepted or rejected:
a row an accepted one, and how much its box and the truth's have in common.
Where they have poses: a row a label, how far these are from the true ones; of
what kinfumot follows, how far it is from where the true object carried it.
Otherwise: a row a label, how often it was seen.  A line that is no result, such as
the last one of a recording that was cut off, is left out, and reported."""
import json
import math
import sys

LEAST = 50    # pixels of an object that are visible, else it is not missed
MARGIN = 8    # pixels around its box
SEEN = {"", "new", "tracking", "found", "accepted"}


class Score:
    """About one object: what was found of it over all frames."""

    def __init__(self):
        self.frames = self.missed = self.false = self.switches = 0
        self.errors = []  # of the centroid, pixels
        self.id = None

    def match(self, truth, finds):
        """Takes the find that is @truth out of @finds."""
        near = [(math.hypot(f["cx"] - truth["cx"], f["cy"] - truth["cy"]), i)
                for i, f in enumerate(finds) if inside(f, truth)]
        self.frames += truth["area"] >= LEAST
        if not near:
            self.missed += truth["area"] >= LEAST
            return
        error, i = min(near)
        found = finds.pop(i)
        self.errors.append(error)
        self.switches += self.id not in (None, found["id"])
        self.id = found["id"]


def inside(found, truth):
    return ("cx" in found and "cy" in found and
            -MARGIN <= found["cx"] - truth["x"] < truth["width"] + MARGIN and
            -MARGIN <= found["cy"] - truth["y"] < truth["height"] + MARGIN)


def seen(frame):
    """The finds of a frame by label."""
    finds = {}
    for f in frame["objects"]:
        if f.get("state", "") in SEEN:
            finds.setdefault(f.get("label", "?"), []).append(f)
    return finds


def score(frames):
    """The Score of each label of the truth in @frames."""
    scores = {}
    for frame in frames:
        left = seen(frame)
        for t in frame["truth"]["objects"]:
            s = scores.setdefault(t["label"], Score())
            if "area" in t:  # some of it can be seen
                s.match(t, left.get(t["label"], []))
        for label, finds in left.items():
            scores.setdefault(label, Score()).false += len(finds)
    return scores


def overlap(a, b):
    """What two boxes have in common, of what either covers; 0 where one object has
    no box, as where it is not seen, or an empty one."""
    if not all(o.get("width") and o.get("height") for o in (a, b)):
        return 0
    both = 1
    for at, size in ("x", "width"), ("y", "height"):
        both *= max(0, min(a[at] + a[size], b[at] + b[size]) -
                    max(a[at], b[at]))
    return both / (a["width"] * a["height"] + b["width"] * b["height"] - both)


def moving(frames):
    """Of each accepted object in @frames: the overlap of its box with that of
    the only true one, frame by frame."""
    found = {}
    for number, frame in enumerate(frames):
        for o in frame["objects"]:
            if o.get("state") == "accepted":
                found.setdefault(o["id"], {})[number] = overlap(
                    o, frame["truth"]["objects"][0])
    return found


def poses(frames):
    """Of each label in the truth of @frames that was found: by how many millimetres
    and degrees its poses differ from the true ones."""
    found = {}
    for frame in frames:
        truth = {o["label"]: o["pose"] for o in frame["truth"]["objects"]
                 if "pose" in o}
        for label, finds in seen(frame).items():
            for f in finds:
                if label not in truth or "pose" not in f:
                    continue
                cosine = abs(sum(a * b for a, b in zip(
                    f["pose"][3:], truth[label][3:])))
                found.setdefault(label, []).append((
                    1000 * math.dist(f["pose"][:3], truth[label][:3]),
                    math.degrees(2 * math.acos(min(1, cosine)))))
    return found


def turned(q, v):
    w, *u = q
    a = [u[i - 2] * v[i - 1] - u[i - 1] * v[i - 2] + w * v[i] for i in range(3)]
    b = [u[i - 2] * a[i - 1] - u[i - 1] * a[i - 2] for i in range(3)]
    return [v[i] + 2 * b[i] for i in range(3)]


def to_camera(pose, place):
    return [a + b for a, b in zip(turned(pose[3:], place), pose[:3])]


def to_object(pose, place):
    back = [pose[3], *(-x for x in pose[4:])]
    return turned(back, [a - b for a, b in zip(place, pose[:3])])


def followed(frames):
    """Of each object that kinfumot follows in @frames, by frame: how far its middle
    is from where the only true one has carried it since it was first seen,
    millimetres."""
    found, first = {}, {}
    for number, frame in enumerate(frames):
        truth = frame["truth"]["objects"][0]["pose"]
        for o in frame["objects"]:
            if o.get("element") != "kinfumot" or "width" not in o:
                continue
            own, place = first.setdefault(
                o["id"], ([0, 0, 0], to_object(truth, o["pose"][:3])))
            found.setdefault(o["id"], {})[number] = 1000 * math.dist(
                to_camera(o["pose"], own), to_camera(truth, place))
    return found


def printable(text):
    """What a terminal takes for a command becomes a question mark."""
    return "".join(c if c.isprintable() else "?" for c in str(text))


def row(name, *columns):
    print(f"{printable(name):10}" + "".join(f"{c:>12}" for c in columns))


def errors(values):
    mean = sum(values) / len(values) if values else math.nan
    return f"{mean:.3f}", f"{max(values, default=math.nan):.3f}"


def print_scores(scores):
    row("object", "in frames", "missed", "false", "id switches", "mean error",
        "max (px)")
    for label, s in sorted(scores.items()):
        row(label, s.frames, s.missed, s.false, s.switches, *errors(s.errors))
    total = [sum(getattr(s, what) for s in scores.values())
             for what in ("frames", "missed", "false", "switches")]
    row("all", *total, *errors([e for s in scores.values() for e in s.errors]))


def print_moving(frames):
    row("object", "accepted in", "in frames", "box IoU", "at last")
    for number, boxes in sorted(moving(frames).items()):
        values = list(boxes.values())
        row(f"#{number}", f"frame {min(boxes)}", len(boxes),
            f"{sum(values) / len(values):.3f}", f"{values[-1]:.3f}")
    print(f"of {len(frames)} frames")


def print_followed(frames):
    row("object", "from frame", "in frames", "off by (mm)", "max (mm)")
    for number, off in sorted(followed(frames).items()):
        row(f"#{number}", min(off), len(off), *errors(list(off.values())))
    print(f"of {len(frames)} frames")


def print_poses(frames):
    row("object", "in frames", "off by (mm)", "max (mm)", "turned (°)",
        "max (°)")
    for label, values in sorted(poses(frames).items()):
        places, turns = zip(*values)
        row(label, len(values), *errors(places), *errors(turns))
    print(f"of {len(frames)} frames")


def print_seen(frames):
    count = {}
    for frame in frames:
        for label, finds in seen(frame).items():
            n, most, ids = count.get(label, (0, 0, set()))
            count[label] = (n + 1, max(most, len(finds)),
                            ids | {f["id"] for f in finds})
    row("label", "in frames", "at once", "ids")
    for label, (n, most, ids) in sorted(count.items()):
        row(label, n, most, len(ids))
    print(f"of {len(frames)} frames")


def is_result(frame):
    """Whether it is a line of visionjson."""
    parts = [frame]
    if isinstance(frame, dict) and "truth" in frame:
        parts.append(frame["truth"])
    return all(isinstance(part, dict) and isinstance(part.get("objects"), list) and
               all(isinstance(o, dict) for o in part["objects"]) for part in parts)


def read(lines):
    """The results in @lines, and the numbers of those that are none."""
    frames, wrong = [], []
    for number, line in enumerate(lines, 1):
        try:
            frame = json.loads(line)
        except ValueError:
            frame = None
        if is_result(frame):
            frames.append(frame)
        else:
            wrong.append(number)
    return frames, wrong


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    path = sys.argv[1]
    try:
        with open(path, encoding="utf-8", errors="replace") as lines:
            frames, wrong = read(lines)
    except OSError as error:
        sys.exit(f"{printable(path)} cannot be read: {error.strerror}")
    if wrong:
        print(f"{printable(path)}: {len(wrong)} of {len(frames) + len(wrong)} lines are "
              f"no results, such as line {wrong[0]}: left out", file=sys.stderr)
    truth = bool(frames) and all("truth" in f for f in frames)
    if truth and any(o.get("element") == "kinfumot" for f in frames
                     for o in f["objects"]):
        print_followed(frames)
    elif truth and any("reason" in o for f in frames for o in f["objects"]):
        print_moving(frames)
    elif truth and any("pose" in o for f in frames for o in f["objects"]):
        print_poses(frames)
    elif truth:
        print_scores(score(frames))
    else:
        print_seen(frames)


if __name__ == "__main__":
    main()
