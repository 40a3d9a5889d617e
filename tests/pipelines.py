#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs what a user would copy and run:

    lines    every gst-launch-1.0 line in the documents (those of docs/elements
             come from the comments of elements) and in the comments of
             scripts, for a few frames.  A line that needs what may not be here
             (FILE, /dev/video…, a GPU) is counted as skipped
    scripts  pipelines/*.sh but the demo
    apps     pipelines/apps, which must all print the same
    demo     pipelines/demo.sh, and what it found

Run it as a test of Meson, which sets the environment."""
import json
import math
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(
    0, str(Path(__file__).resolve().parent.parent / "pipelines"))
sys.dont_write_bytecode = True
import faces  # noqa: E402
import pipelines_scopedetect  # noqa: E402
import report  # noqa: E402
import schema  # noqa: E402
from commands import ROOT, make, run  # noqa: E402

FRAMES = 5
MODEL_OF_SOLID = ROOT / os.environ.get("BUILD", "build") / "tools/vision-model"
SOURCES = {"visiontestsrc", "videotestsrc"}
NEEDS = re.compile(r"FILE|/dev/video|v4l2src|rtsp:|cuda(up|down)load|"
                   r"cudaconvert|nvh26|nvjpeg|unixfd|objectdetection|onnx")
WINDOW = re.compile(r"(auto|x|xv|gl|wayland)(video|image)?sink")


def launch_lines():
    """Every launch line once, with the file it was first seen in."""
    files = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"),
             *ROOT.glob("cuda/**/*.md"),
             *ROOT.glob("pipelines/**/*.sh")]
    found = {}
    for path in sorted(files):
        text = re.sub(r"\\\n[ #]*", " ", path.read_text())
        start = "#[ #]*" if path.suffix == ".sh" else "[ $]*"
        for m in re.finditer(rf"^{start}(gst-launch-1\.0 .*)$", text, re.M):
            found.setdefault(m[1].strip(), path.relative_to(ROOT))
    return found


def shortened(line):
    """The words of @line, with an end and without a window."""
    words = []
    for word in shlex.split(line):
        if re.fullmatch(r"num-buffers=\d+", word):
            continue
        words.append("fakesink" if WINDOW.fullmatch(word) else word)
        if word in SOURCES:
            words.append(f"num-buffers={FRAMES}")
    return words


def lines():
    ran = skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        for line, path in launch_lines().items():
            if NEEDS.search(line):
                skipped += 1
                print(f"skip {path}: {line}")
                continue
            for solid in re.findall(r"(\w+)\.model", line):
                run([MODEL_OF_SOLID, "--quiet", "--solid", solid, f"{solid}.model"],
                    cwd=folder)
            run(shortened(line), cwd=folder)
            ran += 1
            print(f"ok   {path}: {line}")
    print(f"{ran} lines ran, {skipped} skipped")
    if not ran:
        sys.exit("no launch line was found")


def frames_of(script, env):
    """What a script prints without a display: a JSON line a frame."""
    frames = [json.loads(line) for line in run([script], env=env).splitlines()]
    expected = int(env["FRAMES"])
    assert len(frames) == expected, f"{script}: {len(frames)}, not {expected}"
    print(f"ok   {script.relative_to(ROOT)}")
    return frames


