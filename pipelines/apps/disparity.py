#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads what pocstereo measured in an application: a line a frame, and where
the frames are generated how far off the truth it is.

    meson devenv -C build ../pipelines/apps/disparity.py [SOURCE]

SOURCE is the head of a pipeline whose frames hold both views; the default is a
generated scene."""
import array
import math
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

SCENE = "visiontestsrc pattern=stereo view=side-by-side noise=1 num-buffers=10"
BAD = 1  # pixel: what is farther off is wrong, not inexact


def find_map(buffer, name, kind):
    """The rows of the map of @kind in the meta @name, as numbers; None where
    there is none."""
    meta = buffer.get_custom_meta(name)
    for m in meta.get_structure()["maps"] if meta else ():
        if m["kind"] != kind:
            continue
        good, info = m["pixels"].map(Gst.MapFlags.READ)
        assert good, f"the map {kind} cannot be read"
        row = m["width"] * m["channels"]
        code = {"u8": "B", "u16": "H", "u32": "I", "f32": "f"}[m["format"]]
        size = row * array.array(code).itemsize
        rows = [array.array(code, bytes(info.data[at:at + size]))
                for at in range(0, m["height"] * m["stride"], m["stride"])]
        m["pixels"].unmap(info)
        return rows
    return None


def compare(matches, truth, seen):
    """Of a list of matches: those of points that both cameras see, how many of
    these are wrong, the errors of the others and those within one sigma."""
    both = wrong = within = 0
    errors = []
    for i in range(0, len(matches), 5):
        x, y, disparity, sigma, _ = matches[i:i + 5]
        x, y = int(x), int(y)
        if not seen[y][x] or math.isnan(truth[y][x]):
            continue
        both += 1
        error = disparity - truth[y][x]
        if abs(error) > BAD:
            wrong += 1
        else:
            errors.append(error)
            within += abs(error) <= sigma
    return both, wrong, errors, within


def on_sample(sink):
    buffer = sink.emit("pull-sample").get_buffer()
    matches = find_map(buffer, "VisionMaps", "matches")
    truth = find_map(buffer, "VisionTruthMaps", "disparity")
    seen = find_map(buffer, "VisionTruthMaps", "confidence")
    line = f"{buffer.pts / Gst.SECOND:.3f} s  "
    if not matches:
        print(line + "no matches")
        return Gst.FlowReturn.OK
    matches = matches[0]
    line += f"{len(matches) // 5} matches"
    if truth and seen:
        both, wrong, errors, within = compare(matches, truth, seen)
        rms = math.sqrt(sum(e * e for e in errors) / max(1, len(errors)))
        line += (f", {both} of what both cameras see: "
                 f"{100 * wrong / max(1, both):.2f} % off by more than {BAD} px, "
                 f"the others {rms:.3f} px RMS, "
                 f"{100 * within / max(1, len(errors)):.0f} % within sigma")
    print(line, flush=True)
    return Gst.FlowReturn.OK


def main():
    Gst.init(None)
    source = " ".join(sys.argv[1:]) or SCENE
    pipeline = Gst.parse_launch(
        f"{source} ! pocstereo mode=points max-disparity=64 min-peak=0.35 ! "
        "appsink name=sink emit-signals=true sync=false")
    pipeline.get_by_name("sink").connect("new-sample", on_sample)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    failed = message.type == Gst.MessageType.ERROR
    if failed:
        error = message.parse_error()[0]
        print(f"{message.src.get_name()}: {error.message}", file=sys.stderr)
    pipeline.set_state(Gst.State.NULL)
    sys.exit(failed)


if __name__ == "__main__":
    main()
