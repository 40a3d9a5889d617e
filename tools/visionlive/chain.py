# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pipeline: a source, an element, what is shown of it."""
import os
import re
import shlex
import shutil
import subprocess
import typing

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstPbutils", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import GLib, Gst, GstPbutils, GstVideo  # noqa: E402

from . import properties  # noqa: E402
from .pausing import Pause  # noqa: E402


class Kind(typing.NamedTuple):
    """What is shown under a name: an element on the generated scene that suits
    it."""
    scene: str
    words: str = ""    # of the launch line, behind the element's name
    shown: str = ""    # a map, in the place of the frame
    element: str = ""  # where it has another name
    choice: str = ""   # the property that says what was pointed at


ELEMENTS = {
    "moct": Kind("chromatic", "mouse=true", choice="objects"),
    "emdtrack": Kind("chromatic", "mouse=true", choice="targets"),
    "gpuccl": Kind("rgbd", shown="correspondence"),
    "kinfumot": Kind("rgbd", "maps=correspondence+depth+rendered", "rendered"),
    "pocstereo": Kind("stereo", "max-disparity=64", "disparity"),
    "faces": Kind("head", "mode=points grid-spacing=3 min-peak=0.5 "
                  "max-disparity=64", element="pocstereo"),
    "scopedetect": Kind("clutter"),
}
SCENES = {
    "chromatic": "visiontestsrc",
    "rgbd": "visiontestsrc pattern=rgbd path=towards",
    "stereo": "visiontestsrc pattern=stereo view=side-by-side ! "
              "video/x-raw,width=640,height=240",
    "head": "visiontestsrc pattern=stereo contents=head view=side-by-side",
    "multispectral": "visiontestsrc pattern=multispectral channels=8",
    "clutter": "visiontestsrc pattern=clutter",
}
# What the user is asked for.
CHOOSE = {
    "moct": "Click at a thing, or draw a box in it: its colour is looked for. With Shift, " \
        "a click adds what was missed; with Ctrl, it takes away what is something else. " \
        "Space pauses what moves.",
    "emdtrack": "Draw a box around a thing: it is followed. Space pauses what moves."}
SOLIDS = "mug", "camera"
SHOW = "visionoverlay name=overlay states=new+tracking+found+accepted"
FACES = " ! videoconvert ! facedetect min-size-width=80 min-size-height=80 " \
    "display=false"
NO_FACES = "Points of the whole frame: facedetect is missing, of the packages " \
    "gstreamer1.0-opencv and opencv-data."


class Refused(Exception):
    """A sentence for the user."""


def cameras():
    """Names of cameras, and the words of a launch line for each."""
    monitor = Gst.DeviceMonitor.new()
    monitor.add_filter("Video/Source", None)
    found = {}
    if monitor.start():
        for device in monitor.get_devices() or []:
            if element := device.create_element(None):
                found[device.get_display_name()] = properties.words(element)
        monitor.stop()
    return found


def file_words(source):
    """The head of a launch line for a file that has video.  A clip that a telephone
    took lying on its side is turned; of interlaced frames the first field is taken,
    since edges of both would be combs."""
    if not os.path.isfile(source):
        raise Refused(f"There is no file {source}.")
    with open(source, "rb") as file:
        head = file.read(256)
    kind = "GIF" if head[:4] == b"GIF8" else \
        "moving PNG" if head[1:4] == b"PNG" and b"acTL" in head else \
        "moving WebP" if head[8:16] == b"WEBPVP8X" and head[20] & 2 else ""
    if kind:  # all frames of a GIF come, and then no end; of the others only one comes
        raise Refused(f"{source} is a {kind}, which GStreamer does not play to its end: "
                      "make a video of it first, for example by "
                      f"ffmpeg -i {shlex.quote(source)} video.mp4.")
    try:
        info = GstPbutils.Discoverer.new(60 * Gst.SECOND).discover_uri(
            Gst.filename_to_uri(os.path.abspath(source)))
    except GLib.Error as error:
        raise Refused(f"{source} cannot be shown: {error.message}") from None
    timed_out = info.get_result() == GstPbutils.DiscovererResult.TIMEOUT
    if not info.get_video_streams() and not timed_out:
        raise Refused(f"{source} has no video that can be shown: "
                      f"gst-discoverer-1.0 -v {shlex.quote(source)} tells what it has.")
    tags = info.get_tags()
    turned = tags and tags.get_string("image-orientation")[0]
    interlaced = any(stream.is_interlaced() for stream in info.get_video_streams())
    return f"filesrc {properties.word('location', source)} ! decodebin ! videoconvert" + \
        " ! videoflip video-direction=auto" * bool(turned) + \
        " ! deinterlace fields=top" * interlaced


