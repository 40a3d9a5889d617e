# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recordings that robotics tools open: frames and what was found in them, as MCAP
with Foxglove's or ROS 2's messages, or as Rerun's.

    recorder = gstvision.record.Recorder("out.mcap")
    recorder.attach(appsink, "camera")      # any number of them
    ...                                     # the pipeline plays and ends
    recorder.close()
    print(recorder.report())

A thread of its own writes.  A live pipeline never waits for it: a frame that finds its
queue full is dropped and counted.  A pipeline that reads a file waits instead, as for
any sink.  Once writing has failed, frames are only counted, and `failed` says why."""
import collections
import importlib
import os
import threading
import time
import warnings

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
from gi.repository import Gst, GstApp  # noqa: E402,F401

from . import frames  # noqa: E402

# What a recording takes as it is.
ENCODED = {"video/x-h264": "h264", "video/x-h265": "h265", "image/jpeg": "jpeg",
           "image/png": "png"}
CAPS = "video/x-h264,stream-format=byte-stream,alignment=au; " \
    "video/x-h265,stream-format=byte-stream,alignment=au; image/jpeg; image/png; " \
    "video/x-raw(ANY)"
QUEUE = 60       # frames that may wait to be written,
BYTES = 1 << 28  # and their bytes
ENCODER = "appsrc name=in format=time max-buffers=4 ! videoconvert ! jpegenc ! " \
    "appsink name=out sync=false"


class Refused(Exception):
    """A sentence for the user."""


def writer_of(path, ros2, utc):
    """The writer of the form that the file's name says."""
    live = "://" in path
    ending = os.path.splitext(path)[1]
    if not live and ending not in (".mcap", ".rrd"):
        raise Refused(f"{path} ends neither with .mcap nor with .rrd, and is no address "
                      "of a viewer")
    if ros2 and ending != ".mcap":
        raise Refused("messages of ROS 2 are written to a file that ends with .mcap")
    name = "ros2" if ros2 else "foxglove" if ending == ".mcap" else "rerun_log"
    packages = "what it needs"
    try:
        module = importlib.import_module(f".{name}", __package__)
        packages = module.PACKAGES
        return module.Writer(path, utc) if name == "rerun_log" else module.Writer(path)
    except ImportError as error:
        raise Refused(f"no {error.name}: pip install {packages}") from None
    except (OSError, RuntimeError) as error:
        raise Refused(str(error) if isinstance(error, FileExistsError) else
                      f"{path} cannot be written to: "
                      f"{getattr(error, 'strerror', None) or error}") from None


class Encoder:
    """Frames become JPEG in threads of their own."""

    def __init__(self, caps, done):
        self.pipeline = Gst.parse_launch(ENCODER)
        self.source, sink = map(self.pipeline.get_by_name, ("in", "out"))
        self.done, self.waiting, self.error = done, 0, None
        self.lock = threading.Condition()
        self.caps = caps
        plain = caps.copy()
        plain.set_features_simple(None)  # mapping a frame downloads it
        self.source.set_property("caps", plain)
        sink.set_property("emit-signals", True)
        sink.connect("new-sample", self.came)
        self.pipeline.set_state(Gst.State.PLAYING)

    def came(self, sink):
        buffer = sink.emit("pull-sample").get_buffer()
        self.done(buffer.pts, buffer.extract_dup(0, buffer.get_size()))
        with self.lock:
            self.waiting -= 1
            self.lock.notify()
        return Gst.FlowReturn.OK

    def take(self, buffer, wait):
        """False where too many frames wait."""
        message = self.pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
        if message:
            self.error = message.parse_error()[0].message
        if self.error:
            raise ValueError(f"it becomes no JPEG: {self.error}")
        with self.lock:
            if wait:
                self.lock.wait_for(lambda: self.waiting < 4, 5)
            if self.waiting >= 4:
                return False
            self.waiting += 1
        self.source.emit("push-buffer", buffer)
        return True

    def close(self):
        with self.lock:
            self.lock.wait_for(lambda: not self.waiting or self.error, 5)
        self.pipeline.set_state(Gst.State.NULL)


