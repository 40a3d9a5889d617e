# SPDX-License-Identifier: LGPL-2.1-or-later
"""The chain of an element, the video that is made of its frames, and its viewers.  All
of it is in the main loop; the chain waits for none of it."""
import collections
import json
import math
import secrets
import sys

from gi.repository import GLib, GObject, Gst, GstVideo

import gstvision
from visionlive import chain, properties
from visionlive.readings import readings
from web_viewer import Viewer

MOST = 8      # viewers
NAMES = 100   # characters of a name that are shown
ROOM = 40000  # bytes of a message, for objects
# VP8 is what every browser has.
VIDEO = "appsrc name=frames is-live=true format=time leaky-type=downstream " \
    "max-buffers=2 ! videoconvert ! video/x-raw,format=I420 ! " \
    "vp8enc deadline=1 cpu-used=8 threads=2 end-usage=cbr target-bitrate=4000000 " \
    "keyframe-max-dist=300 ! tee name=tee ! " \
    "queue leaky=downstream ! fakesink sync=false async=false"
KEYS = 1 | 4  # Shift and Ctrl


def control(element, spec):
    """What a page needs to show a property, or None for texts."""
    value = element.get_property(spec.name)
    made = {"name": spec.name, "text": spec.blurb}
    if spec.value_type == GObject.TYPE_BOOLEAN:
        return dict(made, kind="switch")
    if spec.value_type.is_a(GObject.TYPE_ENUM):
        return dict(made, kind="choice", choices=[
            item.value_nick for item in type(value).__enum_values__.values()])
    if hasattr(spec, "minimum"):
        length = spec.maximum - spec.minimum
        return dict(made, kind="slider" if length <= properties.LONGEST else "number",
                    minimum=spec.minimum, maximum=spec.maximum,
                    step=properties.step_of(spec))
    return None


def controls(element):
    """Groups of what may change between two frames: pairs of a title and controls."""
    found = []
    for title, names in properties.groups(element.get_factory().get_name()).items():
        specs = filter(None, map(element.find_property, names))
        rows = [row for spec in specs if int(spec.flags) & Gst.PARAM_CONTROLLABLE
                and (row := control(element, spec))]
        if rows:
            found.append((title, rows))
    return found


def drawn(o):
    """What a page draws of an object."""
    name = (o.label or o.element or "")[:NAMES]
    return {"name": name, "id": o.id, "element": o.element, "state": o.state,
            "box": [o.x, o.y, o.width, o.height], "centre": [o.cx, o.cy]}


def all_drawn(buffer):
    """What a page draws of a frame: as many objects as a message has room for."""
    found, room = [], ROOM
    for row in map(drawn, gstvision.objects(buffer)):
        room -= len(json.dumps(row)) + 2
        if room < 0:
            break
        found.append(row)
    return found


