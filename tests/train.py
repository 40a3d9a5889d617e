#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""vision-train on scenes of a box on a table that are made here, and on generated
ones: the same preset, and the same fit, for the same seed, which the element loads;
and what command and element refuse."""
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from commands import check, failures, write_grey

TOOL = Path(os.environ["BUILD"]) / "tools" / "vision-train"
SIZE = (100, 70, 50)          # of the box, millimetres
WIDTH, HEIGHT, FOCUS = 160, 120, 200
SCENES = 12


def run(*args):
    return subprocess.run([TOOL, *map(str, args)], text=True, capture_output=True,
                          timeout=300)


def refused(name, problem, *args):
    done = run(*args)
    check(done.returncode == 1 and problem in done.stderr,
          f"{name}: {done.returncode} {done.stderr}")


def write_mesh(path):
    corners = [[s if i >> k & 1 else 0 for k, s in enumerate(SIZE)]
               for i in range(8)]
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3),
             (0, 4, 6, 2), (1, 3, 7, 5)]
    path.write_text("\n".join(
        ["ply", "format ascii 1.0", "element vertex 8", "property float x",
         "property float y", "property float z", "element face 6",
         "property list uchar int vertex_indices", "end_header"] +
        ["%d %d %d" % tuple(c) for c in corners] +
        ["4 %d %d %d %d" % q for q in quads]) + "\n")


def pose(turn):
    """Rows of the rotation from the box, which stands on the table, to a camera
    that looks 50 degrees down on it, and where its corner is, millimetres."""
    c, s = math.cos(turn), math.sin(turn)
    d, e = math.cos(math.radians(140)), math.sin(math.radians(140))
    r = [[c, -s, 0], [d * s, d * c, -e], [e * s, e * c, d]]
    t = [-sum(row[k] * SIZE[k] / 2 for k in range(3)) for row in r]
    return r, [t[0], t[1], t[2] + 500]


def nearest(d, r, t):
    """Where the ray to @d from the camera meets the box or, if it does not, the
    table that it stands on; along the ray, d having z = 1."""
    way = [sum(r[i][k] * d[i] for i in range(3)) for k in range(3)]
    eye = [-sum(r[i][k] * t[i] for i in range(3)) for k in range(3)]
    first, last = 0, math.inf
    for k in range(3):
        a, b = sorted((side - eye[k]) / (way[k] or 1e-9) for side in (0, SIZE[k]))
        first, last = max(first, a), min(last, b)
    if first < last:
        return first
    far = -eye[2] / way[2] if way[2] else 0
    return far if 0 < far < 3000 else 0


def write_scene(folder, r, t):
    (folder / "depth").mkdir(parents=True)
    write_grey(folder / "depth" / "000000.png", [
        [int(10 * nearest(((u - WIDTH / 2) / FOCUS, (v - HEIGHT / 2) / FOCUS, 1),
                          r, t) + .5) for u in range(WIDTH)]
        for v in range(HEIGHT)])
    (folder / "scene_gt.json").write_text(json.dumps({"0": [{
        "obj_id": 1, "cam_R_m2c": sum(r, []), "cam_t_m2c": t}]}))
    (folder / "scene_camera.json").write_text(json.dumps({"0": {
        "cam_K": [FOCUS, 0, WIDTH / 2, 0, FOCUS, HEIGHT / 2, 0, 0, 1],
        "depth_scale": .1}}))


def check_folders(folder, quick):
    """The same preset twice, another for another seed; the box is found."""
    made = [run(*quick, folder / f"{k}.prs", folder / "scenes") for k in range(2)]
    check(made[0].returncode == 0, made[0].stderr)
    rows = re.findall(r"\| (before|after) \| all models \| (\d+) of (\d+) \| (\d+)",
                      made[0].stdout)
    check([row[0] for row in rows] == ["before", "after"] and
          all(found == wanted == "3" for _, found, wanted, _ in rows),
          made[0].stdout)
    check("round 1 of 1" in made[0].stderr and "8 of 8" in made[0].stderr,
          made[0].stderr)
    text = (folder / "0.prs").read_text()
    check(text == (folder / "1.prs").read_text() and
          made[0].stdout == made[1].stdout, "the same seed, another preset")
    check("[trained]" in text and "explain=two-stage" in text and
          re.search(r"^first-weight-object=[\d.]+$", text, re.M), text)
    return text


def check_half_turn(folder, quick):
    """From above, turned by 180 degrees about (1, -1, 0): w of the quaternion is 0,
    and says nothing of the signs of the other parts.  A second object is outside of
    the frame, and not wanted.  All is found before, so no round is better."""
    r = [[0, -1, 0], [-1, 0, 0], [0, 0, -1]]
    first = folder / "half" / "000001"
    write_scene(first, r, [35, 50, 550])
    truth = json.loads((first / "scene_gt.json").read_text())
    truth["0"].append({**truth["0"][0], "cam_t_m2c": [3000, 0, 500]})
    (first / "scene_gt.json").write_text(json.dumps(truth))
    for k in range(1, SCENES):
        shutil.copytree(first, folder / "half" / f"{k + 1:06d}")
    done = run(*quick, folder / "half.prs", folder / "half")
    check("| before | all models | 3 of 3 | 0 |" in done.stdout,
          done.stdout + done.stderr)
    check("No round finds better weights" in done.stdout, done.stdout)
    check("comment=Weights of before" in (folder / "half.prs").read_text(),
          "the comment of a preset with the weights of before")


def check_generated(folder):
    done = run("--generate", SCENES, "--solids", "duck", "--size", "160x120",
               "--objects", 1, "--rounds", 1, "--tries", 5, "--no-score",
               "--explain", "one-stage", "--name", "ducks", folder / "ducks.prs")
    check(done.returncode == 0, done.stderr)
    text = (folder / "ducks.prs").read_text()
    check("[ducks]" in text and "explain=one-stage" in text and
          "weight-xyz" not in text and "first-" not in text, text)


def check_fit(folder):
    """The same fit twice.  Its rows: fits of other scenes and models, without each
    term, and in the scenes of the report."""
    made = [run("--fit", "--generate", SCENES, "--solids", "duck,house", "--size",
                "160x120", "--objects", 2, folder / f"{k}.fit") for k in range(2)]
    check(made[0].returncode == 0, made[0].stderr)
    text = (folder / "0.fit").read_text()
    check(text == (folder / "1.fit").read_text() and
          made[0].stdout == made[1].stdout, "the same seed, another fit")
    check(text.startswith("scopedetect-fit 1\nconstant ") and
          text.endswith("\nmodel duck\nmodel house\nend\n"), text)
    rows = re.findall(r"^\| (.*?) \| (\d+) of (\d+) \| ([\d.]+) \| ([\d.]+) \|",
                      made[0].stdout, re.M)
    check([row[0] for row in rows][:3] ==
          ["other scenes than the fit's", "another model than the fit's",
           "other scenes, without edge"] and len(rows) == 19, made[0].stdout)
    check(all(0 < int(right) < int(n) for _, right, n, _, _ in rows), made[0].stdout)
    check(float(rows[0][4]) > .8, "poses of other scenes are not told apart")
    return text


def check_fit_loads(folder, text):
    """The element judges by a good file; of a bad one it says what is wrong, and
    keeps the fit that is built in."""
    bad = [("cut", text[:-5], "it is cut off"),
           ("cut in a number", text[:40], "it is cut off"),
           ("version", text.replace("fit 1", "fit 2"), "another version"),
           ("NaN", re.sub("edge .*", "edge nan", text, count=1), "no whole number"),
           ("large", re.sub("edge .*", "edge 99999999999", text, count=1),
            "no whole number"),
           ("a term", text.replace("beyond", "behind"), "its terms"),
           ("models", text.replace("model duck", "model dock").replace(
               "model house", "model hose"), "other models"),
           ("another file", "[_presets_]\n", "did not write it"),
           ("nothing", "", "did not write it"),
           ("no file", None, "No such file")]
    model = folder / "duck.model"
    subprocess.run([TOOL.parent / "vision-model", "--solid", "duck", model],
                   check=True, capture_output=True)
    for name, content, problem in [("good", text, None)] + bad:
        path = folder / "told.fit"
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_text(content)
        done = subprocess.run(
            ["gst-launch-1.0", "-m", "scopedetect", "name=s", f"models={model}",
             f"fit={path}", "intrinsics=200,200,80,60", "!", "fakesink",
             "videotestsrc", "num-buffers=1", "!",
             "video/x-raw,format=RGB,width=160,height=120", "!", "s.sink_color",
             "videotestsrc", "num-buffers=1", "!",
             "video/x-raw,format=GRAY16_LE,width=160,height=120", "!",
             "s.sink_depth"], capture_output=True, text=True, timeout=60)
        told = done.stdout + done.stderr
        check(done.returncode == 0 and ("built-in one is" in told) == bool(problem) and
              (problem or "") in told, f"{name}: {told}")


def check_loads(folder, text):
    """As a file of the user, beside the presets that the element has."""
    presets = folder / "home" / "gstreamer-1.0" / "presets"
    presets.mkdir(parents=True)
    (presets / "GstScopedetect.prs").write_text(
        re.sub("^weight-object=.*$", "weight-object=0.321", text, flags=re.M))
    program = """
