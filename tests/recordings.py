#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The commands vision-record and vision-replay:

    documents  docs/recordings.md names every field and kind of map, and its lines run
    written    what each form of recording has, read by the libraries' own readers, is
               field by field what visionjson says of the same frames
    played     a recording that is played again gives the same results, of one and of
               two cameras, with the cameras and the times
    refused    what is missing, exists, is full or killed: a sentence, and what was
               written before is read
    foreign    metadata of any program costs its frame at most
    viewer     a viewer of Rerun takes frames, and may go away

Needs the packages that docs/recordings.md names; what is missing is skipped.  Run it as
a test of Meson, which sets the environment."""
import contextlib
import ctypes
import importlib.util
import io
import json
import math
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

sys.dont_write_bytecode = True
from commands import ROOT, check, failures, run  # noqa: E402

RECORD, REPLAY = ROOT / "tools/vision-record", ROOT / "tools/vision-replay"
RED = "objects=red:#c70d0d~22"
# Lines without a sink, and a field that each must have: of objects, the camera or maps.
SCENES = {
    "moct": (f"visiontestsrc num-buffers=5 ! moct {RED} trajectory=full label-map=true",
             ["covariance", "trajectory", "history", "vx", "labels"]),
    "kinfumot": ("visiontestsrc pattern=rgbd num-buffers=3 ! kinfumot n-threads=1 "
                 "maps=correspondence+depth+rendered+normals ! gpuccl",
                 ["fx", "pose", "correspondence", "depth", "rendered", "normals"]),
    "pocstereo": ("visiontestsrc pattern=stereo view=left num-buffers=2 ! pair.sink_left "
                  "visiontestsrc pattern=stereo view=right num-buffers=2 ! "
                  "pair.sink_right pocstereo mode=points name=pair",
                  ["baseline", "points", "matches"]),
    "dense": ("visiontestsrc pattern=stereo view=left num-buffers=1 ! pair.sink_left "
              "visiontestsrc pattern=stereo view=right num-buffers=1 ! "
              "pair.sink_right pocstereo name=pair", ["baseline", "disparity", "depth"]),
}
PACKAGES = {"foxglove": ["mcap", "mcap_protobuf", "foxglove_schemas_protobuf"],
            "ros2": ["mcap", "mcap_ros2", "rosbags"],
            "rerun": ["rerun", "pyarrow"]}
OUT = {"foxglove": ([], "mcap"), "ros2": (["--ros2"], "mcap"), "rerun": ([], "rrd")}


def missing(form):
    return [name for name in ["gi", "numpy", *PACKAGES[form]]
            if not importlib.util.find_spec(name)]


def forms():
    for form in PACKAGES:
        if lacks := missing(form):
            print(f"SKIP {form}: no {', '.join(lacks)}")
        else:
            yield form


def record(out, line, *options, fails=False, **more):
    """What vision-record says."""
    done = subprocess.run([sys.executable, RECORD, *options, out, *line.split()],
                          capture_output=True, text=True, timeout=250, check=False,
                          **more)
    assert bool(done.returncode) == fails, done
    assert "Traceback" not in done.stderr, done.stderr
    return done.stderr


# ---- The page ----

def documents():
    import shlex
    page = (ROOT / "docs/recordings.md").read_text()
    table = page[page.index("| metadata |"):]
    named = set(re.findall(r"`(\w+)`", " ".join(
        row.split("|")[1] for row in table.splitlines() if row[:1] == "|")))
    kinds = set(re.findall(r"^\| `(\w+)` \|", section("VisionMaps", "| `kind` | v"),
                           re.M)) - {"kind"}
    fields = set()
    if not importlib.util.find_spec("gi"):
        print("SKIP documents: no gi")
        return
    import dataclasses
    import gstvision
    for kind in gstvision.Object, gstvision.Camera:
        fields |= {field.name for field in dataclasses.fields(kind)}
    check(fields | kinds <= named, f"the page lacks {(fields | kinds) - named}")
    if lacks := [name for form in PACKAGES for name in missing(form)]:
        print(f"SKIP documents: its lines need {', '.join(lacks)}")
        return
    with tempfile.TemporaryDirectory() as folder:
        ran = 0
        for line in re.findall(r"^    (vision-re\w+ .*)$", page, re.M):
            if "FILE" in line:
                continue
            command, *words = shlex.split(line)
            run([sys.executable, ROOT / "tools" / command, *words], cwd=folder)
            ran += 1
        check(ran > 6, f"{ran} lines ran")
    print(f"ok   {ran} lines of docs/recordings.md")


def section(heading, start):
    """A table of docs/metadata.md."""
    text = (ROOT / "docs/metadata.md").read_text()
    text = text[text.index(f"## {heading}"):]
    return text[text.index(start):].split("\n\n")[0]


# ---- What the libraries' readers say: a frame is objects, camera and maps ----

class Read:
    def __init__(self):
        self.objects, self.camera, self.maps = [], {}, {}
        self.pictures = []


def number_of(name, text):
    """A field that was written as text."""
    if name in ("element", "source", "label", "state", "reason"):
        return text
    if name in ("id", "model", "area"):
        return int(text)
    numbers = [float(word) for word in text.split()]
    return numbers if name in ("covariance", "history") else numbers[0]


def flat(points):
    return [n for p in points for n in (p.x, p.y)]


def pose_list(p):
    q = p.orientation
    return [p.position.x, p.position.y, p.position.z, q.w, q.x, q.y, q.z]


def frame_at(frames, stamp):
    return frames.setdefault(stamp, Read())


def calibration(read, d, k, p, width, height):
    read.camera.update({"ref-width": width, "ref-height": height, "fx": k[0], "fy": k[4],
                        "cx": k[2], "cy": k[5], "distortion": list(d)})
    if p[3]:
        read.camera["baseline"] = -p[3] / k[0]


def read_foxglove(path):
    from mcap.reader import make_reader
    from mcap_protobuf.decoder import DecoderFactory
    frames = {}
    with open(path, "rb") as file:
        for schema, channel, raw, m in make_reader(
                file, decoder_factories=[DecoderFactory()]).iter_decoded_messages():
            read, name = frame_at(frames, raw.log_time), channel.topic.split("/", 2)[-1]
            kind = schema.name.removeprefix("foxglove.")
            if kind == "ImageAnnotations":
                read.objects = objects_foxglove(m, read.objects)
            elif kind == "SceneUpdate" and name == "objects":
                for e in m.entities:
                    fields = {p.key: p.value for p in e.metadata}
                    while len(read.objects) <= int(fields["object"]):
                        read.objects.append({})
                    cube = e.cubes[0]
                    o = read.objects[int(fields["object"])]
                    o["pose"] = pose_list(cube.pose)
                    if "extent" not in fields:
                        o["extent"] = [cube.size.x, cube.size.y, cube.size.z]
            elif kind == "CameraCalibration":
                calibration(read, m.D, m.K, m.P, m.width, m.height)
            elif kind == "PoseInFrame":
                read.camera["pose"] = pose_list(m.pose)
            elif kind == "FrameTransforms":
                t = m.transforms[0]
                assert (t.parent_frame_id, t.child_frame_id) == ("world", "camera")
            elif kind in ("RawImage", "PointCloud") and name != "image":
                read.maps[name] = array_of(m)
            elif name == "image":
                read.pictures.append(m)
    return frames


def objects_foxglove(m, found):
    found += [{} for _ in range(len(m.texts) - len(found))]
    for text in m.texts:
        fields = {p.key: p.value for p in text.metadata}
        found[int(fields.pop("object"))].update(
            (name, number_of(name, value)) for name, value in fields.items())
    for line in m.points:
        fields = {p.key: p.value for p in line.metadata}
        o, numbers = found[int(fields["object"])], flat(line.points)
        if fields["is"] == "box":
            o.update(x=numbers[0], y=numbers[1], width=numbers[4] - numbers[0],
                     height=numbers[5] - numbers[1])
        else:
            o[fields["is"]] = numbers
    for circle in m.circles:
        found[int(circle.metadata[0].value)].update(cx=circle.position.x,
                                                    cy=circle.position.y)
    return found


def array_of(m):
    """A map of Foxglove's or ROS's message, as rows of numbers."""
    import numpy
    if hasattr(m, "point_stride") or hasattr(m, "point_step"):
        columns = len(m.fields)
        assert (getattr(m, "point_stride", 0) or m.point_step) == 4 * columns
        return numpy.frombuffer(bytes(m.data), "<f4").reshape(-1, columns)
    kind = {"8": "u1", "16": "<u2", "32S": "<i4", "32F": "<f4"}[
        m.encoding.partition("U")[0].partition("C")[0]] if "C" in m.encoding else "u1"
    values = numpy.frombuffer(bytes(m.data), kind)
    assert m.step * m.height == len(m.data)
    return values.reshape(m.height, m.width, -1)


def read_ros2(path):
    from mcap.reader import make_reader
    from mcap_ros2.decoder import DecoderFactory
    frames = {}
    with open(path, "rb") as file:
        for schema, channel, raw, m in make_reader(
                file, decoder_factories=[DecoderFactory()]).iter_decoded_messages():
            read, name = frame_at(frames, raw.log_time), channel.topic.split("/", 2)[-1]
            kind = schema.name.rpartition("/")[2]
            if kind in ("Detection2DArray", "Detection3DArray", "DiagnosticArray"):
                objects_ros2(kind, m, read)
            elif kind == "ImageMarker":
                read.objects[m.id]["outline" if name == "outlines" else
                                   "trajectory"] = flat(m.points)
            elif kind == "CameraInfo":
                calibration(read, m.d, m.k, m.p, m.width, m.height)
            elif kind == "PoseStamped":
                read.camera["pose"] = pose_list(m.pose)
            elif kind == "TFMessage":
                t = m.transforms[0]
                assert (t.header.frame_id, t.child_frame_id) == ("world", "camera")
            elif kind == "DisparityImage":
                read.maps[name] = array_of(m.image)
                assert (m.f, round(m.t, 6)) == (read.camera["fx"],
                                                read.camera["baseline"]), (m.f, m.t)
            elif kind in ("Image", "PointCloud2") and name != "image":
                read.maps[name] = array_of(m)
            elif name.startswith("image"):
                read.pictures.append(m)
    return frames


def objects_ros2(kind, m, read):
    if kind == "DiagnosticArray":
        for o, status in zip(read.objects, m.status):
            o.update((v.key, number_of(v.key, v.value)) for v in status.values)
        return
    if kind == "Detection2DArray":
        for d in m.detections:
            at, size, centre = (d.bbox.center.position,
                                (d.bbox.size_x, d.bbox.size_y), d.results[0].pose)
            o = {"x": at.x - size[0] / 2, "y": at.y - size[1] / 2, "width": size[0],
                 "height": size[1], "cx": centre.pose.position.x,
                 "cy": centre.pose.position.y, "id": int(d.id)}
            read.objects.append(o)
            hypothesis = d.results[0].hypothesis
            o["class"], o["sure"] = hypothesis.class_id, hypothesis.score
            o["of centre"] = [centre.covariance[i] for i in (0, 1, 6, 7)]
        return
    left = list(m.detections)
    for o in read.objects:
        if left and left[0].id == str(o["id"]):
            d = left.pop(0)
            o["pose"], size = pose_list(d.bbox.center), d.bbox.size
            o["extent"] = [size.x, size.y, size.z]
            if any(d.results[0].pose.covariance):
                o["of pose"] = list(d.results[0].pose.covariance)
    assert not left, "there are poses of no object"


def read_rerun(path):
    import numpy
    from rerun.chunk import RrdReader
    frames = {}
    for chunk in RrdReader(path).stream():
        batch = chunk.to_record_batch()
        if "time" not in batch.schema.names:
            continue
        names = [n for n in batch.schema.names if n not in ("time", "log_time")]
        for i, stamp in enumerate(batch.column("time")):
            row = {n: batch.column(n)[i].as_py() for n in names}
            read = frame_at(frames, stamp.value)
            row = {n: v for n, v in row.items() if v is not None}
            rerun_row(read, chunk.entity_path.removeprefix("/world/"), row, numpy)
    for read in frames.values():
        for name in [name for name in read.maps if f"{name}/model" in read.maps]:
            read.maps[name] = numpy.dstack(
                [read.maps[name], read.maps.pop(f"{name}/model")])
    return frames


def rerun_row(read, path, row, numpy):
    if path == "camera/view/image/objects" and "Boxes2D:centers" in row:
        # a row without a value has none of any object
        for name, values in row.items():
            if ":" in name or name.startswith("rerun"):
                continue
            for i, value in enumerate(values):
                rerun_object(read, i).update({name: value} if value is not None else {})
        for i, (c, half) in enumerate(zip(row["Boxes2D:centers"],
                                          row["Boxes2D:half_sizes"])):
            rerun_object(read, i).update(x=c[0] - half[0], y=c[1] - half[1],
                                         width=2 * half[0], height=2 * half[1])
    elif path.startswith("camera/view/image/objects/") and "LineStrips2D:strips" in row:
        name = path.rpartition("/")[2]
        for i, line in enumerate(row["LineStrips2D:strips"]):
            line = line[:-1] if name == "outline" else line
            if line:
                rerun_object(read, i)[name] = [n for p in line for n in p]
    elif path == "camera/objects" and "Boxes3D:half_sizes" in row:
        read.solid = [
            ([*c, q[3], *q[:3]], [2 * n for n in half]) for c, q, half in zip(
                row.get("Boxes3D:centers") or row["InstancePoses3D:translations"],
                row.get("Boxes3D:quaternions") or row["InstancePoses3D:quaternions"],
                row["Boxes3D:half_sizes"])]
    elif path == "camera/view" and "Pinhole:image_from_camera" in row:
        m, = row["Pinhole:image_from_camera"]  # column by column
        width, height = row["Pinhole:resolution"][0]
        read.camera.update({"ref-width": width, "ref-height": height, "fx": m[0],
                            "fy": m[4], "cx": m[6], "cy": m[7]})
        read.camera.update({n: row[n] for n in ("distortion",) if row.get(n)})
        if row.get("baseline"):
            read.camera["baseline"], = row["baseline"]
    elif path == "camera" and "Transform3D:translation" in row:
        q = row["Transform3D:quaternion"][0]
        read.camera["pose"] = [*row["Transform3D:translation"][0], q[3], *q[:3]]
    elif "Points3D:positions" in row or "Points2D:positions" in row:
        columns = [row.get("Points3D:positions") or row["Points2D:positions"]]
        more = [row[n] for n in ("disparity", "sigma", "confidence") if n in row]
        read.maps[path.rpartition("/")[2]] = numpy.array(
            [[*p, *rest] for p, *rest in zip(columns[0], *more)], "f4")
    elif path.startswith("camera/view/"):
        rerun_map(read, path.removeprefix("camera/view/"), row, numpy)


def rerun_map(read, name, row, numpy):
    """The pixels of an image.  A second channel is an image below its name."""
    kind = next((n.partition(":")[0] for n in row if n.endswith(":buffer")), None)
    if not kind:
        if "Tensor:data" in row:
            read.maps[name] = row["Tensor:data"]
        return
    form, = row[f"{kind}:format"]
    types = {6: "u1", 8: "<u2", 10: "<u4", 34: "<f4"}
    data = numpy.array(row[f"{kind}:buffer"][0], "u1").view(
        types[form["channel_datatype"]] if form["channel_datatype"] else "u1")
    read.maps[name] = data.reshape(form["height"], form["width"], -1)


def rerun_object(read, i):
    while len(read.objects) <= i:
        read.objects.append({})
    return read.objects[i]


READERS = {"foxglove": read_foxglove, "ros2": read_ros2, "rerun": read_rerun}


# ---- Compared with visionjson ----

def near(a, b, digits):
    if isinstance(b, list):
        return isinstance(a, list) and len(a) == len(b) and \
            all(near(x, y, digits) for x, y in zip(a, b))
    if isinstance(b, str) or a is None or b is None:
        return a == b
    return math.isclose(a, b, rel_tol=10**-digits, abs_tol=10**-digits)


def compare_objects(form, read, wanted, where):
    digits = 3 if form == "rerun" else 6
    check(len(read.objects) == len(wanted), f"{where}: {len(read.objects)} objects")
    solid = iter(getattr(read, "solid", ()))
    for o, w in zip(read.objects, wanted):
        if "pose" in w and form == "rerun":
            o["pose"], o["extent"] = next(solid)
        for name, value in w.items():
            check(name in o and near(o[name], value, digits),
                  f"{where}: {name}: {o.get(name)} is not {value}")
        if form == "ros2":
            check(o["class"] == w.get("label", w.get("element", "")), f"{where}: class")
            check(near(o["sure"], w.get("score", 0), 6), f"{where}: score")
            covariance = w.get("covariance", [])
            place = "of centre" if len(covariance) == 4 else "of pose"
            check(not covariance or near(o[place], covariance, 6), f"{where}: {place}")


def compare_maps(form, read, maps, where):
    import numpy
    counts = {}
    for m in maps:
        kind = m["kind"]
        counts[kind] = counts.get(kind, 0) + 1
        name = kind + (f"_{counts[kind]}" if counts[kind] > 1 else "")
        got = read.maps.get(name)
        check(got is not None, f"{where}: no map {name}")
        if got is None or form == "rerun" and "values" not in m:
            continue
        if "values" in m:
            wanted = numpy.array(m["values"], "f4")
            check(got.shape == wanted.shape and
                  numpy.allclose(got, wanted, 1e-6, 1e-6, equal_nan=True),
                  f"{where}: {name} has other numbers")
        else:
            check(got.shape == (m["height"], m["width"], m["channels"]),
                  f"{where}: {name} is {got.shape}")


def compare(form, path, lines, needs):
    frames = READERS[form](path)
    seen = set()
    for line in lines:
        read, where = frames.get(line["pts"]), f"{form} {path.stem} {line['pts']}"
        check(read is not None, f"{where}: no frame")
        if not read:
            continue
        compare_objects(form, read, line["objects"], where)
        camera = line.get("camera", {})
        for name, value in camera.items():
            check(near(read.camera.get(name), value, 4 if form == "rerun" else 6),
                  f"{where}: camera's {name}: {read.camera.get(name)} is not {value}")
        compare_maps(form, read, line.get("maps", ()), where)
        seen |= {n for o in line["objects"] for n in o} | set(camera) | \
            {m["kind"] for m in line.get("maps", ())}
    check(len(lines) > 0 and set(needs) <= seen, f"{path.stem}: no {set(needs) - seen}")


def scaled(folder):
    """Boxes and places are in pixels of a picture that was made smaller."""
    out, said = folder / "small.mcap", folder / "small"
    record(out, "visiontestsrc num-buffers=2 ! video/x-raw,width=640,height=480 ! moct "
           f"{RED} trajectory=full ! visionjson location={said} ! videoscale ! "
           "video/x-raw,width=320,height=120")
    frames = read_foxglove(out)
    for text in said.read_text().splitlines():
        line = json.loads(text)
        for o in line["objects"]:
            for name, by, off in (("x", 2, 0), ("width", 2, 0), ("vx", 2, 0),
                                  ("y", 4, 0), ("height", 4, 0), ("vy", 4, 0),
                                  ("cx", 2, .5), ("cy", 4, .5)):
                if name in o:
                    o[name] = (o[name] + off) / by - off
            o["covariance"] = [n / by for n, by in zip(o["covariance"], (4, 8, 8, 16))]
            o["history"] = [n / (2, 4, 2, 4, 1, 1)[i % 6]
                            for i, n in enumerate(o["history"])]
            o["trajectory"] = [(n + .5) / (4 if i % 2 else 2) - .5
                               for i, n in enumerate(o["trajectory"])]
        compare_objects("foxglove", frames[line["pts"]], line["objects"], "small")
        check(len(line["objects"]) > 0, "small: no objects")
    print("ok   a picture of another size")


def opened(path):
    """rosbags reads each message."""
    from rosbags.highlevel import AnyReader
    with AnyReader([path]) as reader:
        read = [reader.deserialize(data, connection.msgtype)
                for connection, _, data in reader.messages()]
        check(len(read) == reader.message_count > 0, f"rosbags: {len(read)} messages")


def written():
    with tempfile.TemporaryDirectory() as folder:
        if not missing("foxglove"):
            scaled(Path(folder))
        for form in forms():
            options, ending = OUT[form]
            for name, (line, needs) in SCENES.items():
                out, said = Path(folder, f"{name}-{form}.{ending}"), Path(folder, name)
                told = record(out, f"{line} ! visionjson lists=true location={said}",
                              *options)
                assert "lost" not in told and "left out" not in told, told
                if form == "ros2":
                    opened(out)
                compare(form, out, [json.loads(t) for t in said.read_text().splitlines()],
                        needs)
            print(f"ok   {form}")


# ---- Played again ----

def replay(recording, line, *options, fails=False, **more):
    """The lines of visionjson, or what vision-replay says where it fails."""
    done = subprocess.run([sys.executable, REPLAY, recording, *options, *line.split()],
                          capture_output=True, text=True, timeout=250, check=False,
                          **more)
    assert bool(done.returncode) == fails, done
    assert "Traceback" not in done.stderr, done.stderr
    return done.stderr if fails else [json.loads(line) for line in
                                      done.stdout.splitlines() if line[:1] == "{"]


def same(got, wanted, what):
    """The same objects, camera and lists, and the same times from the first one on."""
    def plain(line, first):
        maps = [m.get("values") for m in line.get("maps", ()) if "values" in m]
        return (line["pts"] - first, line["objects"], line.get("camera"), maps)
    check(len(got) == len(wanted) and [plain(g, got[0]["pts"]) for g in got] ==
          [plain(w, wanted[0]["pts"]) for w in wanted],
          f"{what}: other results: {str(got)[:900]} {str(wanted)[:900]}")


def played():
    if lacks := missing("foxglove") + missing("ros2"):
        print(f"SKIP played: no {', '.join(lacks)}")
        return
    with tempfile.TemporaryDirectory() as folder:
        for options in (), ("--ros2",):
            play_raw(Path(folder, f"raw{len(options)}"), options)
        play_depth(Path(folder))
        play_pair(Path(folder))
        play_h264(Path(folder))
        play_bag(Path(folder))
        show_times(Path(folder))


def play_raw(folder, options):
    folder.mkdir()
    first, second = folder / "first.json", f"moct {RED} name=finder ! visionjson"
    record(folder / "a.mcap", f"visiontestsrc num-buffers=5 ! visionjson ! moct {RED} "
           f"name=finder ! visionjson location={first}", "--pictures", "raw", *options)
    wanted = [json.loads(text) for text in first.read_text().splitlines()]
    same(replay(folder / "a.mcap", f"! {second} ! fakesink"), wanted, "raw")
    check(all(w["objects"] for w in wanted), "raw: nothing was found")
    print("ok   raw frames", *options)


def play_depth(folder):
    for options in (), ("--ros2",):
        out, first = folder / f"depth{len(options)}.mcap", folder / "depth.json"
        # the camera alone is recorded; its pose is what kinfumot finds
        record(out, "visiontestsrc pattern=rgbd num-buffers=3 ! tee name=t  t. ! "
               "queue name=depth  t. ! queue ! kinfumot n-threads=1 ! "
               f"visionjson location={first} ! fakesink", *options)
        got = replay(out, "! kinfumot n-threads=1 ! visionjson ! fakesink", "--topic",
                     "seen=/depth/image")
        wanted = [json.loads(text) for text in first.read_text().splitlines()]
        same(got, wanted, "depth")
        check("pose" in wanted[-1]["camera"], "depth: no pose")
    print("ok   depth, with its camera")


def play_pair(folder):
    def source(view):
        return f"visiontestsrc pattern=stereo num-buffers=2 view={view} ! " \
            "video/x-raw,format=GRAY8"
    pair = "pocstereo mode=points name=pair ! visionjson lists=true"
    wanted = run(["gst-launch-1.0", "-q", *f"{source('left')} ! pair.sink_left "
                  f"{source('right')} ! pair.sink_right {pair} ! fakesink".split()])
    out = folder / "pair.mcap"
    record(out, f"{source('left')} ! queue name=left {source('right')} ! "
           "queue name=right", "--pictures", "raw")
    got = replay(out, f"l. ! pair.sink_left r. ! pair.sink_right {pair} ! fakesink",
                 "--topic", "l=/left/image", "--topic", "r=/right/image")
    wanted = [json.loads(text) for text in wanted.splitlines()]
    for line in wanted:
        del line["camera"]["pose"]  # poses are not played
    same(got, wanted, "pair")
    check(got and got[0]["camera"]["baseline"] > 0, "pair: no baseline")
    said = replay(out, "! fakesink", fails=True)
    check("name one by --topic: the topics with pictures are /left/image" in said, said)
    said = replay(out, "! fakesink", "--topic", "/nothing", fails=True)
    check("/nothing has no pictures" in said, said)
    print("ok   a pair, with its baseline")


def play_h264(folder):
    encoder = next((name for name in ("x264enc", "openh264enc") if not subprocess.run(
        ["gst-inspect-1.0", name], capture_output=True, check=False).returncode), None)
    if not encoder:
        print("SKIP h264: neither x264enc nor openh264enc")
        return
    clip, stream = folder / "clip.h264", folder / "sent.h264"
    run(["gst-launch-1.0", "-q", *"visiontestsrc num-buffers=8 ! videoconvert ! "
         f"{encoder} ! h264parse config-interval=-1 ! video/x-h264,stream-format="
         f"byte-stream,alignment=au ! filesink location={clip}".split()])
    out = folder / "h264.mcap"
    record(out, f"filesrc location={clip} ! h264parse config-interval=-1 ! tee name=t "
           f"t. ! queue ! decodebin ! videoconvert ! moct {RED} ! queue name=a-b  t. ! "
           "queue ! h264parse name=a-b-video")
    from mcap.reader import make_reader
    from mcap_protobuf.decoder import DecoderFactory
    with open(out, "rb") as file:
        found = list(make_reader(file, decoder_factories=[DecoderFactory()])
                     .iter_decoded_messages())
    video = [m.decoded_message for m in found if m.channel.topic == "/a_b/image"]
    check({m.format for m in video} == {"h264"} and len(video) == 8, f"{len(video)}")
    stream.write_bytes(b"".join(m.data for m in video))
    check(stream.read_bytes() == clip.read_bytes(), "H.264 was changed")
    check(sum(len(m.decoded_message.texts) > 0 for m in found if
              m.channel.topic == "/a_b/annotations") == 8, "h264: no objects")
    got = replay(out, "! videoconvert ! visionjson ! fakesink")
    check(len(got) == 8, f"{len(got)} frames of H.264 were played")
    print("ok   H.264 as it is")


def play_bag(folder):
    """A folder of rosbag2, as its recorder writes them, of depth and camera."""
    import numpy
    from rosbags.rosbag2 import StoragePlugin, Writer
    from gstvision import ros2
    store, bag = ros2.store_of_messages(), folder / "bag"
    maker = ros2.Writer.__new__(ros2.Writer)
    maker.store = store
    pixels = (numpy.arange(24 * 16, dtype=numpy.uint16) * 7).reshape(16, 24)
    with Writer(bag, version=9, storage_plugin=StoragePlugin.SQLITE3) as writer:
        for topic, kind, fields in (
                ("/d/image_raw", "sensor_msgs/msg/Image", {
                    "width": 24, "height": 16, "encoding": "16UC1", "step": 48,
                    "data": pixels.reshape(-1).view(numpy.uint8)}),
                ("/d/odd", "sensor_msgs/msg/Image", {
                    "width": 24, "height": 1 << 31, "encoding": "16UC1", "step": 48}),
                ("/d/camera_info", "sensor_msgs/msg/CameraInfo", {
                    "width": 24, "height": 16, "distortion_model": "plumb_bob",
                    "d": (.1, 0, 0, 0, 0), "k": (20, 0, 11.5, 0, 21, 7.5, 0, 0, 1),
                    "p": (20, 0, 11.5, -2, 0, 21, 7.5, 0, 0, 0, 1, 0)})):
            connection = writer.add_connection(topic, kind, typestore=store)
            for i in range(3):
                stamp = {"stamp": {"sec": 7, "nanosec": i * 40_000_000}}
                writer.write(connection, 9 * 10**9 + i, store.serialize_cdr(
                    maker.message(kind, dict(fields, header=stamp)), kind))
    frames = folder / "frames"
    got = replay(bag, f"! visionjson ! filesink location={frames}", "--topic",
                 "/d/image_raw")
    check(frames.read_bytes() == pixels.tobytes() * 3, "bag: other pixels")
    check([g["pts"] for g in got] == [0, 40_000_000, 80_000_000], "bag: other times")
    check(all(g["camera"] == {
        "ref-width": 24, "ref-height": 16, "fx": 20, "fy": 21, "cx": 11.5, "cy": 7.5,
        "distortion": [.1, 0, 0, 0, 0], "baseline": .1} for g in got), f"bag: {got}")
    said = replay(bag, "! fakesink", "--topic", "/d/odd", fails=True)
    check("24x2147483648 pixels in rows of 48 bytes" in said, said)
    check("no frame could be played" in said, said)
    print("ok   a folder of rosbag2")


def show_times(folder):
    """Of a live pipeline no frame is lost, with the time of the day."""
    before, out = time.time_ns(), folder / "live.mcap"
    said = record(out, "visiontestsrc is-live=true num-buffers=30 ! video/x-raw,"
                  f"framerate=30/1 ! moct {RED}", "--utc")
    check(said.strip().endswith("live.mcap: 30 frames"), said)
    stamps = sorted(read_foxglove(out))
    check(before < stamps[0] and stamps[-1] < time.time_ns(), "it is another day")
    check(len(stamps) == 30, f"{len(stamps)} frames")
    print("ok   30 live frames, none lost")


# ---- What goes wrong ----

def refused():
    if lacks := missing("foxglove") + missing("ros2"):
        print(f"SKIP refused: no {', '.join(lacks)}")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines(folder)
        absent(folder)
        full(folder)
        killed(folder)
        unreadable(folder)
        damaged(folder)


def lines(folder):
    there = folder / "there.mcap"
    there.write_bytes(b"mine")
    scene = "visiontestsrc num-buffers=2"
    for out, line, options, words in (
            (there, scene, (), "exists already: remove it, or name another file"),
            (folder / "a.avi", scene, (), "ends neither with .mcap nor with .rrd"),
            (folder / "a.rrd", scene, ("--ros2",), "to a file that ends with .mcap"),
            (folder / "no/a.mcap", scene, (), "cannot be written to: No such file"),
            (folder / "a.mcap", "", (), "there is no launch line"),
            (folder / "a.mcap", f"{scene} ! fakesink", (), "no open end: leave its sink"),
            (folder / "a.mcap", f"{scene} {scene}", (), "two open ends are the same"),
            (folder / "a.mcap", "thereisnone", (), "no element"),
            (folder / "b.mcap", "filesrc location=/nowhere ! decodebin ! identity", (),
             "filesrc0: ")):
        said = record(out, line, *options, fails=True)
        check(words in said, f"{line}: {said}")
    check(there.read_bytes() == b"mine", "a file was changed")
    check(not (folder / "a.mcap").exists(), "a file without a line was made")
    print("ok   lines and names")


def absent(folder):
    for module, out, options, words in (
            ("gi", "c.mcap", (), "install python3-gi"),
            ("numpy", "c.mcap", (), "python3-numpy"),
            ("mcap", "c.mcap", (), "no mcap: pip install mcap mcap-protobuf-support"),
            ("foxglove_schemas_protobuf", "c.mcap", (), "pip install mcap mcap-proto"),
            ("rosbags", "c.mcap", ("--ros2",), "no rosbags: pip install mcap rosbags"),
            ("rerun", "c.rrd", (), "no rerun: pip install rerun-sdk")):
        fake = folder / f"without-{module}" / module
        fake.mkdir(parents=True)
        (fake / "__init__.py").write_text(
            f"raise ImportError('no {module}', name='{module}')\n")
        env = dict(os.environ, PYTHONPATH=f"{fake.parent}:{os.environ['PYTHONPATH']}")
        said = record(folder / out, "visiontestsrc num-buffers=1", *options, fails=True,
                      env=env)
        check(words in said, f"{module}: {said}")
        check(not (folder / out).exists(), f"{out} was made without {module}")
    print("ok   missing packages")


def full(folder):
    for form in forms():
        options, ending = OUT[form]
        out = folder / f"full-{form}.{ending}"
        out.symlink_to("/dev/full")
        said = record(out, "visiontestsrc num-buffers=60", *options, fails=True)
        check("cannot be written to" in said and "No space left on device" in said and
              ("lost" in said or form == "rerun"), f"{form}: {said}")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, 1_500_000))
    out = folder / "limited.mcap"
    said = record(out, "visiontestsrc num-buffers=60", "--pictures", "raw", fails=True,
                  preexec_fn=limit)
    check("File too large" in said and "frames lost" in said, said)
    got = replay(out, "! visionjson ! fakesink")
    check(0 < len(got) < 60, f"{len(got)} frames of a file that was cut")
    print("ok   full disks")


def killed(folder):
    for options in (), ("--ros2",):
        out = folder / f"killed{len(options)}.mcap"
        line = "visiontestsrc is-live=true ! moct " + RED
        for number in signal.SIGKILL, signal.SIGINT:
            out.unlink(missing_ok=True)
            with subprocess.Popen(
                    [sys.executable, RECORD, "--pictures", "raw", *options, out,
                     *line.split()], stderr=subprocess.PIPE, text=True) as running:
                wait_for(lambda: out.exists() and out.stat().st_size > 1 << 21)
                running.send_signal(number)
                said = running.communicate(timeout=60)[1]
            check("Traceback" not in said, said)
            check(running.returncode == (-9 if number == signal.SIGKILL else 0), said)
            got = replay(out, f"! visionjson ! fakesink")
            check(len(got) > 1 and got[0]["pts"] == 0, f"{len(got)} frames")
    print("ok   killed and stopped")


def wait_for(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(.05)


def unreadable(folder):
    good = folder / "good.mcap"
    record(good, "visiontestsrc num-buffers=3")
    whole = good.read_bytes()
    cases = {"empty": b"", "text": b"hello\n" * 99, "head": whole[:40],
             "zeros": b"\0" * 999, "turned": whole[:200] + whole[:99:-1]}
    for name, data in cases.items():
        (folder / f"{name}.mcap").write_bytes(data)
        said = replay(folder / f"{name}.mcap", "! fakesink", fails=True)
        check(said.startswith("vision-replay: "), f"{name}: {said}")
    for name in "nowhere.mcap", "refused.bag":
        said = replay(folder / name, "! fakesink", fails=True)
        check(f"there is no {folder / name}" in said, said)
    check("no element" in replay(good, "! thereisnone", fails=True), "replay's line")
    check("vision-replay: " in replay(good, "! moct objects=xyz ! fakesink", fails=True),
          "replay's error")
    print("ok   files that are none")


def rewritten(out, good, change=lambda topic, kind, data: (topic, data), more=None):
    """The messages of the file @good, each changed, behind what @more adds."""
    from mcap.reader import make_reader
    from mcap.writer import Writer
    with open(good, "rb") as source, open(out, "wb") as file:
        writer = Writer(file)
        writer.start()
        if more:
            more(writer)
        for schema, channel, message in make_reader(source).iter_messages():
            topic, data = change(channel.topic, schema.name, message.data)
            number = writer.register_channel(
                topic, channel.message_encoding,
                writer.register_schema(schema.name, schema.encoding, schema.data))
            writer.add_message(number, message.log_time, data, message.publish_time)
        writer.finish()


def damaged(folder):
    """What is wrong costs its messages; the rest is played."""
    good, bad = folder / "good.mcap", folder / "bad.mcap"
    topic = subprocess.run([sys.executable, REPLAY, good], capture_output=True, text=True,
                           check=True).stdout.split()[0]

    def others(writer):
        writer.add_message(writer.register_channel("/no/schema", "json", 0), 0, b"{}", 0)
        for number, (kind, encoding, text) in enumerate((
                ("foxglove.RawImage", "protobuf", b"\xff\xff"),
                ("sensor_msgs/msg/Image", "ros2msg", b"\xff what"))):
            schema = writer.register_schema(kind, encoding, text)
            writer.add_message(writer.register_channel(f"/wrong/{number}", "x", schema),
                               0, b"", 0)

    rewritten(bad, good, more=others)
    check(len(replay(bad, "! visionjson ! fakesink", "--topic", topic)) == 3,
          "topics that cannot be decoded cost others")
    for number in range(2):
        said = replay(bad, "! fakesink", "--topic", f"/wrong/{number}", fails=True)
        check("are left out: " in said and "no frame could be played" in said, said)

    def at(seconds):
        from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage
        count = iter(range(9))

        def change(topic, kind, data):
            if kind == "foxglove.CompressedImage" and next(count) == 1:
                message = CompressedImage.FromString(data)
                message.timestamp.seconds = seconds
                data = message.SerializeToString()
            return topic, data
        return change
    for seconds in 1 << 61, -1 << 61:
        rewritten(bad, good, at(seconds))
        check(len(replay(bad, "! visionjson ! fakesink")) == 2, f"a frame at {seconds} s")
    rewritten(bad, good, lambda topic, kind, data: ("/" + topic.split("/")[-1], data))
    check(len(replay(bad, "! visionjson ! fakesink")) == 3, "topics in no folder")

    whole = bytearray(good.read_bytes())
    for start in range(200, len(whole) - 200, len(whole) // 20):
        torn = folder / f"torn{start}.mcap"
        torn.write_bytes(whole[:start] + b"\xff" * 40 + whole[start + 40:])
        done = subprocess.run([sys.executable, REPLAY, torn, "!", "fakesink"],
                              capture_output=True, text=True, timeout=60, check=False)
        check("Traceback" not in done.stderr, f"at {start}: {done.stderr}")
    os.mkfifo(folder / "fifo.mcap")
    said = replay(folder / "fifo.mcap", "! fakesink", fails=True)
    check("is neither a file nor a folder" in said, said)
    print("ok   files with a fault in them")


# ---- Metadata of any program ----

WHOLE = """ref-width=(uint)64, ref-height=(uint)48, objects=(structure)< [VisionObject,
element=(string)scopedetect, source=(string)s0, id=(guint64)18446744073709551615,
model=(guint64)3, label=(string)"a\\ \\"b\\"/../c", state=(string)found,
reason=(string)size, x=(double)1.25, y=(double)2.5, width=(double)10, height=(double)20,
cx=(double)6.125, cy=(double)12.0625, area=(guint64)77, score=(double)0.75,
distance=(double)0.5, ratio=(double)0.25, orientation=(double)-1.5,
elongation=(double)1.5, vx=(double)-3.5, vy=(double)4.5, age=(double)2, depth=(double)1.5,
pose=(double)<0.5,-0.25,1.5,0.5,0.5,-0.5,0.5>, extent=(double)<0.25,0.5,0.125>,
covariance=(double)<%s>, outline=(double)<1,2,3,4,5,6>,
trajectory=(double)<7,8,9,10,11.5,12.25> ], [VisionObject, element=(string)x,
id=(guint64)2, state=(string)rejected], [VisionObject, x=(double)1, y=(double)2,
width=(double)3, height=(double)4, id=(guint64)3, pose=(double)<1,2,3,1,0,0,0>,
covariance=(double)<1.5,0.25,0.125,3>] >
""" % ",".join(str(i / 8) for i in range(36))
POSE = "pose=(double)<%s,0,0,1,0,0,0>"
NAN = "ref-width=(uint)64, ref-height=(uint)48, objects=(structure)< [VisionObject, " \
    "element=(string)n, id=(guint64)1, x=(double)nan, y=(double)inf, cx=(double)nan, " \
    f"{POSE % 'nan'}, covariance=(double)<nan,0,0,1>, extent=(double)<inf,1,1>] >"
CAMERA = "ref-width=(uint)64, ref-height=(uint)48, fx=(double)50, fy=(double)51, " \
    "cx=(double)31.5, cy=(double)23.5, "
LONG = "x" * 100_000
# Maps whose pixels are known: their structure's fields, and their values.
PIXELS = {
    "depth": ("format=(string)u16, channels=(uint)1, scale=(double)0.001, "
              "invalid=(double)0, stride=(uint)6, pixels=(GstBuffer)e803000000000000d007",
              [[1000, 0], [0, 2000]]),  # as 16UC1, with bytes between the rows
    "disparity": ("format=(string)f32, channels=(uint)1, invalid=(double)-1, "
                  "stride=(uint)8, pixels=(GstBuffer)0000803f000080bf0000004000004040",
                  [[1, math.nan], [2, 3]]),
    "confidence": ("format=(string)u8, channels=(uint)1, scale=(double)0.5, "
                   "offset=(double)1, stride=(uint)2, pixels=(GstBuffer)00010204",
                   [[1, 1.5], [2, 3]]),
    "labels": ("format=(string)u32, channels=(uint)1, stride=(uint)8, pixels="
               "(GstBuffer)00000000010000000000010001000001",
               [[0, 1], [65536, 16777217]]),
    "a/../b": ("format=(string)u8, channels=(uint)2, stride=(uint)4, pixels="
               "(GstBuffer)0102030405060708", [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]),
}


def metas():
    """Name, metas, and whether visionjson says the same."""
    import embedding
    yield "whole", {"VisionObjects": WHOLE, "VisionCamera": CAMERA + POSE % "3" +
                    ", baseline=(double)0.5, distortion=(double)<1,2,3,4,5>"}, True
    yield "nan", {"VisionObjects": NAN, "VisionCamera": CAMERA + POSE % "nan"}, False
    yield "maps", {"VisionCamera": CAMERA + "baseline=(double)0.5",
                   "VisionMaps": "maps=(structure)< " + ", ".join(
        f"[VisionMap, kind=(string){json.dumps(kind)}, width=(uint)2, height=(uint)2, "
        f"{fields}]" for kind, (fields, _) in PIXELS.items()) + " >"}, True
    yield "empty", {"VisionObjects": "ref-width=(uint)64, ref-height=(uint)48, "
                    "objects=(structure)<>"}, True
    yield "long", {"VisionObjects": "objects=(structure)< [VisionObject, "
                   f"label=(string){LONG}, id=(guint64)1] >"}, True
    for table, name in ((embedding.FOREIGN_OBJECTS, "VisionObjects"),
                        (embedding.FOREIGN_MAPS, "VisionMaps"),
                        (embedding.FOREIGN_CAMERAS, "VisionCamera")):
        for fields in table:
            yield "foreign", {name: fields}, False


def foreign():
    if lacks := missing("foxglove"):
        print(f"SKIP foreign: no {', '.join(lacks)}")
        return
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
    Gst.init(None)
    with tempfile.TemporaryDirectory() as folder:
        for form in forms():
            foreign_in(form, Path(folder), Gst)
            print(f"ok   foreign metadata in {form}")


def foreign_in(form, folder, Gst):
    """Each meta on a frame of one stream."""
    import embedding
    import numpy
    from gstvision import record as recording
    options, ending = OUT[form]
    out, said = folder / f"foreign-{form}.{ending}", folder / f"{form}.json"
    pipeline = Gst.parse_launch(
        "appsrc name=in format=time caps=video/x-raw,format=GRAY8,width=64,height=48,"
        f"framerate=30/1 ! visionjson location={said} ! appsink name=out")
    warned = io.StringIO()
    with contextlib.redirect_stderr(warned), warnings.catch_warnings():
        warnings.simplefilter("always")
        recorder = recording.Recorder(str(out), ros2=bool(options))
        recorder.attach(pipeline.get_by_name("out"), "camera")
        pipeline.set_state(Gst.State.PLAYING)
        cases, source = list(metas()), pipeline.get_by_name("in")
        for i, (_, fields, _) in enumerate(cases):
            buffer = Gst.Buffer.new_allocate(None, 64 * 48, None)
            buffer.pts = i * 1000
            for name, text in fields.items():
                embedding.add_meta(buffer, name, text.replace("\n", " "))
            source.emit("push-buffer", buffer)
        source.emit("end-of-stream")
        pipeline.get_bus().timed_pop_filtered(60 * Gst.SECOND, Gst.MessageType.EOS)
        pipeline.set_state(Gst.State.NULL)
        recorder.close()
    check(recorder.report() == f"{len(cases)} frames", f"{form}: {recorder.report()}")
    check("it is no array" in warned.getvalue() and "has no pixels" in warned.getvalue(),
          f"{form}: {warned.getvalue()}")
    lines = [json.loads(text) for text in said.read_text().splitlines()]
    frames = READERS[form](out)
    for i, (name, _, equal) in enumerate(cases):
        check(i * 1000 in frames, f"{form}: frame {i} is missing")
        if equal:
            compare_objects(form, frames[i * 1000], lines[i]["objects"],
                            f"{form} {name}")
            for field, value in lines[i].get("camera", {}).items():
                check(near(frames[i * 1000].camera.get(field), value, 5),
                      f"{form} {name}: camera's {field}")
    for kind, (_, values) in PIXELS.items():
        got = frames[2000].maps.get(kind.replace("/../", "____"))
        check(got is not None and numpy.array_equal(
            numpy.reshape(got, numpy.shape(values)), values, equal_nan=True),
            f"{form}: {kind}: {got}")
    nan = frames[1000]
    check(not any(f in o for o in nan.objects for f in ("pose", "covariance", "extent"))
          and "pose" not in nan.camera, f"{form}: {nan.objects} {nan.camera}")


# ---- A viewer that runs ----

def viewer():
    """A viewer takes frames; one that goes away, or is none, costs frames, which are
    counted, and no time of the pipeline."""
    if lacks := missing("rerun"):
        print(f"SKIP viewer: no {', '.join(lacks)}")
        return
    import rerun_cli
    port = free_port()
    address = f"rerun+http://127.0.0.1:{port}/proxy"
    said = record(address, "visiontestsrc num-buffers=2", fails=True)
    check(f"{address} cannot be written to" in said, said)
    with subprocess.Popen(
            [Path(rerun_cli.__file__).parent / "rerun", "--serve-grpc", "--bind",
             "127.0.0.1", "--port", str(port)], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL) as running, \
            tempfile.TemporaryDirectory() as folder:
        wait_for(lambda: is_open(port))
        said = record(address, f"visiontestsrc num-buffers=5 ! moct {RED}")
        check(said.strip().endswith(": 5 frames"), said)
        lines = Path(folder, "lines")
        with subprocess.Popen(
                [sys.executable, RECORD, address, *"visiontestsrc is-live=true "
                 f"num-buffers=300 ! visionjson location={lines}".split()],
                stderr=subprocess.PIPE, text=True) as recording:
            wait_for(lambda: lines.exists() and lines.read_text().count("\n") > 9)
            running.kill()
            running.wait()
            said = recording.communicate(timeout=250)[1]
    check(recording.returncode == 1 and "cannot be written to" in said and
          "frames lost" in said, said)
    print("ok   viewers")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_open(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


PARTS = {"documents": documents, "written": written, "played": played,
         "refused": refused, "foreign": foreign, "viewer": viewer}


def main():
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