def movement_of_gpuccl(script, folder, env):
    """A ball that moves before a grey picture, and MASK with a word."""
    if subprocess.run(["gst-inspect-1.0", "--exists", "segmentation"]).returncode:
        print("SKIP clips: no segmentation")
    else:
        clip = f"{folder}/ball.avi"
        make("videotestsrc pattern=ball background-color=0xff606060 num-buffers=60 ! "
             f"video/x-raw,width=320,height=240 ! jpegenc ! avimux ! "
             f"filesink location={clip}")
        env = {name: env[name] for name in env if name != "FRAMES"}
        lines = [json.loads(line) for line in run([script, clip], env=env).splitlines()]
        ids = [o["id"] for line in lines[10:] for o in line["objects"]
               if o["state"] == "accepted" and 1000 < o["area"] < 2500]
        assert len(lines) == 60 and ids.count(max(ids)) > 30 and max(ids) < 3, ids
    absent = Path(folder, "gst-inspect-1.0")
    absent.write_text("#!/bin/sh\nexit 1\n")
    absent.chmod(0o755)
    said = subprocess.run([script, "any.avi"], text=True, capture_output=True, env=dict(
        env, PATH=f"{folder}:{env['PATH']}"))
    absent.unlink()
    assert said.returncode == 1 and "package gstreamer1.0-opencv" in said.stderr, said
    said = subprocess.run([script, "any.avi"], env=dict(env, MASK="yes"), text=True,
                          capture_output=True)
    assert said.returncode == 2 and 'not "yes"' in said.stderr, said


def inputs_of_gpuccl(env):
    """A sequence of depth pictures, and a mask."""
    script = ROOT / "pipelines/gpuccl.sh"
    with tempfile.TemporaryDirectory() as folder:
        depth, mask = f"{folder}/depth-%03d.png", f"{folder}/mask.png"
        run(["gst-launch-1.0", *shlex.split(
            f"visiontestsrc pattern=rgbd num-buffers=4 ! videoconvert ! "
            f"pngenc ! multifilesink location={depth}")])
        run(["gst-launch-1.0", *shlex.split(
            f"videotestsrc pattern=ball num-buffers=1 ! pngenc ! "
            f"filesink location={mask}")])
        lines = run([script, depth], env=dict(
            env, START="1", GPUCCL="frames=2")).splitlines()
        last = json.loads(lines[-1])["objects"]
        assert len(lines) == 3 and last[0]["reason"] == "surface", last
        assert 0.5 < last[0]["depth"] < 5, last
        found, = json.loads(run([script, mask], env=dict(env, MASK="1")))["objects"]
        assert 1000 < found["area"] < 2000, found
        movement_of_gpuccl(script, folder, env)
    print("ok   pipelines/gpuccl.sh with pictures")


def inputs_of_emdtrack(env):
    """A clip, a picture of its target, a sequence of a mosaic camera's pictures,
    and a cube of ENVI."""
    script = ROOT / "pipelines/emdtrack.sh"
    scene = ("visiontestsrc pattern=multispectral n-objects=1 distractors=0 "
             "seed=3 num-buffers=4")
    with tempfile.TemporaryDirectory() as folder:
        clip, mosaic = f"{folder}/clip.avi", f"{folder}/raw-%d.png"
        make("visiontestsrc num-buffers=6 ! videoconvert ! jpegenc ! avimux ! "
             f"filesink location={clip}")
        make(f"filesrc location={clip} ! decodebin ! videoconvert ! videocrop "
             "left=58 top=76 right=508 bottom=330 ! pngenc ! "
             f"multifilesink location={folder}/red-%d.png")
        for kind in "jpg", "png":
            make(f"filesrc location={clip} ! decodebin ! videoconvert ! "
                 f"{kind.replace('jpg', 'jpeg')}enc ! "
                 f"multifilesink location={folder}/frame-%d.{kind}")
        make(f"{scene} channel-layout=mosaic ! pngenc ! "
             f"multifilesink location={mosaic}")
        make(f"{scene} channels=8 ! multifilesink location={folder}/cube-%d.raw")
        for i in range(4):
            Path(f"{folder}/cube-{i}.hdr").write_text(
                "ENVI\nsamples = 640\nlines = 480\nbands = 8\n"
                "data type = 12\ninterleave = bsq\nbyte order = 0\n")
        for path, box, x, y in (
                (clip, "58,76,74,74", 86, 112),
                (clip, f"red:file={folder}/red-0.png", 86, 112),
                (f"{folder}/frame-%d.jpg", "58,76,74,74", 86, 112),
                (f"{folder}/frame-%d.png", "58,76,74,74", 86, 112),
                (mosaic, "27,201,74,74", 68, 241),
                (f"{folder}/cube-%d.hdr", "27,201,74,74", 68, 241)):
            frames = [json.loads(line) for line in run(
                [script, path, box], env=env).splitlines()]
            last = frames[-1]["objects"][0]
            assert len(frames) >= 4 and last["state"] == "tracking", last
            assert math.dist((last["cx"], last["cy"]), (x, y)) < 12, last
    print("ok   pipelines/emdtrack.sh with a clip, pictures and cubes")


