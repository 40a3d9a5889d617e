# SPDX-License-Identifier: LGPL-2.1-or-later
"""A branch of a playing pipeline that writes what is shown as MP4, and beside it
the results as JSON lines.  It ends as a file should end, while the rest plays
on."""
import contextlib
import os
import re
import sys
import tempfile

from gi.repository import Gst

# As in pipelines/common.sh.  OpenH264 calls the end of each stream an error.
ENCODERS = {"x264enc": "x264enc pass=qual quantizer=21 tune=zerolatency",
            "openh264enc": "openh264enc bitrate=8000000"}
NOISE = re.compile(rb"^\[OpenH264\] .*EncodeFrame\(\), cmInitParaError.*\n", re.M)


class Quiet:
    """Of what is written to the standard error from the beginning to stop (), shows all
    but the noise of the encoder."""

    def __init__(self):
        self.file = tempfile.TemporaryFile()
        sys.stderr.flush()
        self.stderr = os.dup(2)
        os.dup2(self.file.fileno(), 2)

    def stop(self):
        sys.stderr.flush()
        os.dup2(self.stderr, 2)
        os.close(self.stderr)
        self.file.seek(0)
        with contextlib.suppress(OSError), self.file:
            os.write(2, NOISE.sub(b"", self.file.read()))


def json_of(path):
    """The file of the lines beside the video @path."""
    return os.path.splitext(path)[0] + ".json"


class Recording:
    """Of @pipeline, from its element `tee` on, to @path.  @done gets the path when
    the file is whole: after stop (), or where the source ends."""

    def __init__(self, pipeline, path, done):
        encoder = next((line for name, line in ENCODERS.items()
                        if Gst.ElementFactory.find(name)), None)
        if not encoder:
            raise LookupError("Recording needs x264enc or openh264enc, of the "
                              "packages gstreamer1.0-plugins-ugly and "
                              "gstreamer1.0-plugins-bad.")
        self.path, self.pipeline, self.done = path, pipeline, done
        self.quiet = None
        self.bin = Gst.parse_bin_from_description(
            "queue ! visionjson name=lines ! "
            "videoconvert ! videoscale ! video/x-raw,format=I420,width=[2,16384,2],"
            f"height=[2,16384,2] ! {encoder} ! h264parse ! mp4mux ! "
            "filesink name=film async=false", True)
        self.bin.get_by_name("lines").set_property("location", json_of(path))
        self.bin.get_by_name("film").set_property("location", path)
        self.bin.set_property("message-forward", True)
        pipeline.add(self.bin)
        self.tee = pipeline.get_by_name("tee")
        self.pad = self.tee.request_pad_simple("src_%u")
        self.bin.sync_state_with_parent()  # it takes frames from then on
        self.pad.link(self.bin.get_static_pad("sink"))

    def stop(self):
        self.quiet = Quiet()
        self.pad.add_probe(Gst.PadProbeType.IDLE, self._part)

    def _part(self, pad, _info):
        """Between two frames: parts the branch and ends it."""
        sink = self.bin.get_static_pad("sink")
        pad.unlink(sink)
        sink.send_event(Gst.Event.new_eos())
        return Gst.PadProbeReturn.REMOVE

    def take(self, message):
        """Of the bus, in the main loop; whether it was the end of this branch."""
        structure = message.get_structure()
        if message.src != self.bin or not structure or \
                structure.get_name() != "GstBinForwarded":
            return False
        if structure.get_value("message").type != Gst.MessageType.EOS:
            return False
        self._remove()
        return True

    def _remove(self):
        self.tee.release_request_pad(self.pad)
        self.bin.set_state(Gst.State.NULL)
        self.pipeline.remove(self.bin)
        if self.quiet:
            self.quiet.stop()
        self.done(self.path)
