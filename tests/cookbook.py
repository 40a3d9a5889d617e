#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What docs/cookbook.md says about several processes, on loopback:

    rtsp       a client of rtsp.py gets frames with what was found drawn in them
    analytics  GStreamer's own overlay draws around the object; from 1.24 on
    network    what onnxinference detects is followed; from 1.24 on, where it is there
    unixfd     objects arrive in another process; from GStreamer 1.24 on
    service    of two streams that are started as gst-vision@.service does, one is
               killed: the other misses no frame, the first begins anew

Each is skipped without what it needs.  Run it as a test of Meson, which sets the
environment."""
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True
import pipelines_inputs as screens  # noqa: E402
import results  # noqa: E402
from commands import ROOT, run  # noqa: E402

UNIT = ROOT / "pipelines/systemd/gst-vision@.service"


# ---- RTSP ----

def rtsp():
    known = subprocess.run(
        [sys.executable, "-c", "import gi; "
         "gi.require_version('GstRtspServer', '1.0')"],
        check=False, stderr=subprocess.DEVNULL).returncode == 0
    if not known or not screens.is_there("rtspsrc"):
        print("SKIP rtsp: gir1.2-gst-rtsp-server-1.0 or rtspsrc is missing")
        return
    source = ROOT / "pipelines/apps/rtsp.py"
    assert len(source.read_text().splitlines()) <= 30, "the cookbook says 30 lines"
    port = results.free_port()
    server = subprocess.Popen([source, f"127.0.0.1:{port}"])
    try:
        results.wait_for(port)
        n, drawn = watch_rtsp(f"rtsp://127.0.0.1:{port}/live")
    finally:
        server.terminate()
        server.wait()
    assert drawn > .5, drawn
    print(f"ok   rtsp: {n} frames, {drawn:.2f} of a box is drawn")
    taken = subprocess.run([source, "192.0.2.1:1"], capture_output=True, text=True,
                           timeout=60, check=False)
    assert taken.returncode == 1 and "no address of this machine" in taken.stderr


def watch_rtsp(address):
    """Frames that a client got, and how much of a box is drawn at the best of
    the objects that the client itself finds in them."""
    import gstvision
    from gi.repository import Gst
    Gst.init(None)
    pipeline = Gst.parse_launch(
        f"rtspsrc location={address} protocols=tcp ! decodebin ! videoconvert ! "
        "video/x-raw,format=RGB ! moct objects=red:#c70d0d~30 ! "
        "appsink name=sink sync=false")
    pipeline.set_state(Gst.State.PLAYING)
    best, sink = 0, pipeline.get_by_name("sink")
    for n in range(20):
        sample = sink.emit("try-pull-sample", 20 * Gst.SECOND)
        if not sample:
            message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
            raise AssertionError(message and message.parse_error())
        buffer = sample.get_buffer()
        pixels = bytes(buffer.extract_dup(0, buffer.get_size()))
        for o in gstvision.objects(buffer):
            box = o.x, o.y, o.width, o.height
            if o.width > 40 and min(o.x, o.y) > 12 and o.x + o.width < 628 and \
                    o.y + o.height < 468:
                best = max(best, screens.outline(pixels, 640, 0, 0, box))
    pipeline.set_state(Gst.State.NULL)
    return n + 1, best


# ---- GStreamer's own overlay ----

def analytics():
    if not screens.is_there("objectdetectionoverlay"):
        print("SKIP analytics: GStreamer has no objectdetectionoverlay")
        return
    text = (ROOT / "docs/cookbook.md").read_text()
    line, = re.findall(r"^    (gst-launch-1\.0 .*objectdetectionoverlay.*)$", text, re.M)
    with tempfile.TemporaryDirectory() as folder:
        seen = []
        for overlay in "objectdetectionoverlay", "identity":
            tail = "video/x-raw,format=RGB ! multifilesink location=" \
                f"{folder}/{overlay}-%d"
            lines = run(shlex.split(line.replace("num-buffers=60", "num-buffers=3")
                                    .replace("objectdetectionoverlay ! ",
                                             f"visionjson ! {overlay} ! ")
                                    .replace("autovideosink", tail))).splitlines()
            seen.append((Path(folder) / f"{overlay}-2").read_bytes())
    found, = [json.loads(text) for text in lines if text.startswith("{")][2]["objects"]
    changed = [divmod(i // 3, 640) for i in range(0, len(seen[0]), 3)
               if seen[0][i:i + 3] != seen[1][i:i + 3]]
    box = found["x"], found["y"], found["x"] + found["width"], \
        found["y"] + found["height"]
    on_it = sum(min(abs(x - box[0]), abs(x - box[2])) < 4 or
                min(abs(y - box[1]), abs(y - box[3])) < 4 for y, x in changed)
    near = sum(box[0] - 100 < x < box[2] + 100 and box[1] - 40 < y < box[3] + 40
               for y, x in changed)
    assert on_it >= found["width"] + found["height"] and near == len(changed), \
        (found, on_it, near, len(changed))
    print(f"ok   analytics: {on_it} pixels are drawn on the object's box")


# ---- GStreamer's own inference ----

def write_model(path, box):
    """A network in the form of an SSD that sees one thing of class 1 at @box, as parts
    of the frame of 640x480, whatever it is shown."""
    import numpy
    import onnx
    from onnx import helper
    x, y, width, height = box
    values = {"boxes": [[[y, x, y + height, x + width]]], "classes": [[1]],
              "scores": [[.9]], "num": [1]}
    ids = {"boxes": "Boxes", "classes": "Classes", "scores": "Scores",
           "num": "NumDetections"}
    arrays = {name: numpy.array(value, numpy.float32) for name, value in values.items()}
    graph = helper.make_graph(
        [helper.make_node("Constant", [], [name],
                          value=onnx.numpy_helper.from_array(array))
         for name, array in arrays.items()], "constant",
        [helper.make_tensor_value_info("image", onnx.TensorProto.UINT8, [1, 480, 640, 3])],
        [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, array.shape)
         for name, array in arrays.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    for name, kind in ids.items():
        model.metadata_props.append(onnx.StringStringEntryProto(
            key=name, value=f"Gst.Model.ObjectDetector.{kind}"))
    onnx.save(model, path)


def network():
    has_onnx = subprocess.run([sys.executable, "-c", "import numpy, onnx"], check=False,
                              stderr=subprocess.DEVNULL).returncode == 0
    if not has_onnx or not screens.is_there("onnxinference ! ssdobjectdetector"):
        print("SKIP network: onnxinference, ssdobjectdetector or python3-onnx is missing")
        return
    if not re.search(r"version 1\.2[0-7]\.", run(["gst-launch-1.0", "--version"])):
        print("SKIP network: onnxinference of GStreamer 1.28 refuses the model")
        return
    text = (ROOT / "docs/cookbook.md").read_text()
    line, = re.findall(r"^    (gst-launch-1\.0 .*onnxinference.*)$", text, re.M)
    with tempfile.TemporaryDirectory() as folder:
        write_model(f"{folder}/model", (58 / 640, 76 / 480, 74 / 640, 74 / 480))
        Path(folder, "labels").write_text("nothing\nred\n")
        line = line.replace("MODEL.onnx", f"{folder}/model").replace(
            "LABELS", f"{folder}/labels").replace("num-buffers=60", "num-buffers=20")
        line = line.replace("visionoverlay ! videoconvert ! autovideosink",
                            "visionjson ! fakesink")
        frames = [json.loads(text) for text in run(shlex.split(line)).splitlines()
                  if text.startswith("{")]
    assert len(frames) == 20, frames
    found, = [o for o in frames[-1]["objects"] if o["label"] == "red"]
    truth, = [o for o in frames[-1]["truth"]["objects"] if o["label"] == "red"]
    away = abs(found["cx"] - truth["cx"]) + abs(found["cy"] - truth["cy"])
    moved = abs(truth["x"] - 58) + abs(truth["y"] - 76)
    assert found["element"] == "emdtrack" and away < 15 < moved, (found, truth)
    print(f"ok   network: what it detected is followed, {away:.1f} pixels off")


# ---- Frames to another process ----

def unixfd():
    if not screens.is_there("unixfdsink ! unixfdsrc"):
        print("SKIP unixfd: GStreamer is older than 1.24")
        return
    text = (ROOT / "docs/cookbook.md").read_text()
    first, second = re.findall(r"^    (gst-launch-1\.0 .*unixfd.*)$", text, re.M)
    with tempfile.TemporaryDirectory() as folder:
        socket = f"{folder}/socket"
        first = first.replace("/tmp/vision", socket)
        second = second.replace("/tmp/vision", f"{socket} num-buffers=10").replace(
            "visionoverlay ! videoconvert ! autovideosink", "visionjson ! fakesink")
        with subprocess.Popen(shlex.split(first), stdout=subprocess.DEVNULL) as giver:
            try:
                assert screens.wait_until(lambda: Path(socket).exists())
                lines = run(shlex.split(second)).splitlines()
            finally:
                giver.terminate()
    frames = [json.loads(line) for line in lines if line.startswith("{")]
    assert len(frames) >= 9 and frames[5]["objects"][0]["label"] == "red", frames
    print(f"ok   unixfd: {len(frames)} frames with objects")


# ---- Streams that are started again ----

def command_of(name):
    """What systemd runs for the stream @name."""
    line = re.search(r"^ExecStart=(.*)$", UNIT.read_text(), re.M)[1]
    return shlex.split(line.replace("%i", name).replace("$$", "$"))


class Stream:
    """Started again a moment after it has ended, as by Restart=always."""

    def __init__(self, name, port):
        self.env = dict(
            os.environ, BROKER="127.0.0.1", PORT=str(port),
            PIPELINE="visiontestsrc is-live=true ! video/x-raw,width=320,height=240 "
            "! moct ! visionjson ! fakesink sync=false")
        self.command, self.ended, self.process = command_of(name), False, None
        self.thread = threading.Thread(target=self.keep)
        self.thread.start()

    def keep(self):
        while not self.ended:
            self.process = subprocess.Popen(
                self.command, env=self.env, start_new_session=True,
                stderr=subprocess.DEVNULL)
            self.process.wait()
            time.sleep(.2)

    def kill_pipeline(self):
        """The one of its processes that plays."""
        found = subprocess.run(
            ["ps", "-o", "pid=,comm=", "--sid", str(self.process.pid)],
            capture_output=True, text=True, check=True).stdout
        pid, = [int(line.split()[0]) for line in found.splitlines()
                if "gst-launch" in line]
        os.kill(pid, signal.SIGKILL)

    def end(self):
        self.ended = True
        os.killpg(self.process.pid, signal.SIGKILL)
        self.thread.join()


def service():
    if shutil.which("systemd-analyze"):
        done = subprocess.run(["systemd-analyze", "verify", UNIT], check=False,
                              capture_output=True, text=True)
        assert "gst-vision" not in done.stderr, done.stderr
    broker = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
    if not os.path.exists(broker) or not shutil.which("mosquitto_pub"):
        print("SKIP service: mosquitto or its clients are missing")
        return
    with tempfile.TemporaryDirectory() as folder:
        port = results.free_port()
        server = results.start(broker, folder, port)
        subscriber = subprocess.Popen(
            ["mosquitto_sub", "-h", "127.0.0.1", "-p", str(port), "-t", "vision/#",
             "-q", "1", "-v"], stdout=subprocess.PIPE, text=True)
        results.until_subscribed(subscriber, port, "vision/try")
        streams = [Stream(name, port) for name in ("door", "yard")]
        try:
            seen = follow(subscriber, streams[0])
        finally:
            for stream in streams:
                stream.end()
            subscriber.terminate()
            server.terminate()
            server.wait()
    check(seen)


def follow(subscriber, victim):
    """Frame numbers of both streams, until the one that was killed at its 20th
    has shown 20 more and the other has gone on."""
    seen = {"door": [], "yard": []}
    end, killed = time.monotonic() + 60, None
    while time.monotonic() < end:
        topic, _, line = subscriber.stdout.readline().partition(" ")
        if topic == "vision/try":
            continue
        numbers = seen[topic.rpartition("/")[2]]
        numbers.append(json.loads(line)["frame"])
        if killed is None and len(seen["door"]) >= 20 and len(seen["yard"]) >= 20:
            victim.kill_pipeline()
            killed = len(seen["yard"])
        if killed and seen["door"].count(0) == 2 and seen["door"][-1] >= 20 and \
                len(seen["yard"]) > killed + 20:
            return seen
    raise AssertionError(f"the stream did not come back: {seen}")


def check(seen):
    yard = list(dict.fromkeys(seen["yard"]))  # QoS 1: at least once
    assert yard == list(range(len(yard))), f"the other stream: {yard}"
    again = len(seen["door"]) - 1 - seen["door"][::-1].index(0)
    print(f"ok   service: door was killed at frame {seen['door'][again - 1]} and "
          f"began anew; yard showed {len(yard)} frames without a gap")


if __name__ == "__main__":
    rtsp()
    analytics()
    network()
    unixfd()
    service()
