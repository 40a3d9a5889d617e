#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""moct's five colour spaces in other light, after figure 5 of its paper, in which
normalised RGB fails and HSV does not:

    VISION_TEST_DATA=FOLDER BUILD=build PYTHON tests/colour_spaces.py [--write]

A range of each space is fitted to the objects of a picture in its own light, and
finds them in the same picture in other light.  Prints the table of
docs/choosing-colours.md; --write puts it there and draws docs/colour-spaces.jpg.
It needs PYTHON with OpenCV and NumPy, and is skipped without (see
tests/footage.py)."""
import json
import os
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

PAGE = footage.ROOT / "docs/choosing-colours.md"
PICTURE = footage.ROOT / "docs/colour-spaces.jpg"
BEGIN, END = "<!-- colour spaces -->\n", "<!-- end of colour spaces -->\n"

# ---- Five spaces, as moct has them ----


def rgb(p):
    return p


def yuv(p):
    """BT.601, full range."""
    return cv2.transform(p[None], np.array(
        ((.299, .587, .114), (-.168736, -.331264, .5),
         (.5, -.418688, -.081312))))[0] + (0, 128, 128)


def rg(p):
    total = p.sum(axis=1, keepdims=True)
    return np.where(total, p / np.maximum(total, 1), 1 / 3)[:, :2]


def hsv(p):
    return cv2.cvtColor(np.float32(p[None] / 255), cv2.COLOR_RGB2HSV)[0] * (
        1, 100, 100)


def lab(p):
    return cv2.cvtColor(np.float32(p[None] / 255), cv2.COLOR_RGB2LAB)[0]


# Name: conversion, lower and upper ends of its axes, the axis of lightness.
SPACES = {"rgb": (rgb, (0, 0, 0), (255, 255, 255), None),
          "yuv": (yuv, (0, 0, 0), (255, 255, 255), 0),
          "rg": (rg, (0, 0), (1, 1), None),
          "hsv": (hsv, (0, 0, 0), (360, 100, 100), 2),
          "lab": (lab, (0, -128, -128), (100, 127, 127), 0)}
MARGINS = 0, .01, .02, .05, .1  # parts of an axis
NEAR = 20  # Delta E
DRAWN = "brown"
SCENE = "min-area=150"  # settings of moct
DARK = .4  # of the lower end of lightness


def fitted(space, sample, margin):
    """The text of the range in which most of the @sample lies on each axis, and a
    margin; the axis of lightness is open upwards, and down to DARK."""
    convert, low, high, lightness = SPACES[space]
    values = convert(sample)
    turn = 0
    if space == "hsv":  # the hue's range may pass through 0
        angle = np.radians(values[:, 0])
        turn = np.degrees(np.arctan2(np.sin(angle).mean(), np.cos(angle).mean()))
        values[:, 0] = (values[:, 0] - turn + 180) % 360 - 180
    parts = []
    for axis, (least, most) in enumerate(zip(low, high)):
        a, b = np.percentile(values[:, axis], (2, 98))
        wide = margin * (most - least)
        a, b = a - wide, b + wide
        if axis == lightness:
            a, b = least + DARK * (np.percentile(values[:, axis], 2) - least), most
        if space == "hsv" and axis == 0:
            a, b = ((a + turn) % 360, (b + turn) % 360) if b - a < 359 else (0, 360)
        else:
            a, b = max(a, least), min(b, most)
        parts.append(f"{a:.4f}..{b:.4f}")
    return f"{space}=" + ",".join(parts)


# ---- Pictures, and their objects ----


def write_picture(path, image):
    cv2.imwrite(str(path), cv2.cvtColor(image, cv2.COLOR_RGB2BGR))


def still(file, frame):
    """A frame of a clip or a picture, cut to a width whose rows have no gaps."""
    video = cv2.VideoCapture(str(file))
    for _ in range(frame + 1):
        image = video.read()[1]
    return cv2.cvtColor(image[:, :image.shape[1] // 4 * 4], cv2.COLOR_BGR2RGB)


def generated(shadows):
    """A frame of visiontestsrc, and the boxes of its objects by label."""
    line = ["visiontestsrc num-buffers=30 occlusion=false "
            f"shadows={shadows}", "video/x-raw,format=RGB,width=640,height=480"]
    frames = footage.launch(*line, "fdsink")
    size = 640 * 480 * 3
    image = np.frombuffer(frames[-size:], np.uint8).reshape(480, 640, 3)
    out = footage.launch(*line, "visionjson", "fakesink").splitlines()
    last = json.loads([text for text in out if text.startswith(b"{")][-1])
    return image, {o["label"]: [tuple(o[k] for k in ("x", "y", "width", "height"))]
                   for o in last["truth"]["objects"] if "area" in o}


def given(data, wanted=""):
    """Of each picture: its name, its pixels, boxes by label, settings of moct."""
    for name, source, table, frame, settings in footage.LEARNED:
        if wanted not in name:
            continue
        image = still(source.format(data).partition("=")[2], frame)
        truth = {}
        for row in footage.annotations(
                data / f"annotations/{table}.csv")[frame].values():
            if not row["colour_class"].startswith("pale"):
                truth.setdefault(row["colour_class"], []).append(
                    footage.inner(row, 1))
        yield name, image, truth, settings


def sample_of(image, box):
    """The pixels of a box that look like its middle: within NEAR of the middle
    colour of its inner third.  Corners and letters are other things."""
    x, y, w, h = box
    def cut(part):
        x0, y0 = round(x + (1 - part) / 2 * w), round(y + (1 - part) / 2 * h)
        x1, y1 = round(x + (1 + part) / 2 * w), round(y + (1 + part) / 2 * h)
        return image[max(0, y0):max(y0 + 1, y1), max(0, x0):max(x0 + 1, x1)].reshape(
            -1, 3)
    pixels = np.float64(cut(1))
    middle = np.median(lab(np.float64(cut(1 / 3))), axis=0)
    return pixels[np.linalg.norm(lab(pixels) - middle, axis=1) <= NEAR]


def samples(image, truth):
    """By label, the pixels of its objects."""
    return {label: np.concatenate([sample_of(image, box) for box in boxes])
            for label, boxes in truth.items()}


# ---- What moct finds ----


def launch(images, colours, settings, *more):
    """moct's output for @images of one size, with a black one behind each, so
    that nothing is known from the image before."""
    height, width, _ = images[0].shape
    black = np.zeros_like(images[0]).tobytes()
    return footage.launch(
        "fdsrc fd=0", f"rawvideoparse format=rgb width={width} height={height} "
        "framerate=30/1", "moct objects=" +
        ";".join(f"{k}:{v}" for k, v in colours.items()) +
        f" appear-frames=1 lose-frames=0 {settings}", *more,
        frames=b"".join(image.tobytes() + black for image in images))


def scores(images, truths, colours, settings):
    """Of each image, how many objects are right, found, and there."""
    out = launch(images, colours, settings, "visionjson", "fakesink")
    frames = [json.loads(line) for line in out.splitlines()
              if line.startswith(b"{")]
    tallies = []
    for frame, truth in zip(frames[::2], truths):
        found = {}
        for o in frame["objects"]:
            if o["state"] != "lost":
                found.setdefault(o["label"], []).append(
                    (o["x"], o["y"], o["width"], o["height"]))
        tallies.append(np.array((
            sum(footage.hits(found.get(label, []), boxes)
                for label, boxes in truth.items()),
            sum(map(len, found.values())), sum(map(len, truth.values())))))
    return tallies


def f_score(tally):
    return 2 * tally[0] / max(1, tally[1] + tally[2])


LIGHTS = (("as it is", 1), ("half the light", .5), ("1.3 times the light", 1.3),
          ("reddish light", (1.2, 1, .75)), ("bluish light", (.75, 1, 1.2)))


def lit(image, gain):
    return np.clip(np.rint(image * np.array(gain)), 0, 255).astype(np.uint8)


def best_fit(space, images, truths, settings):
    """The tallies of all images, and the colours, of the margin that is best in
    the first image, whose objects the ranges are fitted to."""
    sample = samples(images[0], truths[0])
    fits = []
    for margin in MARGINS:
        colours = {label: fitted(space, pixels, margin)
                   for label, pixels in sample.items()}
        fits.append((scores(images, truths, colours, settings), colours))
    return max(fits, key=lambda fit: f_score(fit[0][0]))


def scene_frames():
    """Names, images and truths of generated scenes; the first is without shadows."""
    shadows = 0, .2, .35, .5
    made = [generated(part) for part in shadows]
    names = [f"generated, shadows={part}" for part in shadows]
    names += [f"generated, {name}" for name, _ in LIGHTS[1:]]
    images = [image for image, _ in made]
    images += [lit(images[0], gain) for _, gain in LIGHTS[1:]]
    return names, images, [truth for _, truth in made] + [made[0][1]] * 4


def add_rows(tallies, names, images, truths, settings):
    for space in SPACES:
        found, _ = best_fit(space, images, truths, settings)
        for name, tally in zip(names, found):
            tallies[name, space] = tallies.get((name, space), 0) + tally


def picture_rows(tallies, data):
    names = [f"pictures, {name}" for name, _ in LIGHTS]
    for _, image, truth, settings in given(data):
        add_rows(tallies, names, [lit(image, gain) for _, gain in LIGHTS],
                 [truth] * len(LIGHTS), settings)


def table(tallies):
    rows = ["| light | " + " | ".join(SPACES) + " |",
            "|---" * (1 + len(SPACES)) + "|"]
    for light in dict.fromkeys(light for light, _ in tallies):
        cells = [tallies[light, space] for space in SPACES]
        rows.append(f"| {light} | " + " | ".join(
            f"{right / max(found, 1):.2f} / {right / there:.2f}"
            for right, found, there in cells) + " |")
    return rows


def draw(data):
    """Sweets, and the pixels of the DRAWN ones by rg and by hsv."""
    (_, image, truth, settings), = given(data, "smarties")
    truth = {DRAWN: truth[DRAWN]}
    views = [image]
    for space in ("rg", "hsv"):
        _, colours = best_fit(space, [image], [truth], settings)
        pixels = launch([image], colours, "label-map=true", "visionmap kind=labels",
                        "videoconvert", "video/x-raw,format=RGB", "fdsink")
        views.append(np.frombuffer(pixels, np.uint8).reshape(-1, *image.shape)[0])
    write_picture(PICTURE, np.concatenate(views, axis=1))


def main():
    data = os.environ.get("VISION_TEST_DATA")
    if not data or not (Path(data) / "moct/annotations").is_dir():
        print("SKIP: VISION_TEST_DATA names no folder with moct/annotations")
        return 77
    os.environ.setdefault("GST_PLUGIN_PATH", str(footage.BUILD / "gst"))
    tallies = {}
    add_rows(tallies, *scene_frames(), SCENE)
    picture_rows(tallies, Path(data) / "moct")
    rows = table(tallies)
    print("\n".join(rows))
    if "--write" in sys.argv[1:] and not measured.failures:
        measured.write(PAGE, BEGIN, END, rows)
        draw(Path(data) / "moct")
    return bool(measured.failures)


if __name__ == "__main__":
    sys.exit(main())
