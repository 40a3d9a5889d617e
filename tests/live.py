#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command vision-live:

    lines       without GTK, or without a display, it says so; the launch line that it
                copies runs, and has what was set; points of faces are asked for
    window      a widget for each property of a group, which sets it; a click and a
                box choose what is there, the box on the screen is where the truth is;
                a click while it is paused counts for the frame that is seen, and is
                taken back; the mouse reads maps and turns a cloud of points; it copies,
                saves, records; its panel and its picture stay as they are through new
                sources, elements, properties and messages; pictures of it stay in
                BUILD/live-pictures
    elements    what the others find is drawn where the truth is

The last two are skipped without GTK, Xvfb or xdotool.  Run it as a test of Meson,
which sets the environment."""
import contextlib
import functools
import json
import math
import os
import re
import shlex
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest.mock
from pathlib import Path

sys.dont_write_bytecode = True
import pipelines_inputs as screens  # noqa: E402
from commands import ROOT, make, run  # noqa: E402

COMMAND = ROOT / "tools/vision-live"
sys.path.insert(0, str(ROOT / "tools"))
# Those that a CPU shows at some rate, and a property that is not its default's.
PICTURES = Path(os.environ.get("BUILD", ROOT / "build")) / "live-pictures"
QUICK = {"moct": ("min-area", "123"), "emdtrack": ("lose-frames", "17"),
         "gpuccl": ("min-size", "999")}


# ---- Without a screen ----

def missing():
    with tempfile.TemporaryDirectory() as folder:
        for module in "gi", "gstvision":
            (Path(folder) / module).mkdir()
            (Path(folder) / module / f"{module}.py").write_text(
                f"raise ImportError('no {module}', name='{module}')\n")
        for env, words in (
                (dict(screens.environment(), PYTHONPATH=f"{folder}/gi"),
                 "vision-live: no gi: install python3-gi, python3-gi-cairo"),
                (dict(screens.environment(), PYTHONPATH=f"{folder}/gstvision"),
                 "vision-live: no gstvision: set PYTHONPATH"),
                (screens.environment(), "there is no display")):
            done = subprocess.run([COMMAND, "chromatic", "moct"], env=env,
                                  capture_output=True, text=True, timeout=60,
                                  check=False)
            if words not in done.stderr and "python3-gi" in done.stderr:
                print("SKIP missing: GTK is missing here, too")
                continue
            assert done.returncode == 1 and words in done.stderr, done
            assert "Traceback" not in done.stderr, done.stderr
    print("ok   missing")


def lines():
    from visionlive import chain
    from gi.repository import Gst
    Gst.init(None)
    for name, (key, text) in QUICK.items():
        came = threading.Event()
        played = chain.Chain(chain.ELEMENTS[name][0], name, {key: text})
        played.start(lambda sample, came=came: came.set())
        assert came.wait(60), name
        line = played.line()
        played.stop()
        assert f"{key}={text}" in line, line
        short = line.replace("visiontestsrc", "visiontestsrc num-buffers=3") \
            .replace("autovideosink", "fakesink")
        run(shlex.split(short))
        print(f"ok   {line}")
    kept = chain.Chain("chromatic", "moct", {"min-area": "60"})
    kept.start(lambda sample: None)
    assert kept.element.get_state(60 * Gst.SECOND)[1] > Gst.State.READY
    assert kept.set("min-area", "90") and not kept.set("label-map", "true")
    kept.stop()
    assert (kept.texts["min-area"], kept.texts["label-map"]) == ("90", "true"), \
        kept.texts
    with tempfile.TemporaryDirectory() as folder:
        sound, picture = f"{folder}/sound.wav", f"{folder}/picture.png"
        make(f"audiotestsrc num-buffers=5 ! wavenc ! filesink location={sound}")
        make(f"visiontestsrc num-buffers=1 ! pngenc ! filesink location={picture}")
        assert chain.source_words(picture).endswith("! decodebin ! videoconvert")
        Path(f"{folder}/film.gif").write_bytes(b"GIF89a")
        Path(f"{folder}/empty.mp4").write_bytes(b"")
        for source in "nowhere.mp4", "camera:there is none", sound, \
                f"{folder}/film.gif", f"{folder}/empty.mp4", folder:
            try:
                chain.source_words(source)
                raise AssertionError(source)
            except chain.Refused as sentence:
                print(f"ok   {sentence}")


def no_time():
    """On a busy machine nobody had time to look at a file: that is no reason against
    it."""
    from visionlive import chain
    pbutils = chain.GstPbutils
    told = types.SimpleNamespace(
        get_result=lambda: pbutils.DiscovererResult.TIMEOUT, get_tags=lambda: None,
        get_video_streams=list)
    looks = types.SimpleNamespace(discover_uri=lambda uri: told)
    with unittest.mock.patch.object(pbutils.Discoverer, "new", lambda time: looks):
        assert chain.file_words(__file__).endswith("! decodebin ! videoconvert")
    print("ok   no time")


def names():
    """A file whose name a shell, a launch line and a sequence would each read in their
    own way is played, and the copied line plays it, too."""
    from visionlive import chain
    with tempfile.TemporaryDirectory() as folder:
        clip = Path(folder) / "50% of 'its' \"caf\u00e9\" \\ $5.avi"
        make("visiontestsrc num-buffers=3 ! videoconvert ! jpegenc ! avimux ! "
             f"filesink location={folder}/plain.avi")
        Path(folder, "plain.avi").rename(clip)
        came = threading.Event()
        played = chain.Chain(str(clip), "moct", {"objects": "red:#c70d0d~22"})
        played.start(lambda sample: came.set())
        assert came.wait(60)
        line = played.line().replace("autovideosink", "fakesink")
        played.stop()
        run(shlex.split(line))
        hostile_names(folder, clip)
    print("ok   names")


def hostile_names(folder, clip):
    """Names with line breaks and quotes, and such as would be further elements."""
    from visionlive import chain
    from gi.repository import Gst
    kept = Path(folder) / "kept"
    kept.write_text("kept")
    evil = f'x" videotestsrc num-buffers=1 ! filesink location={kept} videotestsrc name="y'
    for name in 'two\nlines\\', "'a b'", '"a b"', 'x" ! fakesink name="y', "a\\b \\":
        clip = clip.rename(Path(folder) / name)
        words = shlex.split(chain.source_words(str(clip)))
        source = Gst.parse_launchv(words[:2])
        assert source.get_property("location") == str(clip), words
    for source in f"http://127.0.0.1:9/{evil}", f"%d{evil}.png", f"%d.png ! {evil}":
        try:
            words = shlex.split(chain.source_words(source))
        except chain.Refused as sentence:
            assert "kind of its pictures" in str(sentence), sentence
            continue
        made = Gst.parse_launchv(words[:2])
        name = "uri" if "://" in source else "location"
        assert made.get_property(name) == source, (words, made)
    played = chain.Chain("chromatic", "moct", {"objects": f"red:#c70d0d~22{evil}"},
                         f"{folder}/lines{evil.replace('/', '')}")
    with contextlib.suppress(chain.Refused):
        played.start(lambda sample: None)
    played.stop()
    latin = os.fsdecode(os.fsencode(folder) + b"/gl\xe4ser.avi")
    clip.rename(latin)
    try:
        chain.source_words(latin)
        raise AssertionError("a name that is no UTF-8 was taken")
    except chain.Refused as sentence:
        assert "no UTF-8" in str(sentence), sentence
    assert kept.read_text() == "kept"


def values():
    """A property or a value that there is not, and a camera."""
    from visionlive import chain
    for name, text, words in ("min-area", "ten", "cannot be \"ten\""), \
            ("minarea", "1", "no property minarea"):
        played = chain.Chain("chromatic", "moct", {name: text})
        try:
            played.start(lambda sample: None)
        except chain.Refused as sentence:
            assert words in str(sentence), sentence
        else:
            raise AssertionError(f"{name}={text} was taken")
    try:
        chain.source_words("camera:no such")
    except chain.Refused as sentence:
        assert "no such" in str(sentence) and (
            "need none" in str(sentence) or "Cameras: " in str(sentence)), sentence
    print("ok   values")


def spectra():
    """The map of the multispectral scene has colours from the start."""
    from visionlive import chain
    samples = []
    played = chain.Chain("multispectral", "emdtrack", {})
    played.start(samples.append)
    assert screens.wait_until(lambda: samples)
    buffer = samples[0].get_buffer()
    pixels = buffer.extract_dup(0, buffer.get_size())
    played.stop()
    assert any(pixels[::4]) and any(pixels[2::4]), "the frame is black"
    print("ok   spectra")


def faces():
    """Of a file, facedetect stands before pocstereo where it is installed; where it
    is not, points of the whole frame are shown."""
    from visionlive import chain
    from gi.repository import Gst
    Gst.init(None)
    found = chain.Chain("rtsp://nowhere/stream", "faces", {})
    assert found.has_faces == chain.finds_faces() and found.wants_faces
    for has_faces in True, False:
        found.has_faces = has_faces
        line = found.head(found.words())
        assert ("facedetect" in line) == has_faces, line
        assert ("regions-only=true" in line) == has_faces, line
        assert "packing=side-by-side" in line and "mode=points" in line, line
    assert not chain.Chain("head", "faces", {}).wants_faces
    print("ok   faces")


def turning():
    """By a quarter, to both sides and upwards, with a centre that is not 0."""
    from visionlive import cloud
    quarter, point, centre = math.pi / 2, (1., 2., 8.), (0., 0., 5.)
    for yaw, pitch, wanted in ((0, 0, (1, 2, 3)), (quarter, 0, (3, 2, -1)),
                               (-quarter, 0, (-3, 2, 1)),
                               (0, quarter, (1, -3, 2)),
                               (quarter, quarter, (3, 1, 2))):
        seen, = cloud.turned([point], centre, yaw, pitch)
        assert math.dist(seen, wanted) < 1e-9, (yaw, pitch, seen)
    many = [(x, 0., 1.) for x in range(9)] + [(1000., 0., 1.)]
    assert cloud.middle(many)[0] == [5, 0, 1] and cloud.middle(many)[1] <= 5
    print("ok   turning")


# ---- On a screen ----

def controls():
    """In this process, whose DISPLAY is that of the test."""
    from gi.repository import Gst, Gtk
    from visionlive import properties
    from visionlive.controls import Controls
    Gst.init(None)
    Gtk.init([])
    for name in "moct", "emdtrack", "gpuccl", "pocstereo", "scopedetect":
        element = Gst.ElementFactory.make(name)
        said = {}
        panel = Controls(element, said.__setitem__)
        n = move(panel)
        for key, text in said.items():
            Gst.util_set_object_arg(element, key, text)
            if text not in ("true", "false"):
                shown = properties.text_of(element, element.find_property(key))
                same = math.isclose(float(shown), float(text), rel_tol=1e-6) \
                    if text[-1].isdigit() else shown == text
                assert same, (name, key, text, shown)
        assert len(said) == n > 3, (name, n, said)
        print(f"ok   {name}: {n} sliders, switches and choices")


def move(widget):
    """Moves sliders to the right, turns switches, takes last choices; how many."""
    from gi.repository import Gtk
    if isinstance(widget, (Gtk.Scale, Gtk.SpinButton)):
        adjustment = widget.get_adjustment()
        before = adjustment.get_value()
        adjustment.set_value(before + adjustment.get_step_increment())
        return adjustment.get_value() != before
    if isinstance(widget, Gtk.CheckButton):
        widget.set_active(not widget.get_active())
        return 1
    if isinstance(widget, Gtk.ComboBox):
        before, last = widget.get_active(), len(widget.get_model()) - 1
        widget.set_active(0 if before == last else last)
        return widget.get_active() != before
    return sum(move(child) for child in widget.get_children()) \
        if isinstance(widget, Gtk.Container) else 0


def plotting():
    """Of ten seconds with 10 frames each: the rate, and the lines of two objects where
    their numbers are in the plot."""
    import cairo
    from visionlive import plots
    from gi.repository import Gtk
    Gtk.init([])
    objects = [types.SimpleNamespace(label=label, element="moct", id=1, cx=x, cy=10)
               for label, x in (("red", 200), ("blue", 100))]
    panel = plots.Plots()
    for n in range(150):
        with unittest.mock.patch.object(plots.time, "monotonic", lambda n=n: n / 10):
            panel.arrived()
            panel.add(5, objects)
    assert abs(panel.rate() - 10) < 1e-6, panel.rate()
    assert {plot for plot, _ in panel.lines} == {
        "frames a second", "latency, ms", "x, pixels", "y, pixels"}
    assert {len(line) for line in panel.lines.values()} == {101}, panel.lines
    width = 300
    surface = cairo.ImageSurface(cairo.FORMAT_RGB24, width, plots.HEIGHT)
    with unittest.mock.patch.object(plots.time, "monotonic", lambda: 14.9):
        panel.draw_one(cairo.Context(surface), "x, pixels", {
            name: line for (plot, name), line in panel.lines.items()
            if plot == "x, pixels"}, 0, width, plots.HEIGHT)
    surface.flush()
    _, top, _, bottom = plots.box_of(0, width, plots.HEIGHT)
    for colour, y in (plots.COLOURS[0], top), (plots.COLOURS[1], (top + bottom) // 2):
        at = y * surface.get_stride() + 4 * 200
        seen = [c / 255 for c in surface.get_data()[at + 2:at - 1:-1]]
        assert all(b / 2 < a <= b + .1 for a, b in zip(seen, colour)), (y, seen)
    for value, end in (0.001, .001), (7, 7), (7.2, 7.5), (200, 200), (201, 250):
        assert math.isclose(plots.rounded_up(value), end), (value, plots.rounded_up(value))
    print("ok   plots")


def press(env, key):
    """A key in the window."""
    window = subprocess.run(
        ["xdotool", "search", "--onlyvisible", "--name", "vision-live"], env=env,
        capture_output=True, text=True, check=True).stdout.split()[0]
    subprocess.run(["xdotool", "windowfocus", window, "key", key], env=env, check=True)
    time.sleep(.3)


class Live:
    """The command on the screen of @env; its window is at the upper left, and the
    frame at the window's."""

    def __init__(self, env, folder, *arguments):
        self.env = env
        self.path = Path(folder) / f"{arguments[1]}.json"
        self.film = Path(folder) / f"{arguments[1]}-film.mp4"
        self.out = Path(folder) / f"{arguments[1]}.out"
        self.errors = self.out.with_suffix(".errors")
        with self.out.open("w") as out, self.errors.open("w") as errors:
            self.process = subprocess.Popen(
                [COMMAND, *arguments, "--json", self.path, "--record", self.film,
                 "--preset", "tried"], env=env, stdout=out, stderr=errors)
        assert screens.wait_until(
            lambda: len(self.frames()) > 5 and screens.windows_of(env)), arguments

    def frames(self):
        return screens.lines_of(self.path)

    def said(self):
        return self.out.read_text().splitlines()

    def xdotool(self, *words):
        subprocess.run(["xdotool", *map(str, words)], env=self.env, check=True)
        time.sleep(.1)

    def key(self, letter):
        press(self.env, f"ctrl+{letter}")

    def truth(self, label):
        return next(t for t in self.frames()[-1]["truth"]["objects"]
                    if t["label"] == label)

    def choose(self, label, drag):
        x, y, w, h = (int(self.truth(label)[k])
                      for k in ("x", "y", "width", "height"))
        if drag:
            self.xdotool("mousemove", x, y, "mousedown", 1)
            self.xdotool("mousemove", x + w, y + h, "mouseup", 1)
        else:
            self.xdotool("mousemove", x + w // 2, y + h // 2, "click", 1)

    def stopped(self):
        """The screen, and the frames until then."""
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(.3)
        seen = screens.screenshot(self.env), self.frames()
        self.process.send_signal(signal.SIGCONT)
        return seen

    def end(self):
        self.key("q")
        assert self.process.wait(timeout=60) == 0


def drawn(live, name):
    """The box of what was chosen is on the screen where the truth is."""
    def seen():
        (width, _, pixels), frames = live.stopped()
        return max((screens.outline(pixels, width, 0, 0, box)
                    for box in screens.boxes(frames)
                    if screens.near_truth(box, frames)), default=0)
    best = max(seen() for _ in range(3))
    assert best > .6, (name, best)
    print(f"ok   {name}: {best:.2f} of the box is drawn where the truth is")


def chosen(live, drag):
    live.choose("red", drag)
    return screens.wait_until(
        lambda: screens.is_found(live.frames()[-1], "red"), 8)


def choosing(env, folder):
    for name, drag in ("moct", False), ("emdtrack", True):
        live = Live(env, folder, "chromatic", name)
        with ended(live):
            assert not screens.is_found(live.frames()[-1], "red")
            # it moves: on a busy machine a click may come late
            assert any(chosen(live, drag) for _ in range(5)), \
                (name, live.frames()[-1])
            drawn(live, name)


def adding(live):
    """A click with Shift held adds what was missed to the colour of the click before, and
    is taken back alone.  Returns how many frames the element got for it."""
    def seen():
        frame = live.frames()[-1]
        now = dict(frame, objects=[o for o in frame["objects"] if
                                   o["state"] in ("new", "tracking")])
        return [label for label in ("red", "green") if screens.is_found(now, label)]

    assert seen() == ["red"]
    live.xdotool("keydown", "shift")
    live.choose("green", False)
    live.xdotool("keyup", "shift")
    assert screens.wait_until(lambda: seen() == ["red", "green"])
    assert {o["label"] for o in live.frames()[-1]["objects"]} == {"click 1"}
    live.key("z")
    assert screens.wait_until(lambda: seen() == ["red"])
    return 2


def pausing(env, folder):
    """Space stops the frames; what is clicked at then is found in the frame that is
    seen, Ctrl+Z takes it back, and Space lets frames come at their rate again."""
    def halted():
        n = len(live.frames())
        time.sleep(1)
        return len(live.frames()) == n

    for name, drag in ("moct", False), ("emdtrack", True):
        live = Live(env, folder, "chromatic", name)
        with ended(live):
            press(env, "space")
            assert screens.wait_until(halted), name
            n = len(live.frames())
            assert not screens.is_found(live.frames()[-1], "red")
            live.choose("red", drag)
            assert screens.wait_until(lambda: screens.is_found(live.frames()[-1], "red"))
            assert halted() and len(live.frames()) == n + 1, (n, len(live.frames()))
            assert live.frames()[-1]["truth"] == live.frames()[-2]["truth"]
            if name == "moct":
                n += adding(live)
            live.key("z")
            assert screens.wait_until(lambda: len(live.frames()) == n + 2)
            assert not any(o.get("state") != "lost" for o in live.frames()[-1]["objects"])
            paused = live.frames()[-1]["pts"]
            press(env, "space")
            before, began = len(live.frames()), time.monotonic()
            assert screens.wait_until(lambda: len(live.frames()) > before + 30)
            seconds = time.monotonic() - began
            assert live.frames()[before]["pts"] - paused < 1e9 and seconds > .7, \
                (name, seconds)
        print(f"ok   {name}: a click while it is paused, and taken back")


def finding(env, folder, scene, name):
    """What an element finds by itself."""
    live = Live(env, folder, scene, name)

    def is_there():
        frames = live.frames()
        return any(screens.near_truth(box, frames)
                   for box in screens.boxes(frames))
    with ended(live):
        assert screens.wait_until(is_there), live.frames()[-1]
        drawn(live, name)


@contextlib.contextmanager
def ended(live):
    """Killed where the test fails."""
    try:
        yield
        live.end()
    finally:
        if live.process.poll() is None:
            live.process.kill()


def reading(env, folder):
    """What a click prints is what the maps of the frame hold."""
    live = Live(env, folder, "stereo", "pocstereo", "min-disparity=0")
    with ended(live):
        live.xdotool("mousemove", 320, 240, "click", 1)
        assert screens.wait_until(lambda: len(live.said()) >= 3), live.said()
    second, *place = live.said()[0].split()[:3]
    told = {line.split()[3]: line.split()[4] for line in live.said()}
    assert place == ["160", "120"], live.said()
    assert {"disparity", "sigma", "confidence"} <= told.keys(), told
    true = disparity(160, 120, round(float(second) * 30))
    assert abs(float(told["disparity"]) - true) < .3, (told, true)
    assert 0 < float(told["sigma"]) < 2, told
    print(f"ok   disparity {told['disparity']}, in truth {true:.2f}")


def disparity(x, y, n):
    """Of frame @n of the generated scene, in truth."""
    import gstvision
    from gi.repository import Gst
    from visionlive import chain
    pipeline = Gst.parse_launch(f"{chain.SCENES['stereo']} ! appsink name=sink")
    pipeline.set_state(Gst.State.PLAYING)
    for _ in range(n + 1):
        buffer = pipeline.get_by_name("sink").emit("pull-sample").get_buffer()
    m = next(m for m in gstvision.maps(buffer, truth=True)
             if m.kind == "disparity")
    value, = struct.unpack("<f", bytes(m.pixels.extract_dup(
        y * m.stride + 4 * x, 4)))
    pipeline.set_state(Gst.State.NULL)
    return value


def outline_of(points):
    """How far they reach to the right and down, but for one in a hundred at each
    end."""
    def reach(numbers):
        numbers = sorted(numbers)
        cut = len(numbers) // 100
        return numbers[-1 - cut] - numbers[cut]
    return [reach(axis) for axis in list(zip(*points))[:2]]


def cloud_on_screen(live):
    """The same of the pixels of the cloud, and how many there are."""
    (width, _, pixels), _ = live.stopped()
    lit = [(x, y) for y in range(480) for x in range(640)
           if max(pixels[(at := 3 * (y * width + x)):at + 3]) > 40]
    return outline_of(lit), len(lit)


def is_shown(live, wanted, seen):
    """Whether the cloud on the screen is as wide by its height as @wanted; @seen
    gets what was measured."""
    lit, n = cloud_on_screen(live)
    seen[:] = lit, n
    return n > 5000 and abs(lit[0] / lit[1] - wanted) < .1


def points_in_space():
    """Of the first frame that is shown; they lie where the head truly is."""
    import gstvision
    from gi.repository import Gst
    from visionlive import chain, cloud
    Gst.init(None)
    played = chain.Chain("head", "faces", {})
    pipeline = Gst.parse_launch(
        f"{played.head(played.words())} ! appsink name=sink")
    pipeline.set_state(Gst.State.PLAYING)
    buffer = pipeline.get_by_name("sink").emit("pull-sample").get_buffer()
    depth = next(m for m in gstvision.maps(buffer, truth=True) if m.kind == "depth")
    pairs = cloud.points_of(buffer)
    off = [abs(point[2] - z) for point, (x, y) in pairs
           if (z := struct.unpack("<f", bytes(depth.pixels.extract_dup(
               int(y) * depth.stride + 4 * int(x), 4)))[0]) > 0]
    assert len(off) > 1000 and statistics.median(off) < .005, statistics.median(off)
    pipeline.set_state(Gst.State.NULL)
    return [point for point, _ in pairs]


def cloud(env, folder):
    """From in front and, after a drag by 90 degrees, from the side, what is drawn is
    as wide by its height as the points are."""
    from visionlive import cloud as clouds
    live, points = Live(env, folder, "head", "faces"), points_in_space()
    with ended(live):
        for yaw in 0, math.pi / 2:
            if yaw:
                live.xdotool("mousemove", 200, 100, "mousedown", 1)
                live.xdotool("mousemove", 380, 100, "mouseup", 1)
            across, down = outline_of(clouds.turned(points, (0, 0, 0), yaw, 0))
            seen = []
            assert screens.wait_until(
                functools.partial(is_shown, live, across / down, seen)), seen
            (w, h), _ = seen
            print(f"ok   the cloud, turned by {round(math.degrees(yaw))} degrees: "
                  f"{w / h:.2f} as wide as high, its points {across / down:.2f}")


def refusing(env):
    """What cannot be played: all that is left is to choose again, or to end."""
    process = subprocess.Popen([COMMAND, "nowhere.mp4", "moct"], env=env,
                               stderr=subprocess.PIPE, text=True)
    try:
        assert screens.wait_until(lambda: screens.windows_of(env))
        for letter in "lsrzq":
            press(env, f"ctrl+{letter}")
        said = process.communicate(timeout=60)[1]
    finally:
        process.kill()
    assert process.returncode == 0 and "Traceback" not in said, said
    print("ok   a file that is not there")


def looping(env, folder):
    """A short clip begins anew when it ends, without a word."""
    clip, lines = f"{folder}/clip.avi", Path(folder) / "loop.json"
    make("visiontestsrc num-buffers=8 ! video/x-raw,framerate=30/1 ! videoconvert ! "
         f"jpegenc ! avimux ! filesink location={clip}")
    process = subprocess.Popen([COMMAND, clip, "moct", "--json", lines], env=env,
                               stderr=subprocess.PIPE, text=True)
    try:
        assert screens.wait_until(lambda: len(screens.lines_of(lines)) > 24)
        press(env, "ctrl+q")
        said = process.communicate(timeout=60)[1]
    finally:
        process.kill()
    assert process.returncode == 0 and "CRITICAL" not in said, said
    print("ok   a clip that begins anew")


def keeping(env, folder):
    """The launch line, a preset, a recording."""
    live = Live(env, folder, "chromatic", "moct", "objects=red:#c70d0d~22",
                "min-area=60")
    with ended(live):
        live.key("l")
        assert screens.wait_until(live.said), "no launch line"
        assert "min-area=60" in live.said()[0] and "c70d0d" in live.said()[0]
        live.key("s")
        presets = Path(env["XDG_DATA_HOME"]) / "gstreamer-1.0/presets"
        assert screens.wait_until(lambda: list(presets.glob("*.prs")))
        saved = next(presets.glob("*.prs"))
        assert screens.wait_until(lambda: "[tried]" in saved.read_text())
        assert not re.search("^(name|parent)=", saved.read_text(), re.M), saved.read_text()
        for preset in "tried", "many":  # one that is installed stays
            told = run([sys.executable, "-c", LOADS, "moct", preset, "objects", "min-area"],
                       env=env)
            assert preset == "many" or told.strip() == "'red:#c70d0d~22' 60", told
        if not screens.is_there("openh264enc ! h264parse ! mp4mux"):
            print("SKIP recording: no encoder")
            return
        live.key("r")
        lines = live.film.with_suffix(".json")
        assert screens.wait_until(lambda: len(screens.lines_of(lines)) > 40)
        live.key("r")
        assert screens.wait_until(lambda: any("recorded" in line
                                              for line in live.said()))
        n = len(live.frames())
        assert screens.wait_until(lambda: len(live.frames()) > n), "it stands still"
    assert "OpenH264" not in live.errors.read_text(), live.errors.read_text()
    width, height, seconds = screens.discover(live.film)
    kept = live.film.with_suffix(".json").read_text().splitlines()
    assert (width, height) == (640, 480) and seconds > 1, (width, height, seconds)
    assert abs(len(kept) / 30 - seconds) < .1, (len(kept), seconds)
    assert json.loads(kept[0])["objects"][0]["label"] == "red"
    print(f"ok   {seconds:.1f} s were recorded")


LOADS = """import sys, gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst
Gst.init(None)
element = Gst.ElementFactory.make(sys.argv[1])
assert element.load_preset(sys.argv[2]), f"{sys.argv[2]} of {element.get_preset_names()}"
print(*(repr(element.get_property(name)) for name in sys.argv[3:]))
"""


def presets(env):
    """Texts that GStreamer's own files of presets spoil are read as they were set."""
    from gi.repository import Gst
    from visionlive import properties
    Gst.init(None)
    text = "/tmp/a \\ 'b' \"c\" #d;e=f\u00e9 "
    for texts in {"objects-file": text}, {"objects": "it:#ff0000~9;b:#00ff00~9"}, \
            {"objects-file": '"x"', "min-area": "77"}:
        element = Gst.ElementFactory.make("moct")
        for name, value in texts.items():
            element.set_property(name, int(value) if name == "min-area" else value)
        properties.save_preset(element, "odd")
        told = run([sys.executable, "-c", LOADS, "moct", "odd", *texts], env=env)
        assert told.strip() == " ".join(
            repr(element.get_property(name)) for name in texts), (texts, told)
    print("ok   presets")


# ---- The window itself, in a process whose criticals are fatal ----

def until(what, seconds=60):
    """Lets GTK work until @what () is true."""
    from gi.repository import GLib
    context, end = GLib.MainContext.default(), time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        while context.iteration(False):
            pass
        time.sleep(.01)
    assert what()


def keep_picture(live, name):
    """What the window looks like, for people."""
    from gi.repository import Gtk
    PICTURES.mkdir(parents=True, exist_ok=True)
    n = len(live.plots.times)
    until(lambda: len(live.plots.times) > n + 20 or live.chain.pause.is_on())
    drawn = time.monotonic() + 1  # while it plays, events never cease
    until(lambda: time.monotonic() > drawn or not Gtk.events_pending())
    width, height = live.get_size()
    subprocess.run(["import", "-window", "root", "-crop", f"{width}x{height}+0+0",
                    "+repage", PICTURES / f"{name}.png"], check=True)


def inside(folder):
    """Everything that makes a pipeline anew leaves the panel and the picture there."""
    from gi.repository import Gst, Gtk
    from visionlive import window as windows
    Gst.init(None)
    Gtk.init([])
    clips = []
    for size in "360x640", "1920x1080":
        clips.append(f"{folder}/{size}.avi")
        width, height = size.split("x")
        make(f"visiontestsrc num-buffers=60 ! video/x-raw,width={width},height={height},"
             "framerate=30/1 ! videoconvert ! jpegenc ! avimux ! "
             f"filesink location={clips[-1]}")
    live = windows.Window(types.SimpleNamespace(
        source="chromatic", element="moct", json=None, preset="mine",
        record=f"{folder}/film.mp4"))
    live.show_all()
    live.start({})

    def shows(width, height):
        surface = live.picture.surface
        return surface and (surface.get_width(), surface.get_height()) == (width, height)

    def complete():
        """The panel is there, and of the picture not all is black."""
        area = live.controls.get_allocation()
        assert live.controls.get_mapped() and area.height > 100, area
        assert live.controls.get_ancestor(Gtk.ScrolledWindow)
        data = bytes(live.picture.surface.get_data())
        assert max(data[::4]) > 40 or max(data[2::4]) > 40, "the picture is black"

    until(lambda: shows(640, 480))
    complete()
    size = live.picture.get_allocated_width(), live.picture.get_allocated_height()
    assert "Click at a thing" in live.says.get_text(), live.says.get_text()
    for n in 1, 20, 200:
        live.say("A message that is long. " * n)
        until(lambda: not Gtk.events_pending())
        assert (live.picture.get_allocated_width(),
                live.picture.get_allocated_height()) == size, n
    live.under.set_text(" · ".join(["x 1234  y 1234", *(
        f"{kind} 123.456 px" for kind in (
            "disparity", "sigma", "confidence", "points", "depth"))]))
    until(lambda: not Gtk.events_pending())
    assert not live.under.get_layout().is_ellipsized(), "the last value is cut off"
    for clip, (width, height) in zip(clips, ((360, 640), (1920, 1080))):
        live.sources.get_child().set_text(clip)
        live.choose()
        until(lambda: shows(width, height))
        complete()
        left, top = live.picture.corner()
        scale = live.picture.scale()
        assert abs(2 * left + scale * width - size[0]) <= 2 and \
            abs(2 * top + scale * height - size[1]) <= 2, (left, top, scale)
        live.change("objects", "red:#c70d0d~22;blue:#3864d2~20")
        until(lambda: live.says.get_text() == windows.KEYS)
        keep_picture(live, f"{width}x{height}")
    overlay = live.chain.pipeline.get_by_name("overlay")
    assert overlay.get_property("font-size") * live.picture.scale() > 12
    live.sources.get_child().set_text("nowhere.mp4")
    live.choose()
    assert "no file" in live.says.get_text()
    live.sources.get_child().set_text("multispectral")
    live.elements.set_active_id("emdtrack")
    live.sources.get_child().set_text("multispectral")
    live.choose()
    until(lambda: live.chain.shown == "emd" and shows(640, 480))
    until(lambda: live.picture.bar)
    complete()
    names = {name for _, name in live.plots.lines}
    assert not any("red" in name for name in names), names
    keep_picture(live, "map")
    values, _ = live.picture.bar
    numbers = [value for value, _ in values]
    assert numbers == sorted(numbers) and numbers[0] < numbers[-1]
    blue, red = values[0][1], values[-1][1]
    assert blue[2] > blue[0] and red[0] > red[2], values
    live.change("emd-map", "false")
    until(lambda: shows(640, 3840))
    complete()
    live.change("emd-map", "true")
    until(lambda: shows(640, 480))
    complete()
    live.sources.get_child().set_text("chromatic")
    live.elements.set_active_id("moct")
    until(lambda: live.chain.name == "moct" and shows(640, 480))
    live.change("objects", "red:#c70d0d~22;blue:#3864d2~20")
    until(lambda: len(live.plots.times) > 200)
    keep_picture(live, "plots")
    live.pause()
    assert live.says.get_text() == windows.PAUSED
    keep_picture(live, "paused")
    live.pause()
    assert live.says.get_text() == windows.KEYS
    live.chain.stop()
    print("ok   the window through new sources, elements and properties")


def apart(env, folder):
    done = subprocess.run([sys.executable, __file__, "inside", folder], timeout=280,
                          env=dict(env, G_DEBUG="fatal-criticals"), check=False)
    assert done.returncode == 0, done.returncode


def losing():
    """How far a target moved that is lost at once, told the first time alone."""
    from visionlive.losing import Losing
    seen = Losing()
    for n, (state, place, words) in enumerate((
            ("new", (10, 10), None), ("tracking", (13, 14), None),
            ("occluded", None, "lost 2 frames after it was chosen. It moved by up to 5"),
            ("lost", None, None), ("tracking", (90, 90), None), ("lost", None, None))):
        told = seen.see(1, "cup", state, place, 32)
        assert (words in told) if words else told is None, (n, told)
    for _ in range(40):
        assert seen.see(2, None, "tracking", (1, 1), 32) is None
    assert seen.see(2, None, "lost", None, 32) is None
    print("ok   losing")


def lines_of_list():
    """A list has a line for each item, which can be changed and taken away."""
    from gi.repository import Gtk
    from visionlive.controls import Lines
    Gtk.init([])
    said = []
    lines = Lines("red:#c70d0d~22;blue:#3864d2~20", said.append)
    assert [e.get_text() for e in lines.entries] == [
        "red:#c70d0d~22", "blue:#3864d2~20", ""]
    lines.entries[1].set_text("sky:#3864d2~30")
    lines.entries[1].activate()
    lines.entries[2].set_text("cap:#00ff00~9")
    lines.entries[2].activate()
    lines.get_children()[0].get_children()[1].clicked()
    assert said == ["red:#c70d0d~22;sky:#3864d2~30",
                    "red:#c70d0d~22;sky:#3864d2~30;cap:#00ff00~9",
                    "sky:#3864d2~30;cap:#00ff00~9"], said
    print("ok   lists")


@contextlib.contextmanager
def live_screen():
    """A folder and the environment of a screen; None without one."""
    with tempfile.TemporaryDirectory() as folder, screens.screen() as env:
        if env:
            env["XDG_DATA_HOME"] = f"{folder}/home"
            env["NO_AT_BRIDGE"] = "1"  # no bus of accessibility is asked for
            os.environ.update(env)
        yield folder, env


def window():
    turning()
    with live_screen() as (folder, env):
        if env:
            controls()
            lines_of_list()
            losing()
            presets(env)
            plotting()
            apart(env, folder)
            choosing(env, folder)
            pausing(env, folder)
            reading(env, folder)
            cloud(env, folder)
            refusing(env)
            looping(env, folder)
            keeping(env, folder)


def elements():
    """Those that find by themselves."""
    with live_screen() as (folder, env):
        if env:
            finding(env, folder, "rgbd", "gpuccl")  # the robot, once it drives
            finding(env, folder, "clutter", "scopedetect")
            finding(env, folder, "rgbd", "kinfumot")


def has_gtk():
    try:
        import gi
        gi.require_version("Gtk", "3.0")
        gi.require_foreign("cairo")
        return True
    except (ImportError, ValueError):
        print("SKIP: GTK 3 is missing")
        return False


if __name__ == "__main__":
    if sys.argv[1] == "lines":
        missing()
        lines()
        names()
        no_time()
        values()
        spectra()
        faces()
    elif has_gtk():
        {"window": window, "elements": elements, "inside": lambda: inside(sys.argv[2])}[
            sys.argv[1]]()