def inputs_of_pocstereo(env):
    """Two pictures to colours and to points in space, and two sequences."""
    script = ROOT / "pipelines/pocstereo.sh"
    frames_of(script, dict(env, FRAMES="5"))
    rig = "max-disparity=64 intrinsics=350,350,159.5,119.5 baseline=0.06"
    with tempfile.TemporaryDirectory() as folder:
        views = [f"{folder}/{view}-%d.png" for view in ("left", "right")]
        for view, path in zip(("left", "right"), views):
            run(["gst-launch-1.0", *shlex.split(
                f"visiontestsrc pattern=stereo view={view} num-buffers=2 ! "
                f"video/x-raw,width=320,height=240 ! videoconvert ! pngenc ! "
                f"multifilesink location={path}")])
        pair = [path % 0 for path in views]
        run([script, *pair], env=dict(
            env, OUTPUT=f"{folder}/colours.png", POCSTEREO=rig))
        picture = (Path(folder) / "colours.png").read_bytes()
        assert picture.startswith(b"\x89PNG"), "pocstereo.sh wrote no picture"
        lines = run([script, *views], env=dict(
            env, FRAMES="2", PLY=f"{folder}/%d.ply", POCSTEREO=rig))
        assert len(lines.splitlines()) == 2, lines
        for i in range(2):
            cloud = (Path(folder) / f"{i}.ply").read_bytes()
            n = int(re.search(rb"element vertex (\d+)", cloud)[1])
            assert n > 1000, f"pocstereo.sh wrote {n} points"
    print("ok   pipelines/pocstereo.sh with pictures")
    faces_of_pocstereo(script, dict(env, FACES="1", FRAMES="2"))


def faces_of_pocstereo(script, env):
    """Nobody is in the generated room, so nothing is measured; a drawn face is;
    where there is no facedetect, that is said."""
    done = subprocess.run([script], env=env, capture_output=True, text=True,
                          timeout=60, check=False)
    if done.returncode:
        assert "FACES needs facedetect" in done.stderr, done.stderr
        print("SKIP pipelines/pocstereo.sh with faces: no facedetect")
        return
    runs = [done.stdout]
    with tempfile.TemporaryDirectory() as folder:
        pair = [f"{folder}/{view}-%d.jpg" for view in ("left", "right")]
        for view, path in zip(("left", "right"), pair):
            run(["gst-launch-1.0", *shlex.split(
                f"visiontestsrc pattern=stereo view={view} num-buffers=2 ! "
                "videoconvert ! video/x-raw,format=I420 ! jpegenc ! "
                f"multifilesink location={path}")])
        runs.append(run([script, *pair], env=env))
        pair = [f"{folder}/face-{view}.png" for view in ("left", "right")]
        for path, shift in zip(pair, (0, faces.SHIFT)):
            faces.draw_face(path, shift)
        points = faces.listed(run([script, *pair], env=env))
    assert len(points) > 500, f"{len(points)} points on a face"
    errors = [abs(point[2] - faces.SHIFT) for point in points]
    assert max(errors) < 0.2, f"a point on a face is {max(errors)} px off"
    for said in runs:
        frames = [json.loads(line) for line in said.splitlines()]
        assert len(frames) == 2, said
        assert not any("maps" in frame for frame in frames), frames
    print("ok   pipelines/pocstereo.sh with faces")