import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst
Gst.init(None)
element = Gst.ElementFactory.make("scopedetect")
print(element.load_preset("trained"), round(element.props.weight_object, 3),
      element.load_preset("thorough"), element.props.clusters)"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True,
        env={**os.environ, "XDG_DATA_HOME": str(folder / "home")}, check=False)
    if "No module named 'gi'" in done.stderr:
        print("SKIP loading: this Python has no gi")
        return
    check(done.stdout.split() == ["True", "0.321", "True", "1000"],
          done.stdout + done.stderr)


def check_refused(folder, quick):
    out, scenes = folder / "no.prs", folder / "scenes"
    first = scenes / "000001"
    truth, camera = first / "scene_gt.json", first / "scene_camera.json"
    depth = first / "depth" / "000000.png"
    whole = truth.read_text()
    outside = json.loads(whole)
    outside["0"][0]["cam_t_m2c"] = [3000, 0, 500]
    for path, bad, problem in [
            (truth, whole.replace('"obj_id": 1', '"obj_id": 9').encode(),
             "which a label or --mesh names"),
            (truth, json.dumps(outside).encode(), "outside of the frame"),
            (truth, whole[:-9].encode(), "no object of JSON"),
            (camera, b"{}", "scene_camera.json"),
            (depth, depth.read_bytes()[:300], "PNG"),
            (depth, None, "No such file")]:
        good = path.read_bytes()
        path.unlink() if bad is None else path.write_bytes(bad)
        refused(problem, problem, *quick, out, scenes)
        path.write_bytes(good)
    refused("a label", "no model is given", "--mesh",
            f"2={folder / 'models' / 'obj_000001.ply'}", out, scenes)
    shutil.move(scenes / "000012", folder / "aside")
    refused("few", "11 scenes: these are too few", *quick, out, scenes)
    shutil.move(folder / "aside", scenes / "000012")
    (first / "rgb").mkdir()
    refused("colour", "rgb/000000.png: No such file", *quick, out, scenes)
    (first / "rgb").rmdir()
    refused("few generated", "11 generated scenes: these are too few", "--generate", 11, out)
    refused("a solid", "no solid", "--generate", 12, "--solids", "duck,x", out)
    refused("a size", "WIDTHxHEIGHT", "--generate", 12, "--size", "640", out)
    refused("a number", "whole number", "--tries", "0", out, scenes)
    refused("a folder", "nowhere/: No such file", *quick,
            folder / "nowhere" / "no.prs", scenes)
    refused("a folder as preset", "Is a directory", *quick, folder, scenes)
    refused("models of no folder", "no FOLDER's labels", *quick, "--generate", 12, out)
    refused("no model", "the models: none is given", "--generate", 12, "--solids", ",",
            out)
    for name in "", "a]", "a\nb", "_presets_", "a" * 65:
        refused("a name", "64 bytes", "--name", name, out, scenes)
    check(not out.exists(), "a preset of what was refused")
    for wrong in [], [out], ["--nothing", out, scenes]:
        check(run(*wrong).returncode == 2, wrong)


def main():
    if not TOOL.exists():
        print("SKIP: there is no vision-train, which needs NLopt")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "models").mkdir()
        write_mesh(folder / "models" / "obj_000001.ply")
        for k in range(SCENES):
            write_scene(folder / "scenes" / f"{k + 1:06d}", *pose(.5 * k))
        quick = ["--models", folder / "models", "--rounds", 1, "--tries", 8]
        text = check_folders(folder, quick)
        check_half_turn(folder, quick)
        check_loads(folder, text)
        check_generated(folder)
        check_fit_loads(folder, check_fit(folder))
        check_refused(folder, quick)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
