#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads objects and maps with the module gstvision: how many pixels each label
has, in NumPy.

    maps.py [SOURCE]

SOURCE is the head of a pipeline; the default is a generated scene."""
import sys

import gi
import numpy

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

import gstvision  # noqa: E402

SCENE = "visiontestsrc num-buffers=3"


def on_sample(sink):
    buffer = sink.emit("pull-sample").get_buffer()
    for o in gstvision.objects(buffer):
        print(f"{o.label} {o.id}: ({o.cx:.1f}, {o.cy:.1f}), {o.area} pixels")
    for m in gstvision.maps(buffer):
        with m.view() as numbers:  # no copy; valid until the end of the block
            counts = numpy.bincount(numbers.ravel())
        print(m.kind, dict(zip(m.names, counts[1:].tolist())))
    return Gst.FlowReturn.OK


def main():
    Gst.init(None)
    source = " ".join(sys.argv[1:]) or SCENE
    pipeline = Gst.parse_launch(
        f"{source} ! moct objects=red:#c70d0d~22;blue:#3864d2~20 "
        "label-map=true ! appsink name=sink emit-signals=true sync=false")
    pipeline.get_by_name("sink").connect("new-sample", on_sample)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    failed = message.type == Gst.MessageType.ERROR
    if failed:
        print(message.parse_error()[0].message, file=sys.stderr)
    pipeline.set_state(Gst.State.NULL)
    sys.exit(failed)


if __name__ == "__main__":
    main()