def scripts():
    env = dict(os.environ, FRAMES="60")
    for name in "DISPLAY", "WAYLAND_DISPLAY":
        env.pop(name, None)
    frames = {script.stem: frames_of(script, env)
              for script in sorted(ROOT.glob("pipelines/*.sh"))
              if script.stem not in ("common", "demo", "devenv", "kinfumot",
                                     "launch", "live", "visionmap", "pocstereo",
                                     "scopedetect")}
    frames_of(ROOT / "pipelines/kinfumot.sh", dict(env, FRAMES="20"))
    for label, s in report.score(frames["moct"]).items():
        assert len(s.errors) > s.frames / 2, f"{label} was seldom found"
        error = statistics.median(s.errors)  # fragments of hidden ones are far
        print(f"{label}: {s.frames} frames, {s.missed} missed, error {error}")
        assert error < 0.5, f"{label} was found {error} px off"
    boxes, = report.moving(frames["gpuccl"]).values()
    print(f"gpuccl: accepted in frame {min(boxes)}, IoU {list(boxes.values())}")
    assert min(boxes) < 55 and boxes[59] > 0.5, "gpuccl missed the robot"
    errors = [math.dist(*((o["cx"], o["cy"]) for o in (
        f["objects"][0], f["truth"]["objects"][0])))
        for f in frames["emdtrack"]]
    print(f"emdtrack: error {statistics.median(errors)}, {max(errors)} at most")
    assert max(errors) < 20, "emdtrack lost its target"
    inputs_of_emdtrack(env)
    inputs_of_gpuccl(env)
    inputs_of_pocstereo(env)
    reports()
    wrong_lines()
    plots()
    pipelines_scopedetect.clutter(env)
    pipelines_scopedetect.live(env)
    pipelines_scopedetect.same_names(env)

    with tempfile.TemporaryDirectory() as folder:
        run([ROOT / "pipelines/visionmap.sh"], env=env, cwd=folder)
        picture = (Path(folder) / "visionmap.png").read_bytes()
        assert picture.startswith(b"\x89PNG"), "visionmap.sh wrote no picture"
        print("ok   pipelines/visionmap.sh")


def reports():
    """Objects that a report cannot compare with the truth: the true one is out of
    view, or has no such label, or the found one has no centroid or pose."""
    box = {"x": 1, "y": 1, "width": 4, "height": 4}
    find = {"id": 1, "label": "cup", "state": "accepted", **box}
    pose = [0, 0, 1, 1, 0, 0, 0]
    away = [{"objects": [find], "truth": {"objects": [{"label": "cup"}]}}]
    assert report.moving(away) == {1: {0: 0}}, report.moving(away)
    empty = dict(box, width=0, height=0)
    assert report.overlap(empty, empty) == 0 and report.overlap(box, box) == 1
    assert not report.inside(find, box)
    other = [{"objects": [dict(find, pose=pose), dict(find, label="can")],
              "truth": {"objects": [{"label": "can", "pose": pose}]}}]
    assert not report.poses(other), report.poses(other)
    print("ok   pipelines/report.py without a true box, label or pose")


def wrong_lines():
    """Lines that are cut off or no results, labels with commands for a terminal, and
    files that are not there."""
    good = {"objects": [{"id": 1, "label": "cup\x1b[2J\x07\u202e", "state": "found"}]}
    script = ROOT / "pipelines/report.py"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cut.json"
        path.write_bytes(b"\n".join([
            json.dumps(good).encode(), b"[1]", b'{"objects": 4}', b'{"objects": [4]}',
            b'{"objects": [], "truth": 1}', b"\xff\xfe", json.dumps(good).encode(),
            json.dumps(good).encode()[:30]]))
        done = subprocess.run([script, path], capture_output=True, text=True, check=True)
        assert "6 of 8 lines are no results, such as line 2" in done.stderr, done.stderr
        assert re.search(r"cup\?\[2J\?\? +2 +1 +1\n", done.stdout), repr(done.stdout)
        assert done.stdout.endswith("of 2 frames\n"), done.stdout
        path.write_text("")
        assert "of 0 frames" in run([script, path])
        for arguments, words in ([f"{folder}/\x1b[none"], "/?[none cannot be read: No such"), \
                ([], "pipelines/report.py FILE.json"):
            done = subprocess.run([script, *arguments], capture_output=True, text=True,
                                  check=False)
            assert done.returncode == 1 and words in done.stderr, done.stderr
    print("ok   pipelines/report.py with wrong lines")