class Recorder:
    """@path ends with .mcap or .rrd, or is the address of a viewer of Rerun.  Times are
    those of the stream or, with @utc, those of the day.  @pictures: "jpeg" makes JPEG
    of raw frames, "raw" writes them as they are, "none" leaves them out."""

    def __init__(self, path, ros2=False, utc=False, pictures="jpeg", live=False):
        self.path, self.pictures, self.live = path, pictures, live
        self.start = None if utc else 0
        self.writer = writer_of(path, ros2, utc)
        self.failed = None
        self.lock = threading.Condition()
        self.queue, self.bytes, self.ending = collections.deque(), 0, False
        self.frames = 0
        self.lost, self.left_out = collections.Counter(), collections.Counter()
        self.encoders, self.sizes, self.encoded = {}, {}, set()
        self.paths, self.last = {}, 0
        self.thread = threading.Thread(target=self._write, daemon=True)
        self.thread.start()

    def attach(self, sink, stream, encoded=False):
        """Takes the frames of an appsink.  @encoded: a second sink of the same stream
        has its pictures, encoded already."""
        stream = frames.safe_name(stream)
        if encoded:
            self.encoded.add(stream)
        sink.set_property("caps", Gst.Caps.from_string(CAPS))
        sink.set_property("sync", False)
        sink.set_property("emit-signals", True)
        sink.set_property("max-buffers", 4)
        sink.connect("new-sample", self._sample, stream)

    # ---- In a thread of the pipeline ----

    def _sample(self, sink, stream):
        sample = sink.emit("pull-sample")
        try:
            self.take(sample, stream)
        except Exception as error:  # of one frame; the pipeline goes on
            self._leave_out(f"a frame: {error}")
        return Gst.FlowReturn.OK

    def take(self, sample, stream):
        """A sample and its metadata, to be written."""
        buffer, caps = sample.get_buffer(), sample.get_caps()
        structure = caps.get_structure(0)
        stamp = self._stamp(sample, buffer)
        with self.lock:
            self.frames += 1
        size = structure.get_int("width"), structure.get_int("height")
        form = ENCODED.get(structure.get_name())
        if stream not in self.encoded or form:
            self.sizes[stream] = (size[0][1], size[1][1]) if size[0][0] and size[1][0] \
                else None
        frame = frames.Frame(stream, stamp)
        if not self._enter("frames",
                           lambda: self._results(frame, buffer, form, structure),
                           buffer.get_size()):
            return
        raw = not form and stream not in self.encoded
        if raw and self.pictures == "jpeg" and structure["format"] != "GRAY16_LE":
            self._encode(buffer, caps, stream, stamp)

    def _stamp(self, sample, buffer):
        """Running time, or the time of the day at which it is due."""
        running = sample.get_segment().to_running_time(Gst.Format.TIME, buffer.pts) \
            if buffer.pts != Gst.CLOCK_TIME_NONE else Gst.CLOCK_TIME_NONE
        with self.lock:
            if running in (Gst.CLOCK_TIME_NONE, -1):
                return self.last
            if self.start is None:
                self.start = time.time_ns() - running
            self.last = self.start + running
            return self.last

    def _encode(self, buffer, caps, stream, stamp):
        encoder = self.encoders.get(stream)
        if encoder and not encoder.caps.is_equal(caps):
            encoder.close()
            encoder = None
        if not encoder:
            encoder = self.encoders[stream] = Encoder(
                caps, lambda pts, data: self._enter("pictures", lambda: frames.Frame(
                    stream, pts, frames.Encoded("jpeg", data)), len(data)))
        copy = buffer.copy_region(Gst.BufferCopyFlags.MEMORY, 0, buffer.get_size())
        copy.pts = stamp
        if not encoder.take(copy, not self.live):
            with self.lock:
                self.lost["pictures"] += 1

    def _enter(self, what, make, size):
        """Queues what makes a frame; False where it cannot be written."""
        with self.lock:
            def full():
                return len(self.queue) >= QUEUE or self.bytes + size > BYTES
            if not self.live:
                while full() and self.queue and not (self.failed or self.ending):
                    self.lock.wait(1)
            if self.failed or self.ending or full() and self.queue:
                self.lost[what] += 1
                return False
            self.queue.append((what, make, size))
            self.bytes += size
            self.lock.notify_all()
        return True

    # ---- In the thread that writes ----

    def _results(self, frame, buffer, form, structure):
        for sentence in frames.results_of(frame, buffer, self.sizes.get(frame.stream)):
            self._leave_out(sentence)
        if form:
            frame.picture = frames.Encoded(form, buffer.extract_dup(0, buffer.get_size()))
        elif frame.stream not in self.encoded and (
                self.pictures == "raw" or
                self.pictures == "jpeg" and structure["format"] == "GRAY16_LE"):
            frame.picture = frames.picture_of(
                buffer.extract_dup(0, buffer.get_size()), structure)
            if not frame.picture:
                self._leave_out(f"a picture: {structure['format']} is none of "
                                f"{', '.join(frames.RAW)}")
        if frame.camera and frame.camera.pose:
            self.paths.setdefault(frame.stream, []).append(
                (frame.stamp, frame.camera.pose))
        return frame

    def _write(self):
        while True:
            with self.lock:
                self.lock.wait_for(lambda: self.queue or self.ending)
                if not self.queue:
                    return
                what, make, size = self.queue[0]
            if not self.failed:
                self._write_one(make)
            self.lost[what] += bool(self.failed)
            with self.lock:
                self.queue.popleft()
                self.bytes -= size
                self.lock.notify_all()

    def _write_one(self, make):
        try:
            frame = make()
        except Exception as error:  # of one frame, whose metadata may be anything
            self._leave_out(f"a frame: {error}")
            return
        self._try(self.writer.frame, frame)

    def _try(self, function, *what):
        """A frame that has no form is left out; a file that cannot be written ends it."""
        try:
            function(*what)
        except (OSError, RuntimeError) as error:
            self.failed = f"{self.path} cannot be written to: " \
                f"{getattr(error, 'strerror', None) or error}"
        except Exception as error:
            self._leave_out(f"a frame: {error}")

    def _leave_out(self, sentence):
        self.left_out[sentence] += 1
        if self.left_out[sentence] == 1:
            warnings.warn(f"left out: {sentence}", stacklevel=2)

    # ---- The end ----

    def close(self, meshes=()):
        """Writes what waits, the camera's path and the meshes, which are pairs of a
        stream and a PLY file, and ends the file."""
        for encoder in self.encoders.values():
            encoder.close()
        with self.lock:
            self.ending = True
            self.lock.notify_all()
        self.thread.join()
        for stream, poses in self.paths.items():
            if not self.failed:
                self._try(self.writer.path, stream, self.last, poses)
        for stream, path in meshes:
            if not self.failed:
                self._try(self._mesh, frames.safe_name(stream), path)
        before = self.failed
        self._try(self.writer.close)
        self.failed = before or self.failed

    def _mesh(self, stream, path):
        mesh = frames.mesh_of(path)
        if mesh:
            self.writer.mesh(stream, self.last, mesh)

    def report(self):
        """What was written, and what was not."""
        words = [f"{self.frames} frames"]
        why = "" if self.failed else ": they came faster than they could be written"
        words += [f"{n} {what} lost{why}" for what, n in self.lost.items() if n]
        words += [f"{n} times left out: {what}" for what, n in self.left_out.items()]
        return "; ".join(words)
