#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""pocstereo, emdtrack and moct on given footage, changed in ways that nothing was
chosen by, beside what OpenCV offers:

    VISION_TEST_DATA=FOLDER BUILD=build PYTHON tests/robustness.py [--write]

It is made of the given data: stereo pairs in another size, light or quality,
clips of a camera that moves and turns away, pictures in another light; and with
ALOE=FOLDER (examples/data of Debian's package opencv-doc) of a pair that is not
given.  Prints the tables that --write puts into docs/lab/pocstereo.md, emdtrack.md
and moct.md.  It needs PYTHON with OpenCV and NumPy, and is skipped without (see
tests/footage.py)."""
import copy
import math
import os
import statistics
import sys
import tempfile
from pathlib import Path

try:
    import cv2
    import numpy as np
except ImportError:
    print("SKIP: this Python has no cv2 or no NumPy")
    sys.exit(77)

import footage
import measured
import pocstereo_peers as stereo

BEGIN, END = "<!-- robustness -->\n", "<!-- end of robustness -->\n"
MATCHERS = {name: stereo.MATCHERS[name]
            for name in ("`dense`", "`fast`", "SGBM", "3WAY")}


def pixels(values):
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


def noisy(image, sigma, seed):
    rng = np.random.default_rng(seed)
    return pixels(image + rng.normal(0, sigma, image.shape))


def compressed(image, quality):
    data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return cv2.imdecode(data, cv2.IMREAD_COLOR)


# ---- Stereo pairs ----

def altered(pair, folder, views, truth=None, visible=None, most=None):
    """The pair with other views, and what else is other."""
    new = copy.copy(pair)
    new.views = [np.ascontiguousarray(v) for v in views]
    new.files = [f"{folder}/{i}.png" for i in (0, 1)]
    for file, view in zip(new.files, new.views):
        cv2.imwrite(file, view)
    new.truth = pair.truth if truth is None else truth
    new.visible = pair.visible if visible is None else visible
    new.hidden = np.isfinite(new.truth) & ~new.visible
    new.range = most or pair.range
    return new


def right_truth(pair, data, row):
    """Where there is none, the left one, seen from the right, nearest first."""
    if row[4] != 1:
        return pair.picture(data / "stereo" / row[1] / row[3].split()[1],
                            row[4])
    q, inside = pair.places()
    found = np.full(pair.truth.shape, -1.)
    rows = np.broadcast_to(np.arange(len(q))[:, None], q.shape)
    np.maximum.at(found, (rows[inside], q[inside]), pair.truth[inside])
    return np.where(found >= 0, found, np.nan)


def mirrored(pair, folder, data, row):
    """In a mirror the right view is the left one."""
    left = pair.truth[:, ::-1]
    new = altered(pair, folder, [v[:, ::-1] for v in pair.views[::-1]],
                  right_truth(pair, data, row)[:, ::-1])
    new.visible = new.by_pair(left, 0)
    new.hidden = np.isfinite(new.truth) & ~new.visible
    return new


def scaled(pair, folder, by):
    height, width = (int(side * by) for side in pair.truth.shape)
    at = np.ix_(((np.arange(height) + .5) / by).astype(int),
                ((np.arange(width) + .5) / by).astype(int))
    views = [cv2.resize(v, (width, height), interpolation=cv2.INTER_AREA)
             for v in pair.views]
    return altered(pair, folder, views,
                   pair.truth[at] * width / pair.truth.shape[1],
                   pair.visible[at], -(-int(pair.range * by + 1) // 16) * 16)


def lowered(view):
    """By half a pixel."""
    return cv2.warpAffine(view, np.float32([[1, 0, 0], [0, 1, .5]]),
                          view.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)


def other_pairs(pair, folder, data, row):
    left, right = pair.views
    yield "as it is", pair
    yield "mirrored", mirrored(pair, folder, data, row)
    yield "upside down", altered(
        pair, folder, [left[::-1], right[::-1]], pair.truth[::-1],
        pair.visible[::-1])
    for by, name in ((3 / 4, "3/4"), (2 / 3, "2/3"), (1 / 2, "1/2")):
        yield f"{name} of the size", scaled(pair, folder, by)
    yield "right view: gain 0.7", altered(
        pair, folder, [left, pixels(right * .7)])
    yield "right view: gamma 1.6, gain 0.8, offset 12", altered(
        pair, folder, [left, pixels(255 * (right / 255) ** 1.6 * .8 + 12)])
    yield "right view half a pixel lower", altered(
        pair, folder, [left, lowered(right)])
    yield "noise of 5 grey levels", altered(
        pair, folder, [noisy(v, 5, i) for i, v in enumerate(pair.views)])
    yield "a quarter of the light, noise of 1", altered(
        pair, folder, [noisy(v * .25, 1, i) for i, v in enumerate(pair.views)])
    yield "JPEG, quality 75", altered(
        pair, folder, [compressed(v, 75) for v in pair.views])


def pairs(data):
    """M and > 2 px, of the six pairs; the pair that M is worst on beside
    SGBM's."""
    scores, names = {}, [row[0] for row in stereo.PAIRS]
    for row in stereo.PAIRS:
        pair = stereo.Pair(data, row)
        with tempfile.TemporaryDirectory() as folder:
            for what, other in other_pairs(pair, folder, data, row):
                scores.setdefault(what, []).append([
                    other.score(match(other.files, other.views, other.range))
                    [:2] for match in MATCHERS.values()])
    rows = ["| mean M / > 2 px of six pairs, % | " + " | ".join(MATCHERS) +
            " | `dense` less SGBM: M of the best pair | of the worst |",
            "|---" * 7 + "|"]
    for what, of in scores.items():
        of = np.array(of)
        less = of[:, 0, 0] - of[:, 2, 0]
        rows.append(f"| {what} | " + " | ".join(
            "{:.1f} / {:.2f}".format(*s) for s in of.mean(axis=0)) +
            " | {:+.1f}, {} | {:+.1f}, {} |".format(
                less.min(), names[less.argmin()], less.max(),
                names[less.argmax()]))
    return rows


def aloe():
    """The pair of OpenCV's samples, on which nothing was chosen; its truth is of
    whole pixels."""
    folder = Path(os.environ.get("ALOE", ""))
    files = [folder / f"aloe{side}.jpg" for side in "LR"]
    if not files[0].is_file():
        return []
    pair = stereo.Pair.of_left("Aloe", files, stereo.Pair.picture(
        folder / "aloeGT.png", 1), 256)
    rows = ["| Aloe: density / > 1 px / > 2 px, %; M | " +
            " | ".join(MATCHERS) + " |", "|---" * (1 + len(MATCHERS)) + "|"]
    with tempfile.TemporaryDirectory() as folder:
        for what, by in (("half size", .5), ("1282x1110", 1)):
            other = scaled(pair, folder, by)
            cells = [other.parts(match(other.files, other.views, other.range))
                     for match in MATCHERS.values()]
            rows.append(f"| {what} | " + " | ".join(
                "{:.1f} / {:.1f} / {:.1f}; {:.1f}".format(*c)
                for c in cells) + " |")
    return rows


# ---- Clips of a camera that moves, and turns away ----

FRAMES, VIEW = 96, (480, 320)
TURNS, TAKES = (30, 64), 14  # frames in which it turns away and back


def aside(t):
    """0: it looks at the target, 1: away from it."""
    s = (t - TURNS[0]) / TAKES if t < 60 else (TURNS[1] + TAKES - t) / TAKES
    s = min(max(s, 0), 1)
    return s * s * (3 - 2 * s)


def camera(images, centres, seed):
    """Views by hand of @images, and in each frame the target's centre and the
    scale.  A view shows at most half of the picture each way; the camera sways,
    leans, comes nearer, and turns away to the farthest corner."""
    rng = np.random.default_rng(seed)
    height, width = images[0].shape[:2]
    phase = rng.uniform(0, 2 * math.pi, 4)
    x0, y0 = centres[0]
    away = 0 if x0 > width / 2 else width, 0 if y0 > height / 2 else height
    views, truth = [], []
    for t in range(FRAMES):
        k = min(t, len(images) - 1)
        zoom = (max(2 * VIEW[0] / width, 2 * VIEW[1] / height) *
                (1 + .15 * math.sin(t / 25)))
        half = VIEW[0] / 2 / zoom, VIEW[1] / 2 / zoom
        s = aside(t)
        x = x0 + s * (away[0] - x0) + (30 * math.sin(t / 6 + phase[0]) +
                                       12 * math.sin(t / 2.3 + phase[1])) / zoom
        y = y0 + s * (away[1] - y0) + (18 * math.sin(t / 7 + phase[2]) +
                                       8 * math.sin(t / 2 + phase[3])) / zoom
        x = min(max(x, half[0]), width - half[0])
        y = min(max(y, half[1]), height - half[1])
        lean = math.radians(2 * math.sin(t / 9 + phase[1]))
        c, d = zoom * math.cos(lean), zoom * math.sin(lean)
        turn = np.array([[c, -d, VIEW[0] / 2 - c * x + d * y],
                         [d, c, VIEW[1] / 2 - d * x - c * y]])
        light = 1 + .12 * math.sin(t / 17 + phase[3])
        views.append(noisy(light * cv2.warpAffine(
            images[k], turn, VIEW, borderMode=cv2.BORDER_REFLECT), 3,
            (seed, t)))
        truth.append((*(turn @ (*centres[k], 1)), zoom))
    return views, truth


CROSSES = 10, 28  # frames in which something passes in front of the target


def crossed(views, truth, images, box):
    """A piece of the picture's farthest corner, half as large again as the
    target, passes in front of it; and how much of it that hides."""
    w, h = (math.ceil(1.5 * side) for side in box[2:])
    rows = slice(-h, None) if truth[0][1] < VIEW[1] / 2 else slice(h)
    columns = slice(-w, None) if truth[0][0] < VIEW[0] / 2 else slice(w)
    piece = cv2.resize(images[0][rows, columns], (w, h))
    views, hidden = [v.copy() for v in views], [0] * len(views)
    for t in range(*CROSSES):
        cx, cy, zoom = truth[t]
        shift = (t - sum(CROSSES) / 2) * 3 * w / (CROSSES[1] - CROSSES[0])
        x0, y0 = round(cx + shift - w / 2), round(cy - h / 2)
        turn = np.float32([[1, 0, x0], [0, 1, y0]])
        cv2.warpAffine(noisy(piece, 3, t), turn, VIEW, views[t],
                       borderMode=cv2.BORDER_TRANSPARENT)
        hidden[t] = min(1, max(0, ((w + box[2]) / 2 - abs(shift)) / box[2]))
    return views, hidden


def other_clips(views, truth, images, box):
    """What is other, the views, and how much of the target is hidden."""
    shown = [0] * len(views)
    yield "", views, shown
    yield "JPEG, quality 40", [compressed(v, 40) for v in views], shown
    yield "something crosses", *crossed(views, truth, images, box)


def still(file, frame=0):
    video = cv2.VideoCapture(str(file))
    for _ in range(frame + 1):
        image = video.read()[1]
    return image


def things(folder):
    """Group, pictures, centres, size of each target: every fifth block, every
    third sweet, all cups and the ball, two fruits by hand, ball1 both ways."""
    moct = folder / "moct"
    for group, source, table, frame, each, grow in (
            ("blocks", "sam2_gallery/03_blocks.mp4",
             "03_blocks_frame291_manual", 291, 5, 1),
            ("sweets", "opencv/smarties.png", "smarties", 0, 3, 2),
            ("cups, ball", "sam2_gallery/02_cups.mp4", "02_cups", 0, 1, 1),
            ("fruits", "opencv/fruits.jpg", None, 0, 1, 2)):
        image = still(moct / source, frame)
        image = cv2.resize(image, None, fx=grow, fy=grow)
        boxes = [(180, 140, 150, 130), (60, 230, 120, 110)]
        if table:
            rows = footage.annotations(moct / f"annotations/{table}.csv")
            boxes = [[float(row[k]) for k in "xywh"]
                     for row in rows[frame].values()]
        for x, y, w, h in boxes[::each]:
            yield (group, [image], [(grow * (x + w / 2), grow * (y + h / 2))],
                   grow * w, grow * h)
    ball = folder / "emd/vot15_ball1"
    images = [cv2.imread(str(f)) for f in sorted(ball.glob("*.jpg"))]
    corners = np.loadtxt(ball / "groundtruth.txt", delimiter=",")[:len(images)]
    corners = corners.reshape(-1, 4, 2)
    low, high = corners.min(axis=1), corners.max(axis=1)
    for way in (1, -1):
        yield ("ball1", images[::way], ((low + high) / 2)[::way],
               *(high - low)[::way][0])


def emdtrack(frames, box):
    return footage.emdtrack([f.tobytes() for f in frames],
                            [round(b) for b in box], "bgr", VIEW)


def peer(name):
    def track(frames, box):
        tracker = getattr(cv2, f"Tracker{name}_create")()
        tracker.init(frames[0], tuple(round(b) for b in box))
        places = [None]
        for frame in frames[1:]:
            seen, (x, y, w, h) = tracker.update(frame)
            places.append((x + w / 2, y + h / 2) if seen else None)
        return places
    return track


def part_in_view(x, y, w, h):
    return (max(0, min(x + w / 2, VIEW[0]) - max(x - w / 2, 0)) *
            max(0, min(y + h / 2, VIEW[1]) - max(y - h / 2, 0))) / (w * h)


class Tally:
    """Frames in which a target is in view by four fifths, and is placed within
    half its size, placed elsewhere or not found; in which nothing of it is in
    view, and in how many of these it is claimed.  Errors in percent of its
    size."""

    def __init__(self):
        self.right = self.wrong = self.missed = self.absent = self.claimed = 0
        self.errors = []

    def add(self, places, truth, hidden, w, h):
        for place, (x, y, zoom), part in list(zip(places, truth, hidden))[1:]:
            part = max(0, part_in_view(x, y, w * zoom, h * zoom) - part)
            if part == 0:
                self.absent += 1
                self.claimed += place is not None
            elif part >= .8 and place is None:
                self.missed += 1
            elif part >= .8:
                error = math.dist(place, (x, y)) / (max(w, h) * zoom)
                self.right += error <= .5
                self.wrong += error > .5
                self.errors += [100 * error] if error <= .5 else []

    def row(self, group, name):
        return (f"| {group} | {name} | {self.right} | {self.wrong} | "
                f"{self.missed} | {self.claimed} of {self.absent} | "
                f"{statistics.median(self.errors):.1f} |")


def clips(data):
    """The first box is the annotated one."""
    trackers = {"emdtrack": emdtrack, "OpenCV CSRT": peer("CSRT"),
                "OpenCV KCF": peer("KCF")}
    tallies = {}
    for seed, (group, images, centres, w, h) in enumerate(things(data)):
        views, truth = camera(images, centres, seed)
        x, y, zoom = truth[0]
        size = w * zoom, h * zoom
        box = x - size[0] / 2, y - size[1] / 2, *size
        for what, other, hidden in other_clips(views, truth, images, box):
            for name, track in trackers.items():
                places = track(other, box)
                for of in ("all, " + what,) if what else (group, "all"):
                    tallies.setdefault((of, name), Tally()).add(
                        places, truth, hidden, w, h)
    rows = ["| targets | tracker | frames right | elsewhere | missed | claimed "
            "where absent | median error of the right ones, % of the size |",
            "|---" * 7 + "|"]
    return rows + [tallies[key].row(*key) for key in sorted(
        tallies, key=lambda key: key[0].startswith("all"))]


# ---- Colours learned in another light ----

def other_lights(image):
    yield "as it is", image, 0
    for name, gains in (("reddish light", (.75, 1, 1.2)),
                        ("bluish light", (1.2, 1, .75)),
                        ("half the light", .5), ("a quarter of it", .25),
                        ("1.3 times the light", 1.3)):
        yield name, pixels(image * np.array(gains)), 0
    yield "noise of 8 grey levels", noisy(image, 8, 1), 0
    yield "JPEG, quality 50", compressed(image, 50), 0
    yield "as it is, boxes off by up to 10 %", image, .1


def shifted(row, off, shape):
    """Off by parts of its size, and inside of the picture."""
    x, y, w, h = (float(row[k]) for k in "xywh")
    x0, y0 = max(0, round(x + off[0] * w)), max(0, round(y + off[1] * h))
    x1 = min(shape[1], round(x + off[0] * w + (1 + off[2]) * w))
    y1 = min(shape[0], round(y + off[1] * h + (1 + off[3]) * h))
    return x0, y0, x1 - x0, y1 - y0


def learned(path, shape, truth, settings, jitter):
    """As footage.learned(), from whole boxes."""
    right = found = there = 0
    rng = np.random.default_rng(3)
    for k in range(max(map(len, truth.values()))):
        boxes = footage.moct(path, {
            label: shifted(rows[k % len(rows)], rng.uniform(-jitter, jitter, 4),
                           shape) for label, rows in truth.items()}, settings)
        for label, rows in truth.items():
            right += footage.hits(boxes.get(label, []),
                                  [footage.inner(r, 1) for r in rows])
            found += len(boxes.get(label, []))
            there += len(rows)
    return right / max(found, 1), right / there


def lights(data):
    cells = {}
    for name, source, table, frame, settings in footage.LEARNED:
        path, truth = footage.picture(source.format(data / "moct"), frame), {}
        for row in footage.annotations(
                data / f"moct/annotations/{table}.csv")[frame].values():
            if not row["colour_class"].startswith("pale"):
                truth.setdefault(row["colour_class"], []).append(row)
        image = cv2.imread(str(path))
        for what, other, jitter in other_lights(image):
            cv2.imwrite(str(path), other)
            scores = cells.setdefault(what, [])
            scores.append(learned(path, image.shape, truth, settings, jitter))
            if name == footage.LEARNED[0][0]:
                by_hand = footage.by_hand(path, truth)
                cells[what].append(by_hand)
        path.unlink()
    names = [row[0] for row in footage.LEARNED]
    names.insert(1, "03_blocks, OpenCV's inRange, hand-made, and closing")
    return ["| learned from whole boxes: precision / recall | " +
            " | ".join(names) + " |", "|---" * (1 + len(names)) + "|"] + [
        f"| {what} | " + " | ".join("{:.2f} / {:.2f}".format(*s)
                                    for s in scores) + " |"
        for what, scores in cells.items()]


def main():
    data = Path(os.environ.get("VISION_TEST_DATA", ""))
    if not (data / "stereo/mb2006_Wood2").is_dir():
        print("SKIP: VISION_TEST_DATA names no folder with stereo pairs")
        sys.exit(77)
    os.environ.setdefault("GST_PLUGIN_PATH", str(stereo.BUILD / "gst"))
    for element, tables in (("pocstereo", (pairs, lambda _: aloe())),
                            ("emdtrack", (clips,)), ("moct", (lights,))):
        rows = [f"OpenCV {cv2.__version__}.", ""]
        for table in tables:
            rows += table(data) + [""]
        print("\n".join(rows), flush=True)
        if "--write" in sys.argv[1:]:
            measured.write(footage.LAB / f"{element}.md", BEGIN, END, rows)


if __name__ == "__main__":
    main()