def plots():
    """Without input, what draws figures says what to give."""
    for path in sorted(ROOT.glob("docs/plots/*.py")):
        done = subprocess.run([path], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False)
        assert done.returncode == 1 and f"docs/plots/{path.name} " in done.stderr and \
            "Traceback" not in done.stderr, (path.name, done.stderr)
    print("ok   docs/plots without input")


def demo():
    with tempfile.TemporaryDirectory() as folder:
        print(run([ROOT / "pipelines/demo.sh"],
                  env=dict(os.environ, FRAMES="40", OUTPUT=folder)))
        pictures = {p.name.split("-")[0] for p in Path(folder).glob("*.png")}
        tracked = Path(folder, "kinfumot.json")
        if tracked.exists():
            pictures.remove("models")
            off, = report.followed(map(json.loads, open(tracked))).values()
            assert len(off) > 30 and max(off.values()) < 10, off
        assert pictures == {"overlay", "labels", "small", "robot", "stereo",
                            "cube", "solids"}, pictures
        for path in Path(folder).glob("*.json"):
            print(path.name, schema.check_lines(open(path)), "lines as the schema")
        boxes, = report.moving(map(
            json.loads, open(f"{folder}/gpuccl.json"))).values()
        assert 14 < min(boxes) < 25, f"accepted in frame {min(boxes)}"
        assert min(list(boxes.values())[5:]) > 0.8, boxes
        targets = report.score(map(json.loads, open(f"{folder}/emdtrack.json")))
        for label, s in targets.items():
            assert len(s.errors) == 10 and max(s.errors) < 12, (label, s.errors)
        solids = report.poses(map(json.loads,
                                  open(f"{folder}/scopedetect.json")))
        assert solids.keys() == {"drill", "camera"}, solids
        for label, values in solids.items():
            assert all(mm < 6 and degrees < 6 for mm, degrees in values), \
                (label, values)


def apps():
    build = Path(os.environ["BUILD"])
    outputs = {}
    for app in build / "pipelines/apps/objects", \
            ROOT / "pipelines/apps/objects.py":
        for how in [], ["--messages"]:
            outputs[f"{app.name} {how}"] = run([app, *how])
    disparities = run([ROOT / "pipelines/apps/disparity.py"])
    print(disparities)
    for line in disparities.splitlines():
        wrong, rms = map(float, re.search(
            r"([\d.]+) % off .* ([\d.]+) px RMS", line).groups())
        assert wrong < 5 and rms < .15, line
    assert line.startswith("0.300 s"), "disparity.py lost frames"
    one_sided = run([ROOT / "pipelines/apps/disparity.py",
                     "visiontestsrc pattern=stereo view=side-by-side contents=head "
                     "disparity-offset=2000 texture=0 num-buffers=1"])
    assert " 0 of what both cameras see: 0.00 % off" in one_sided, one_sided
    first = outputs["objects []"]
    print(first)
    assert re.search(r"\d s  \w+ \d+: \(", first), "objects printed nothing"
    for name, out in outputs.items():
        assert out == first, f"{name} prints other than objects: {out}"


if __name__ == "__main__":
    {"lines": lines, "scripts": scripts, "apps": apps,
     "demo": demo}[sys.argv[1]]()
