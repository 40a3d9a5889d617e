#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""vision-model and vision-pose-eval on a box made here: what they say, what
they refuse, and measures worked out by hand."""
import contextlib
import json
import os
import re
import resource
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

from commands import check, failures, write_grey

TOOLS = Path(os.environ["BUILD"]) / "tools"
SIZE = (80, 50, 20)  # millimetres
SIDE = 64            # of the depth frame, pixels


def run(tool, *args):
    return subprocess.run([TOOLS / tool, *map(str, args)], text=True,
                          capture_output=True, timeout=120)


def write_box(path):
    corners = [[s if i >> k & 1 else 0 for k, s in enumerate(SIZE)]
               for i in range(8)]
    faces = [(1, 3, 4, 2), (5, 6, 8, 7), (1, 2, 6, 5), (3, 7, 8, 4),
             (1, 5, 7, 3), (2, 4, 8, 6)]
    path.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in corners) +
                    "".join("f %d %d %d %d\n" % f for f in faces))


def write_poses(path, steps):
    lines = ["scene_id,im_id,obj_id,score,R,t,time"]
    lines += [f"1,2,3,0.9,1 0 0 0 1 0 0 0 1,{x - 40} {y - 25} {z + 500},-1"
              for x, y, z in steps]
    path.write_text("\n".join(lines) + "\n")


def write_depth(path, millimetres):
    write_grey(path, [[millimetres] * SIDE] * SIDE)


def write_wide(path):
    """The head of a picture of 2 TB, which nobody has room for."""
    write_depth(path, 500)
    head = b"IHDR" + struct.pack(">2I5B", 1000000, 1000000, 16, 0, 0, 0, 0)
    whole = path.read_bytes()
    path.write_bytes(whole[:12] + head + struct.pack(">I", zlib.crc32(head)) +
                     whole[33:])


def check_help(tool):
    told = run(tool, "--help")
    check(told.returncode == 0 and told.stdout.startswith(tool), told.stderr)


def check_bar(*args):
    """A terminal shows how far vision-model is."""
    ours, theirs = os.openpty()
    subprocess.run([TOOLS / "vision-model", *map(str, args)], stderr=theirs,
                   stdout=subprocess.DEVNULL, timeout=120, check=True)
    os.close(theirs)
    told = b""
    with contextlib.suppress(OSError), os.fdopen(ours, "rb", buffering=0) as file:
        while part := file.read(4096):
            told += part
    check(b"100 %" in told, told)


def check_model(folder):
    mesh, model = folder / "box.obj", folder / "box.scope"
    made = run("vision-model", "--unit", .001, mesh, model)
    check(made.returncode == 0 and not made.stderr, made.stderr)
    check_bar("--unit", .001, mesh, model)
    check("4 poses look alike" in made.stdout, made.stdout)
    memory = re.search(r"about (\d+) MB", made.stdout)
    check(memory and 10 < int(memory[1]) < 1000, made.stdout)
    shown = run("vision-model", model)
    check(shown.returncode == 0 and shown.stdout == made.stdout, shown.stdout)
    large = run("vision-model", mesh, folder / "large.scope")
    check(large.returncode == 1 and "0.001" in large.stderr, large.stderr)
    check(not (folder / "large.scope").exists(), "a refused model was written")
    model.write_bytes(model.read_bytes()[:-1])
    cut = run("vision-model", model)
    check(cut.returncode == 1 and "damaged" in cut.stderr, cut.stderr)
    check(run("vision-model").returncode == 2, "no usage without arguments")
    for option in ("--unit", "--spacing", "--radius", "--seed"):
        no = run("vision-model", option, "1x", mesh, folder / "no.scope")
        check(no.returncode == 1 and "1x: this is no number" in no.stderr,
              no.stderr)
    check_help("vision-model")


def check_output(folder):
    """Links, FIFOs and full devices as output, names and pipes as input."""
    mesh, model = folder / "box.obj", folder / "plain.scope"
    link, fifo = folder / "link.scope", folder / "fifo"
    make = ["vision-model", "--quiet", "--unit", .001, mesh]
    link.symlink_to(model.name)
    check(run(*make, link).returncode == 0 and link.is_symlink() and
          model.is_file(), "a link to a model that is new")
    plain = model.read_bytes()
    model.write_bytes(b"older")
    model.chmod(0o640)
    check(run(*make, link).returncode == 0 and link.is_symlink() and
          model.read_bytes() == plain and model.stat().st_mode & 0o777 == 0o640,
          "a link to a model that is there")
    full = run(*make, "/dev/full")
    check(full.returncode == 1 and "/dev/full: No space" in full.stderr,
          full.stderr)
    with open("/dev/full", "w", encoding="utf-8") as out:
        code = subprocess.run([TOOLS / "vision-model", model], stdout=out,
                              stderr=subprocess.DEVNULL, check=False).returncode
    check(code == 1, "a description that nobody got")
    os.mkfifo(fifo)
    with subprocess.Popen(["cat", fifo], stdout=subprocess.PIPE) as reader:
        made = run(*make, fifo)
        got = reader.communicate()[0]
    check(made.returncode == 0 and got == plain and fifo.is_fifo(),
          "a model to a FIFO")
    for refused in run("vision-model", fifo), run(*make[:-1], fifo, model):
        check(refused.returncode == 1 and "regular" in refused.stderr,
              refused.stderr)
    check(model.read_bytes() == plain and
          not [name for name in os.listdir(folder) if name.startswith(".")],
          "a refused mesh leaves the model as it was")
    latin = os.fsencode(folder) + b"/gl\xe4ser.obj"
    with open(latin, "wb") as file:
        file.write(mesh.read_bytes())
    named = subprocess.run([TOOLS / "vision-model", "--quiet", "--unit", ".001",
                            latin, model], capture_output=True, check=False)
    check(named.stdout.startswith(b"gl?ser: "), named.stdout)
    link.unlink()
    fifo.unlink()


def check_views(folder):
    """A wall, seen twice, a pixel every 8.3 mm."""
    depth, views = folder / "depth.png", folder / "views.txt"
    model = folder / "wall.scope"
    head = "# a wall\ncamera 60 60 32 32\nbox -.1 -.06 .4 .1 .06 .6\n"
    view = "view depth.png - 0 0 0 1 0 0 0\n"
    write_depth(depth, 500)
    os.mkfifo(folder / "fifo.png")
    write_wide(folder / "wide.png")
    views.write_text(head + 2 * view)
    made = run("vision-model", "--views", views, model)
    check(made.returncode == 0 and "without colour" in made.stdout, made.stderr)
    size = made.stdout.split("apart, ")[-1].split(" mm")[0].split(" x ")
    check(abs(float(size[0]) - 183.3) < 2 and abs(float(size[1]) - 116.7) < 2,
          made.stdout)
    for text, problem in [(view, "camera"), (head + "veiw\n", "line 4"),
                          (head + "view nowhere.png - 0 0 0 1 0 0 0", "nowhere"),
                          (head + "view depth.png - 0 0 0 2 0 0 0", "quaternion"),
                          (head + "view depth.png depth.png 0 0 0 1 0 0 0",
                           "8 bits"),
                          (head + "view fifo.png - 0 0 0 1 0 0 0", "regular"),
                          (head + "view wide.png - 0 0 0 1 0 0 0", "8192 pixels"),
                          (head, "no surface"), (head + view, "twice")]:
        views.write_text(text)
        refused = run("vision-model", "--views", views, model)
        check(refused.returncode == 1 and problem in refused.stderr,
              f"{text!r}: {refused.stderr}")
    for name, problem in [("none", "No such file"), ("fifo.png", "regular"),
                          ("/dev/zero", "regular")]:
        refused = run("vision-model", "--views", folder / name, model)
        check(refused.returncode == 1 and problem in refused.stderr,
              f"a list in {name}: {refused.stderr}")


def check_many_views(folder):
    """A short list of views that would take gigabytes."""
    side = 8192  # pixels
    path, views = folder / "large.png", folder / "many.txt"

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(
            ">I", zlib.crc32(kind + data))
    pixels = zlib.compressobj(1)
    row = bytes(1 + 2 * side)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(
        b"IHDR", struct.pack(">2I5B", side, side, 16, 0, 0, 0, 0)) + chunk(
        b"IDAT", b"".join([*(pixels.compress(row) for _ in range(side)),
                           pixels.flush()])) + chunk(b"IEND", b""))
    views.write_text("camera 600 600 320 240\n" +
                     300 * "view large.png - 0 0 0 1 0 0 0\n")
    refused = run("vision-model", "--views", views, folder / "no.scope")
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # kB
    check(refused.returncode == 1 and "307 million pixels" in refused.stderr,
          refused.stderr)
    check(most < 1.5e6, f"the views took {most} kB")
    path.unlink()


def write_scene(folder, millimetres):
    """A folder of BOP: a box in image 2, before a wall at a depth."""
    pose = {"obj_id": 3, "cam_R_m2c": [1, 0, 0, 0, 1, 0, 0, 0, 1],
            "cam_t_m2c": [-40, -25, 500]}
    camera = {"cam_K": [200, 0, 32, 0, 200, 32, 0, 0, 1], "depth_scale": 1}
    (folder / "depth").mkdir(parents=True, exist_ok=True)
    (folder / "scene_gt.json").write_text(json.dumps({2: [pose]}))
    (folder / "scene_camera.json").write_text(json.dumps({2: camera}))
    write_depth(folder / "depth" / "000002.png", millimetres)


def evaluate(folder, step, truth="1"):
    write_poses(folder / "found.csv", [step])
    got = run("vision-pose-eval", "--mesh", f"3={folder / 'box.obj'}",
              folder / "found.csv", folder / truth)
    check(got.returncode == 0, got.stderr)
    head, line = got.stdout.split()
    return dict(zip(head.split(","), map(float, line.split(","))))


def check_poses(folder):
    write_poses(folder / "truth.csv", [(0, 0, 0), (0, 300, 0)])
    write_scene(folder / "1", 600)
    same = evaluate(folder, (0, 0, 0))
    check(same["add_mm"] == same["add_s_mm"] == same["vsd"] == 0, same)
    check(abs(same["diameter_mm"] - 96.4) < .1, same)
    near = evaluate(folder, (3, 4, 0))
    check(near["add_mm"] == near["add_s_mm"] == 5, near)
    check(0 < near["vsd"] < .4, near)
    # a side's length away: half of the corners lie on others
    check(evaluate(folder, (80, 0, 0), "truth.csv")["add_s_mm"] == 40,
          "ADD-S by a side")
    # 20 mm off is more than 5, 10, 15 and 20 % of the diameter
    off = evaluate(folder, (0, 0, 20))
    check(abs(off["vsd"] - .4) < .25 and off["add_mm"] == 20, off)
    # points alone have no surface to be seen
    cloud = folder / "cloud.xyz"
    cloud.write_text("0 0 0\n40 0 0\n0 40 0\n0 0 40\n")
    points = ["--mesh", f"3={cloud}", folder / "found.csv"]
    bad = run("vision-pose-eval", *points, folder / "1")
    check(bad.returncode == 1 and "triangles" in bad.stderr, bad.stderr)
    good = run("vision-pose-eval", *points, folder / "truth.csv")
    check(good.returncode == 0, good.stderr)
    # hidden, there is nothing to tell
    depth = folder / "1" / "depth" / "000002.png"
    for write, problem in (write_wide, "8192 pixels"), (os.mkfifo, "regular"):
        depth.unlink()
        write(depth)
        bad = run("vision-pose-eval", "--mesh", f"3={folder / 'box.obj'}",
                  folder / "found.csv", folder / "1")
        check(bad.returncode == 1 and problem in bad.stderr, bad.stderr)
    depth.unlink()
    write_depth(depth, 100)
    check(evaluate(folder, (0, 0, 0))["vsd"] == 1, "VSD where hidden")
    # 2^32 + 1 is not taken for 1
    text = (folder / "found.csv").read_text()
    (folder / "found.csv").write_text(text.replace("\n1,", "\n4294967297,"))
    bad = run("vision-pose-eval", "--mesh", f"3={folder / 'box.obj'}",
              folder / "found.csv", folder / "truth.csv")
    check(bad.returncode == 1 and "no pose" in bad.stderr, bad.stderr)


def check_lists(folder):
    """More poses than a frame has, and poses that there are none true of."""
    truth, found = folder / "truth.csv", folder / "found.csv"
    mesh = ["--mesh", f"3={folder / 'box.obj'}"]
    write_poses(truth, [(0, 0, 0)])
    write_poses(found, 5000 * [(0, 0, 0)])
    many = run("vision-pose-eval", *mesh, found, truth)
    check(many.stdout.count("\n") == 5001 and "5000 estimates" in many.stderr,
          many.stderr)
    text = found.read_text().splitlines()[:2]
    found.write_text("\n".join(text).replace("1,2,3", "1,7,3") + "\n")
    camera = ["--camera", "200,200,32,32"]
    none = run("vision-pose-eval", *mesh, *camera, found, truth)
    head, line = none.stdout.split()
    check(head.count(",") == line.count(",") and "none,none" in line, line)


def check_refused(folder):
    truth, found, mesh = (folder / name for name in
                          ("truth.csv", "found.csv", "box.obj"))
    write_poses(truth, [(0, 0, 0)])
    good = truth.read_text()
    for options, text, problem in [
            ([], good, "--mesh 3=FILE"),
            (["--mesh", f"x={mesh}"], good, "ID=FILE"),
            (["--mesh", mesh], good, "ID=FILE"),
            (["--mesh", "3=/nowhere.ply"], good, "/nowhere.ply"),
            (["--mesh", f"3={mesh}", "--unit", "1"], good, "--unit"),
            (["--unit", "mm"], good, "mm: "),
            (["--camera", "1,2,3"], good, "FX,FY,CX,CY"),
            (["--camera", "inf,9,9,9"], good, "FX,FY,CX,CY"),
            (["--camera", "9,9,nan,9"], good, "FX,FY,CX,CY"),
            ([], good.replace("0.9", "nan"), "line 2"),
            ([], good + "1,2\n", "line 3"),
            ([], good.replace("1 0 0 0 1", "1 0 0 0 2"), "no turn"),
            ([], good.replace("1 0 0 0 1", "1 0 0 0 -1"), "no turn"),
            ([], good.splitlines()[0], "no poses")]:
        found.write_text(text)
        got = run("vision-pose-eval", *options, found, truth)
        check(got.returncode == 1 and problem in got.stderr,
              f"{options}: {got.stderr}")
    check_help("vision-pose-eval")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_box(folder / "box.obj")
        check_model(folder)
        check_output(folder)
        check_views(folder)
        check_many_views(folder)
        if (TOOLS / "vision-pose-eval").exists():
            check_poses(folder)
            check_lists(folder)
            check_refused(folder)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
