# SPDX-License-Identifier: LGPL-2.1-or-later
"""pipelines/scopedetect.sh, for tests/pipelines.py."""
import json
import math
import re
import subprocess
import tempfile
from pathlib import Path

from commands import ROOT, run

SCRIPT = ROOT / "pipelines/scopedetect.sh"


def clutter(env):
    """Solids on a table, two of which are looked for: each is where it is."""
    solids = "drill", "camera"
    frames = [json.loads(line) for line in run(
        [SCRIPT, "clutter", *solids],
        env=dict(env, FRAMES="2", SEED="1003",
                 SCOPEDETECT="queries=3000 clusters=100")).splitlines()]
    assert len(frames) == 2, frames
    for frame in frames:
        truth = {o["label"]: o["pose"] for o in frame["truth"]["objects"]}
        assert {o["label"] for o in frame["objects"]} == set(solids), frame
        for o in frame["objects"]:
            off = math.dist(o["pose"][:3], truth[o["label"]][:3])
            assert off < 0.006, f"{o['label']} is {off} m off"
    print("ok   pipelines/scopedetect.sh with clutter")


def write_box(path):
    """The points of a box in millimetres."""
    path.write_text("".join(
        f"{x} {y} {z}\n" for x in range(0, 41, 2) for y in range(0, 61, 2)
        for z in range(0, 81, 2) if x in (0, 40) or y in (0, 60) or z in (0, 80)))


def same_names(env):
    """Meshes of one name in two folders are two models."""
    source = "videotestsrc num-buffers=1"
    with tempfile.TemporaryDirectory() as folder:
        meshes = [Path(folder, name, "box.xyz") for name in ("one", "other")]
        for mesh in meshes:
            mesh.parent.mkdir()
            write_box(mesh)
        said = subprocess.run([SCRIPT, source, source, "-", *meshes],
                              env=dict(env, UNIT="0.001"), capture_output=True,
                              text=True, check=False).stderr
        models = re.search(r" models=(\S+)", said)[1].split(",")
        assert len(set(models)) == 2, said
    print("ok   pipelines/scopedetect.sh with two meshes of one name")


def live(env):
    """Two live sources that bring their camera, and a mesh in millimetres."""
    source = ("visiontestsrc pattern=clutter seed=1003 is-live=true "
              "num-buffers={} view={} ! video/x-raw,framerate=1/1")
    with tempfile.TemporaryDirectory() as folder:
        mesh = Path(f"{folder}/box.xyz")
        write_box(mesh)
        lines = run(
            [SCRIPT, source.format(3, "color"), source.format(3, "depth"), "-",
             mesh], env=dict(env, UNIT="0.001",
                             SCOPEDETECT="queries=300 clusters=20")).splitlines()
        assert lines and all("objects" in line for line in lines), lines
        large = subprocess.run([SCRIPT, "/dev/null", "/dev/null", "-", mesh],
                               env=env, capture_output=True, text=True)
        assert large.returncode == 1 and "UNIT=0.001" in large.stderr, large
        mesh.write_text("no points\n")
        wrong = subprocess.run([SCRIPT, "/dev/null", "/dev/null", "-", mesh],
                               env=env, capture_output=True, text=True)
        assert wrong.returncode == 1 and "UNIT=" not in wrong.stderr and \
            str(mesh) in wrong.stderr, wrong
    print("ok   pipelines/scopedetect.sh with live sources")