def source_words(source):
    """The head of a launch line: of a generated scene, a camera, an address, a
    sequence of pictures, or a file."""
    if source in SCENES:
        return SCENES[source]
    try:
        source.encode()
    except UnicodeEncodeError:
        raise Refused("The name of the file is no UTF-8: give it another one.") from None
    if source == "camera" or source.startswith("camera:"):
        wanted = source.partition(":")[2].lower()
        for name, words in cameras().items():
            if wanted in name.lower():
                return f"{words} ! decodebin ! videoconvert"
        names = ", ".join(cameras())
        raise Refused(
            (f"No camera is called \"{wanted}\". " if wanted else
             "No camera was found. ") +
            (f"Cameras: {names}." if names else "Scenes, such as chromatic, need none."))
    if "://" in source:
        return f"uridecodebin {properties.word('uri', source)} ! videoconvert"
    if re.search(r"%0?\d*d", source) and not os.path.exists(source):
        kind = source.rpartition(".")[2].replace("jpg", "jpeg")
        if not kind.isalnum():
            raise Refused("The name of a sequence ends with the kind of its pictures, as "
                          "frame-%04d.png.")
        return f"multifilesrc {properties.word('location', source)} " \
            f"caps=image/{kind},framerate=30/1 ! decodebin ! videoconvert"
    return file_words(source)


def finds_faces():
    """Whether facedetect and what it knows of faces are installed."""
    os.environ.setdefault("OPENCV_LOG_LEVEL", "OFF")  # of profiles for parts of faces
    element = Gst.ElementFactory.make("facedetect")
    return bool(element) and os.path.isfile(element.get_property("profile") or "")


