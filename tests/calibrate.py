#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tools/vision-calibrate on real chessboards:

    BUILD=build tests/calibrate.py

VISION_TEST_DATA names the folder with the pictures; without it, or without
OpenCV, what needs them is skipped."""
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from boards import BOARD, corners_of  # first: it skips
from measured import failures, limit
import cv2
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("BUILD", ROOT / "build"))
TOOL = ROOT / "tools/vision-calibrate"
SQUARE = 0.025


def run(*words):
    done = subprocess.run([sys.executable, TOOL, *map(str, words)],
                          capture_output=True, text=True, timeout=120,
                          check=False)
    return done.returncode, done.stdout + done.stderr


def refused(what, word, *words):
    code, said = run(*words)
    limit(f"{what}: {said.strip().splitlines()[-1]}",
          code != 0 and word in said and "Traceback" not in said)


def read(path):
    storage = cv2.FileStorage(str(path), cv2.FILE_STORAGE_READ)
    return {name: storage.getNode(name).mat() for name in
            "M1 D1 M2 D2 R T R1 R2 P1 P2 Q".split()}


def rectified(rig, seen, side):
    return cv2.undistortPoints(seen, rig["M" + side], rig["D" + side],
                               R=rig["R" + side], P=rig["P" + side])[:, 0]


def squares(rig, left, right):
    """Sides of the squares, metres, by the disparity of their corners."""
    ones = np.ones(len(left))
    space = rig["Q"] @ np.stack(
        [left[:, 0], left[:, 1], left[:, 0] - right[:, 0], ones])
    grid = (space[:3] / space[3]).T.reshape(BOARD[1], BOARD[0], 3)
    return np.concatenate([
        np.linalg.norm(np.diff(grid, axis=a), axis=2).ravel() for a in (0, 1)])


def check_rig(rig, folder, numbers, alpha):
    rows, sides = [], []
    for n in numbers:
        seen = [corners_of(folder / f"{side}{n:02}.jpg", 7)
                for side in ("left", "right")]
        left, right = (rectified(rig, s, i) for s, i in zip(seen, "12"))
        rows.append(np.abs(left[:, 1] - right[:, 1]))
        sides.append(squares(rig, left, right))
    rows, sides = np.concatenate(rows), np.concatenate(sides)
    limit(f"alpha {alpha}: rows are apart by {rows.mean():.3f} px, at most "
          f"{rows.max():.3f}", rows.mean() < 0.2 and rows.max() < 1)
    limit(f"alpha {alpha}: squares of {1e3 * sides.mean():.3f} mm, deviation "
          f"{1e3 * sides.std():.3f}", abs(sides.mean() / SQUARE - 1) < 0.005
          and sides.std() < 0.012 * SQUARE)
    limit(f"alpha {alpha}: one principal point",
          np.allclose(rig["P1"][:, :3], rig["P2"][:, :3]))


def number(said, before):
    return float(said.split(before)[1].split()[0].rstrip(","))


def pictures(folder, scratch):
    globs = ("--left", folder / "left[01]*.jpg",
             "--right", folder / "right[01]*.jpg")
    for alpha in "0", "1", "-1":
        path = scratch / "rig.yml"
        code, said = run(*globs, "--square", SQUARE, "--alpha", alpha,
                         "--output", path)
        print(said, end="")
        limit(f"alpha {alpha}: 13 views", code == 0 and "13 views" in said)
        # the constrained model of OpenCV's sample comes to 0.436
        limit(f"alpha {alpha}: rms", 0.1 < number(said, "rms ") <= 0.436)
        limit(f"alpha {alpha}: epipolar error",
              number(said, "epipolar error ") < 0.2)
        check_rig(read(path), folder, [*range(1, 10), *range(11, 15)], alpha)
        reads(path)
    xml = scratch / "rig.xml"
    run(*globs, "--square", SQUARE, "--output", xml)
    reads(xml)
    one_camera(folder, scratch)
    refused("swapped", "swap", "--left", folder / "right[01]*.jpg", "--right",
            folder / "left[01]*.jpg", "--square", SQUARE)
    refused("few views", "8 are needed", "--left", folder / "left0[1-5].jpg",
            "--right", folder / "right0[1-5].jpg", "--square", SQUARE)
    refused("another board", "correct --board", "--left",
            folder / "left0[1-2].jpg", "--right", folder / "right0[1-2].jpg",
            "--square", SQUARE, "--board", "8x7")
    refused("one missing", "needs its right one", "--left",
            folder / "left0*.jpg", "--right", folder / "right0[1-5].jpg",
            "--square", SQUARE)
    for side in "left", "right":  # a board in another size, after one
        for n in 1, 2:
            view = cv2.imread(str(folder / f"{side}{n:02}.jpg"))
            cv2.imwrite(str(scratch / f"{side}{n}.png"),
                        view[:440] if n == 2 else view)
    refused("another size", "440 and those before 640 x 480", "--left",
            scratch / "left*.png", "--right", scratch / "right*.png",
            "--square", SQUARE)
    refused("no place", "cannot be written", *globs, "--square", SQUARE,
            "--output", scratch / "nowhere/rig.yml")


def one_camera(folder, scratch):
    """Pictures of one camera, of which the first, of another size, has no board."""
    path = scratch / "camera.yml"
    for n in range(1, 10):
        (scratch / f"view{n}.jpg").symlink_to(folder / f"left{n:02}.jpg")
    cv2.imwrite(str(scratch / "view0.jpg"), np.zeros((90, 120), np.uint8))
    code, said = run("--camera", scratch / "view*.jpg", "--square", "25mm", "--output",
                     path)
    print(said, end="")
    limit("one camera: 9 views", code == 0 and "9 views" in said and
          "view0.jpg: no board in it, left out" in said)
    limit("one camera: rms", 0 < number(said, "rms ") < .436)
    storage = cv2.FileStorage(str(path), cv2.FILE_STORAGE_READ)
    matrix = storage.getNode("camera_matrix").mat()
    pair = read(scratch / "rig.yml")["M1"]
    limit(f"one camera: focal length {matrix[0, 0]:.1f}, in the rig {pair[0, 0]:.1f}",
          abs(matrix[0, 0] / pair[0, 0] - 1) < .03)
    told = [float(n) for n in said.split("intrinsics=")[1].split()[0].split(",")]
    limit("one camera: what is told is what is written",
          np.allclose(told[:4], [matrix[0, 0], matrix[1, 1], matrix[0, 2], matrix[1, 2]],
                      rtol=1e-4) and len(told) == 9)
    depth = "visiontestsrc pattern=rgbd num-buffers=2 ! video/x-raw,width=160,height=120"
    done = subprocess.run(
        ["gst-launch-1.0", "-q", *depth.split(), "!", "kinfumot", f"calibration={path}",
         "voxel-size=0.02", "truncation=0.06", "max-memory=32", "!", "fakesink"],
        capture_output=True, text=True, check=False, timeout=100)
    limit(f"one camera: kinfumot reads the file {done.stderr}", done.returncode == 0 and
          "calibration" not in done.stdout + done.stderr)


def reads(path):
    """Our reader, in C, takes the file."""
    test = BUILD / "tests/gst/element-rig"
    done = subprocess.run([test], check=False, capture_output=True, text=True,
                          env={**os.environ, "RIG": str(path),
                               "GST_CHECKS": "test_calibrated"})
    limit(f"{path.name} is read in C", done.returncode == 0)


def live(folder, scratch):
    """Videos of the same views."""
    try:
        import gi
        gi.require_version("Gst", "1.0")
    except (ImportError, ValueError):
        print("no python3-gst-1.0: live views are not tried")
        return
    heads = [f"multifilesrc location={folder}/{side}%02d.jpg index=1 "
             "stop-index=9 caps=image/jpeg,framerate=5/1 ! jpegdec"
             for side in ("left", "right")]
    path = scratch / "live.yml"
    code, said = run("--live", *heads, "--square", SQUARE, "--views", "9",
                     "--output", path)
    print(said, end="")
    # the quick look for a board, as live views need it, misses one
    limit("live: 8 views", code == 0 and "8 views" in said)
    reads(path)
    code, said = run("--live", heads[0], heads[1] + " ! videorate "
                     "drop-only=true ! video/x-raw,framerate=5/2",
                     "--square", SQUARE)
    limit("live: of a slow camera 4 frames are left out",
          code != 0 and "4 frames left out" in said and "in 4 pairs" in said)
    refused("no pipeline", "no pipeline", "--live", "nosuchelement", heads[1],
            "--square", SQUARE)
    refused("failing source", "a source failed", "--live",
            "filesrc location=/nowhere ! jpegdec", heads[1],
            "--square", SQUARE)


def as_module():
    loader = importlib.machinery.SourceFileLoader("calibrate", str(TOOL))
    tool = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("calibrate", loader))
    loader.exec_module(tool)
    return tool


def outputs(folder):
    """Where a rig goes: files, links, devices, and what cannot be written."""
    tool = as_module()
    rig = {name: np.eye(3) for name in
           "M1 D1 M2 D2 R T R1 R2 P1 P2 Q".split()}
    link, path = folder / "link.yml", folder / "rig.yml"
    mask = os.umask(0)
    os.umask(mask)
    link.symlink_to(path.name)
    for mode in 0o666 & ~mask, 0o640:
        tool.write(str(link), rig, [(640, 480)])
        limit(f"a link stays one, mode {mode:o}", link.is_symlink() and
              path.is_file() and path.stat().st_mode & 0o777 == mode)
        path.chmod(0o640)
    limit("what is written is read", np.array_equal(
        read(path)["Q"], np.eye(3)))
    for kind, start in ("xml", "<?xml"), ("json", "{"), ("yml", "%YAML"):
        tool.write(str(folder / f"of.{kind}"), rig, [(640, 480)])
        text = (folder / f"of.{kind}").read_text()
        limit(f"{kind} begins with {start}", text.startswith(start))
    link.unlink()
    link.symlink_to("/dev/full")
    for bad, why in (link, "No space"), (folder / "no/rig.yml", "No such"), (
            folder, "Is a directory"):
        try:
            tool.write(str(bad), rig, [(640, 480)])
            said = "nothing"
        except SystemExit as end:
            said = str(end)
        limit(f"{why}: {said}", f"{bad} cannot be written" in said and
              why in said)
    limit("devices stay devices", Path("/dev/full").is_char_device() and
          link.is_symlink())
    limit("nothing is left aside", not list(folder.glob(".vision-*")))


def paired(left, right, half, other=None):
    """What vision-calibrate pairs of frames at these times, and how many it
    leaves out; -1 is no time.  @half, @other: half the time of a frame."""
    tool = as_module()
    sides = [iter([(n, t, lasts) if t >= 0 else (n, np.nan, np.nan)
                   for n, t in enumerate(times)])
             for times, lasts in ((left, half), (right, other or half))]
    pairs, alone = [], 0
    while True:
        pair, more = tool.next_pair(lambda side: next(sides[side], None))
        alone += more
        if None in pair:
            return pairs, alone
        pairs.append((pair[0][0], pair[1][0]))


def times():
    every = [(n, n) for n in range(5)]
    limit("frames at one time are pairs", paired(
        range(0, 500, 100), range(0, 500, 100), 50) == (every, 0))
    limit("frames half a frame apart are pairs", paired(
        range(0, 500, 100), range(50, 550, 100), 50) == (every, 0))
    limit("frames farther apart have other partners", paired(
        range(0, 500, 100), range(51, 551, 100), 50) ==
        ([(1, 0), (2, 1), (3, 2), (4, 3)], 1))
    limit("a frame that is missing parts no others", paired(
        range(0, 500, 100), [3, 103, 296, 401], 50) ==
        ([(0, 0), (1, 1), (3, 2), (4, 3)], 1))
    limit("a camera that begins late has its own time", paired(
        range(0, 500, 100), range(290, 700, 100), 50) == (
            [(3, 0), (4, 1)], 3))
    limit("of two rates the nearer frame counts", paired(
        range(0, 500, 50), [80, 180, 280], 25, 50) ==
        ([(2, 0), (4, 1), (6, 2)], 4))
    limit("frames without times are pairs as they come", paired(
        [-1] * 5, range(0, 500, 100), 50) == (every, 0))


def of_depth(folder, scratch):
    """The right camera as a colour camera with more pixels: the rig is the same, but
    for its pixels, and depthalign takes it."""
    for path in sorted(folder.glob("right*.jpg")):
        picture = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
        cv2.imwrite(str(scratch / path.with_suffix(".png").name),
                    cv2.resize(picture, None, fx=1.5, fy=1.5,
                               interpolation=cv2.INTER_CUBIC))
    rigs = []
    for name, words in (
            ("pair", ("--left", folder / "left*.jpg", "--right", folder / "right*.jpg")),
            ("apart", ("--depth", folder / "left*.jpg",
                       "--color", scratch / "right*.png"))):
        code, said = run(*words, "--square", SQUARE, "--output", scratch / f"{name}.yml")
        limit(f"{name}: {said.strip().splitlines()[-1]}", code == 0)
        storage = cv2.FileStorage(str(scratch / f"{name}.yml"), cv2.FILE_STORAGE_READ)
        rigs.append({key: storage.getNode(key).mat() for key in ("M2", "R", "T")})
        size = [storage.getNode(f"image_{side}2").real() for side in ("width", "height")]
    limit("the second size is in the file", size == [960, 720])
    pair, apart = rigs
    limit("both rigs are as far apart", abs(
        np.linalg.norm(pair["T"]) - np.linalg.norm(apart["T"])) < .001)
    limit("both rigs are turned alike", np.abs(pair["R"] - apart["R"]).max() < .01)
    limit("pixels are smaller by half", abs(
        apart["M2"][0, 0] / pair["M2"][0, 0] - 1.5) < .015)
    done = subprocess.run([
        "gst-launch-1.0", "-q", "visiontestsrc", "pattern=rgbd", "num-buffers=1", "!",
        "depthalign", f"rig={scratch / 'apart.yml'}", "!",
        "video/x-raw,width=960,height=720", "!", "fakesink"],
        capture_output=True, text=True, timeout=60, check=False)
    limit(f"depthalign takes it: {done.stderr}", done.returncode == 0 and
          "WARNING" not in done.stdout + done.stderr)


def main():
    times()
    with tempfile.TemporaryDirectory() as scratch:
        outputs(Path(scratch))
    refused("nothing to do", "--live", "--square", SQUARE)
    refused("a bad board", "is no board", "--live", "a", "b", "--square",
            SQUARE, "--board", "9")
    refused("a bad square", "is no side", "--live", "a", "b", "--square",
            "nan")
    for text, words in ("25", "would be 25 m: give the unit, as 25mm"), \
            ("25inch", "no side of a square"), ("0", "no side of a square"):
        refused(f"a square of {text}", words, "--live", "a", "b", "--square", text)
    tool = as_module()
    limit("squares in units", [tool.square_size(text) for text in (
        "25mm", "2.5 cm", ".025", "0.025m", "1.5m")] == [.025] * 4 + [1.5])
    refused("three sources", "one or two", "--live", "a", "b", "c", "--square", SQUARE)
    refused("depth alone beside a pair", "give --left and --right", "--left", "a",
            "--right", "b", "--depth", "c", "--square", SQUARE)
    refused("no picture", "names 0 pictures", "--camera", "/nowhere/*", "--square", SQUARE)
    refused("a bad alpha", "is no alpha", "--live", "a", "b", "--square",
            SQUARE, "--alpha", "2")
    refused("no pictures", "names 0 pictures", "--left", "/nowhere/*",
            "--right", "/nowhere/*", "--square", SQUARE)
    data = os.environ.get("VISION_TEST_DATA")
    folder = Path(data or "/") / "stereo/opencv_chessboard"
    if not folder.is_dir():
        print("SKIP: VISION_TEST_DATA names no folder with chessboards")
        return 1 if failures else 77
    with tempfile.TemporaryDirectory() as scratch:
        pictures(folder, Path(scratch))
        live(folder, Path(scratch))
    with tempfile.TemporaryDirectory() as scratch:
        of_depth(folder, Path(scratch))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
