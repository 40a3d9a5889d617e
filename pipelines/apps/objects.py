#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads what moct found in an application: from the buffers of an appsink, or
from messages on the bus.  objects.c is the same in C.

    meson devenv -C build ../pipelines/apps/objects.py [--messages] [SOURCE]

SOURCE is the head of a pipeline; the default is a generated scene."""
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

SCENE = "visiontestsrc name=scene num-buffers=30"


def show(nanoseconds, results):
    """A line an object.  @results has the fields of VisionObjects, on a buffer
    and in a message; a message's name is that of the element's factory."""
    for o in results["objects"]:
        print(f"{nanoseconds / Gst.SECOND:.3f} s  {o['label']} {o['id']}: "
              f"({o['cx']:.1f}, {o['cy']:.1f}), {o['area']} pixels")


def on_sample(sink):
    buffer = sink.emit("pull-sample").get_buffer()
    meta = buffer.get_custom_meta("VisionObjects")
    if meta:
        show(buffer.pts, meta.get_structure())
    return Gst.FlowReturn.OK


def watch(pipeline, moct):
    """Returns when the stream has ended; False where by an error."""
    bus = pipeline.get_bus()
    types = Gst.MessageType.ELEMENT | Gst.MessageType.EOS | Gst.MessageType.ERROR
    while True:
        message = bus.timed_pop_filtered(Gst.SECOND // 10, types)
        if not message:
            continue  # a chance for Ctrl-C
        if message.type == Gst.MessageType.EOS:
            return True
        if message.type == Gst.MessageType.ERROR:
            error = message.parse_error()[0]
            print(f"{message.src.get_name()}: {error.message}", file=sys.stderr)
            return False
        if message.src == moct:
            results = message.get_structure()
            show(results["timestamp"], results)


def main():
    Gst.init(None)
    messages = sys.argv[1:2] == ["--messages"]
    source = " ".join(sys.argv[1 + messages:]) or SCENE
    end = "post-messages=true ! fakesink" if messages else \
        "! appsink name=sink emit-signals=true sync=false"
    pipeline = Gst.parse_launch(f"{source} ! moct name=moct {end}")
    scene, moct, sink = map(pipeline.get_by_name, ("scene", "moct", "sink"))
    if scene:  # its shapes have these colours
        moct.set_property("objects", scene.get_property("palette"))
    if sink:
        sink.connect("new-sample", on_sample)

    pipeline.set_state(Gst.State.PLAYING)
    ended = watch(pipeline, moct)
    pipeline.set_state(Gst.State.NULL)
    sys.exit(0 if ended else 1)


if __name__ == "__main__":
    main()