def models(folder):
    """Models of solids that lie on the generated table, for scopedetect."""
    build = os.environ.get("BUILD", "build")
    command = shutil.which("vision-model") or f"{build}/tools/vision-model"
    for solid in SOLIDS:
        try:
            subprocess.run([command, "--solid", solid, f"{folder}/{solid}.model"],
                           check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            raise Refused("scopedetect needs models, which vision-model makes: "
                          "name them by models=FILE,FILE.") from None
    return ",".join(f"{folder}/{solid}.model" for solid in SOLIDS)


def own(sample):
    """One that may be kept: appsink writes to its own again at the next caps."""
    return Gst.Sample.new(sample.get_buffer(), sample.get_caps(),
                          sample.get_segment(), None)


class Chain:
    """@source and @name are what the user chose; @texts are properties of the
    element by their names."""

    def __init__(self, source, name, texts, json=None):
        if name not in ELEMENTS:
            raise Refused(f"{name} is none of {', '.join(ELEMENTS)}.")
        self.source, self.name, self.json = source, name, json
        self.shown = ELEMENTS[name].shown
        if name == "emdtrack" and source == "multispectral":
            # of a target in the first frame; without one it is black
            texts = dict({"emd-map": "true", "targets": "target:58,76,74,74"}, **texts)
            self.shown = "emd" * (texts["emd-map"] in ("true", "1"))
        self.texts, self.waiting = texts, {}
        self.pipeline = self.element = self.pause = None
        self.before = []  # texts of the choice before each time that the user pointed
        # a head that is drawn is no face for facedetect
        self.wants_faces = name == "faces" and source not in SCENES
        self.has_faces = self.wants_faces and finds_faces()

    def head(self, element):
        """The launch line up to the element, in the words @element."""
        more = ""
        if self.name == "kinfumot":
            more = " ! gpuccl label-map=false"
        if self.name != "scopedetect":
            return f"{source_words(self.source)}{FACES * self.has_faces} ! " \
                f"{element}{more}"
        if self.source != "clutter":
            raise Refused("scopedetect takes two sources: here it is shown with "
                          "the scene clutter; for others, see "
                          "pipelines/scopedetect.sh.")
        scene = SCENES["clutter"]
        return f"{scene} view=color ! video/x-raw,format=RGB ! queue ! " \
            f"finder.sink_color {scene} view=depth ! queue ! finder.sink_depth " \
            f"{element}"

    def tail(self, show=SHOW):
        shown = f"visionmap kind={self.shown} ! " if self.shown else ""
        return shown + show

    def words(self):
        """The element with what of it was set."""
        kind = ELEMENTS[self.name]
        element, words = kind.element or self.name, ["name=finder", kind.words]
        if element == "pocstereo" and self.source not in SCENES:
            words.append("packing=side-by-side")
        if self.has_faces:
            words.append("regions-only=true")
        return " ".join([element, *filter(None, words)])

    def line(self):
        """What a terminal takes."""
        element = properties.words(self.element, "name=finder")
        return f"gst-launch-1.0 {self.head(element)} ! " \
            f"{self.tail().replace(' name=overlay', '')} ! videoconvert ! " \
            "autovideosink"

    def start(self, on_sample, show=SHOW):
        """@on_sample gets each sample, in a thread of the pipeline.  The element
        is a frame or two ahead of it, so that a click meets what is seen.  @show: what
        draws the results."""
        json = f"visionjson {properties.word('location', self.json)} ! " \
            if self.json else ""
        line = f"{self.head(self.words())} ! {json}{self.tail(show)} ! " \
            "tee name=tee ! queue max-size-buffers=1 ! videoconvert ! " \
            "video/x-raw,format=BGRx ! " \
            "appsink name=picture emit-signals=true max-buffers=1"
        try:
            self.pipeline = Gst.parse_launchv(shlex.split(line))  # as in a shell
        except GLib.Error as error:
            raise Refused(error.message) from None
        self.element = self.pipeline.get_by_name("finder")
        for name, text in self.texts.items():
            self.set(name, text)
        sink = self.pipeline.get_by_name("picture")
        sink.connect("new-sample", lambda sink: on_sample(
            own(sink.emit("pull-sample"))) or Gst.FlowReturn.OK)
        self.pause = Pause(self.pipeline, self.element, bool(self.choice()))
        self.pipeline.set_state(Gst.State.PLAYING)

    def stop(self):
        """What was set is kept for the next start."""
        if self.pipeline:
            given = {name: properties.text_of(self.element,
                                              self.element.find_property(name))
                     for name in self.texts}
            self.texts = {**given, **properties.changed(self.element), **self.waiting}
            self.pipeline.set_state(Gst.State.NULL)
            self.pipeline = None

    def set(self, name, text):
        """Sets a property of the element; False where that needs a new start."""
        spec = self.element.find_property(name)
        if not spec:
            raise Refused(f"{self.name} has no property {name}.")
        running = self.element.get_state(0)[1] > Gst.State.READY
        if not running and not properties.takes(self.element, name, text):
            raise Refused(f"{name} cannot be \"{text}\": gst-inspect-1.0 "
                          f"{self.element.get_factory().get_name()} tells its values.")
        if running and not properties.may_change(spec):
            self.waiting[name] = text
            return False
        Gst.util_set_object_arg(self.element, name, text)
        return True

    def choice(self):
        """The property that says what was pointed at, or nothing."""
        return ELEMENTS[self.name].choice

    def chosen(self):
        return properties.text_of(
            self.element, self.element.find_property(self.choice()))

    def take_back(self):
        """What was chosen before the user pointed the last time; False where nothing
        is left to take back."""
        while self.before:
            text = self.before.pop()
            if text != self.chosen():
                self.set(self.choice(), text)
                return True
        return False

    def point(self, kind, x, y, keys, pts):
        """`press` or `release` of the first button at a pixel of the frame of that time,
        with @keys held, whose bits are the same in GDK and in GStreamer: the pipeline
        takes it as from a window.  While it is paused, the element gets that frame
        again."""
        if kind == "press" and self.choice():
            self.before.append(self.chosen())
        structure = Gst.Structure.new_empty("application/x-gst-navigation")
        structure.set_value("event", f"mouse-button-{kind}")
        structure.set_value("button", 1)
        structure.set_value("pointer_x", float(x))
        structure.set_value("pointer_y", float(y))
        structure.set_value("state", GstVideo.NavigationModifierType(int(keys)))
        event = Gst.Event.new_navigation(structure)
        self.pipeline.get_by_name("picture").get_static_pad("sink").push_event(event)
        if kind == "release" and self.pause.is_on():
            self.pause.again(pts)

    def again(self):
        """At the end of a file; whether it can go back."""
        return self.pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH, 0)