class Stage:
    """@chain: a Chain that was not started; @address: where viewers come from."""

    def __init__(self, played, address):
        self.chain, self.address = played, address
        self.viewers, self.fault, self.shown = {}, None, None
        self.newest = collections.deque(maxlen=1)
        self.loop = GLib.MainLoop()
        self.video = Gst.parse_launch(VIDEO)
        self.frames = self.video.get_by_name("frames")

    def start(self):
        """Or chain.Refused, and nothing plays."""
        self.chain.start(self.arrived, "identity")
        for pipeline, hears in (self.chain.pipeline, self.message), (self.video, self.fails):
            bus = pipeline.get_bus()
            bus.add_signal_watch()
            bus.connect("message", hears)
        self.controls = controls(self.chain.element)
        self.video.set_state(Gst.State.PLAYING)

    def run(self):
        """Until it is interrupted, or nothing comes any more."""
        GLib.timeout_add_seconds(1, self.refresh)
        for signal in 2, 15:
            GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal, self.loop.quit)
        self.loop.run()
        self.chain.stop()
        self.video.set_state(Gst.State.NULL)

    # ---- Frames ----

    def arrived(self, sample):
        """In a thread of the chain."""
        self.newest.append(sample)
        GLib.idle_add(self.show_newest)

    def show_newest(self):
        """Of frames that came meanwhile, all but the newest are passed over."""
        if not self.newest:
            return
        self.shown = sample = self.newest.pop()
        if not self.viewers:
            return
        time = self.frames.get_current_running_time()
        message = self.results(sample, time)
        for viewer in self.viewers.values():
            viewer.say(dict(message, under=self.under(viewer)))
        buffer = sample.get_buffer().copy_region(
            Gst.BufferCopyFlags.MEMORY, 0, sample.get_buffer().get_size())
        buffer.pts = time
        self.frames.set_caps(sample.get_caps())
        self.frames.emit("push-buffer", buffer)

    def size(self):
        info = GstVideo.VideoInfo.new_from_caps(self.shown.get_caps())
        return info.width, info.height

    def results(self, sample, time):
        """@rtp: the timestamp of the frame in the video that is sent."""
        buffer = sample.get_buffer()
        return {"frame": buffer.pts, "rtp": time * 90000 // Gst.SECOND & 0xffffffff,
                "size": self.size(), "objects": all_drawn(buffer)}

    def under(self, viewer):
        """What is under the viewer's mouse."""
        width, height = self.size()
        x, y = viewer.mouse or (width, height)
        if x >= width or y >= height:
            return []
        return readings(self.shown.get_buffer(), int(x), int(y), width, height)

    # ---- Viewers ----

    def join(self, future):
        if len(self.viewers) >= MOST:
            future.set_exception(RuntimeError(f"There are {MOST} viewers already."))
            return
        name = secrets.token_urlsafe(16)
        viewer = self.viewers[name] = Viewer(self.video, self.address, self.heard)
        inner = type(future)()
        inner.add_done_callback(
            lambda done: future.set_result({"id": name, "offer": done.result()}))
        viewer.offer(inner)

    def answer(self, future, name, text):
        if name not in self.viewers:
            future.set_exception(LookupError("There is no such viewer."))
        elif not self.viewers[name].answer(text):
            future.set_exception(ValueError("The answer is no SDP."))
        else:
            future.set_result({})

    def leave(self, future, name):
        if viewer := self.viewers.pop(name, None):
            viewer.remove()
        future.set_result({})

    def say(self, sentence):
        for viewer in self.viewers.values():
            viewer.say({"say": sentence})

    # ---- What pages say ----

    def heard(self, viewer, text):
        """A page may be anybody's: what is not understood is passed over."""
        try:
            message = json.loads(text)
            for name, act in (("hello", self.greet), ("set", self.set),
                              ("point", self.point), ("mouse", self.move),
                              ("pause", self.pause), ("back", self.take_back)):
                if name in message:
                    act(viewer, message[name])
        except (ValueError, TypeError, OverflowError, RecursionError,
                chain.Refused) as error:
            viewer.say({"say": str(error)})

    def greet(self, viewer, _):
        no_faces = self.chain.wants_faces and not self.chain.has_faces
        viewer.say({"controls": self.controls, "values": self.values(), "say":
                    chain.NO_FACES if no_faces else chain.CHOOSE.get(self.chain.name, "")})

    def values(self):
        element = self.chain.element
        return {row["name"]: properties.text_of(element, element.find_property(row["name"]))
                for _, rows in self.controls for row in rows}

    def set(self, viewer, pair):
        name, text = pair
        if name not in self.values() or not isinstance(text, str) or \
                not properties.takes(self.chain.element, name, text):
            raise ValueError(f"{name} cannot be {text}.")
        self.chain.set(name, text)
        for other in self.viewers.values():
            if other is not viewer:
                other.say({"values": self.values()})

    def point(self, _viewer, said):
        kind, x, y, keys, frame = said
        if kind not in ("press", "release") or not math.isfinite(x) or not math.isfinite(y):
            raise ValueError("A point is press or release at a pixel.")
        self.chain.point(kind, x, y, int(keys) & KEYS, frame)

    def move(self, viewer, place):
        viewer.mouse = None
        if place:
            x, y = map(float, place)
            viewer.mouse = (x, y) if x >= 0 and y >= 0 else None
        if self.shown and self.chain.pause.is_on():
            viewer.say({"under": self.under(viewer)})

    def pause(self, _viewer, _):
        pause = self.chain.pause
        if pause.is_on():
            pause.release()
        else:
            pause.hold()

    def take_back(self, _viewer, _):
        if self.chain.choice() and self.chain.take_back() and self.chain.pause.is_on():
            self.chain.pause.again(self.shown.get_buffer().pts)

    # ---- The pipelines ----

    def message(self, _bus, message):
        if message.type == Gst.MessageType.ERROR:
            self.fault = message.parse_error()[0].message
            self.loop.quit()
        elif message.type == Gst.MessageType.WARNING:
            self.say(message.parse_warning()[0].message)
        elif message.type == Gst.MessageType.INFO:
            self.say(message.parse_info()[0].message)
        elif message.type == Gst.MessageType.EOS and not self.chain.again():
            self.say("The source has ended.")

    def fails(self, _bus, message):
        """Errors of one viewer's elements, which lie deeper, are those of its network."""
        if message.type != Gst.MessageType.ERROR:
            return
        if message.src.get_parent() == self.video:
            self.message(_bus, message)
        else:
            print(f"a viewer: {message.parse_error()[0].message}", file=sys.stderr)

    def refresh(self):
        for name in [name for name, viewer in self.viewers.items() if viewer.is_gone()]:
            self.viewers.pop(name).remove()
        return True
