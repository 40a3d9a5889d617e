# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames of a recording, of Foxglove's or ROS's messages, as buffers with their times
and cameras.

    with gstvision.replay.Recording("bag.mcap") as bag:
        print(bag.topics)                       # of pictures: name and type
        for topic, stamp, caps, data, camera in bag.frames(["/camera/image"]):
            ...

An MCAP file is read by `mcap`, also one whose end is missing; a message of ROS, and a
folder, .db3 or .bag file of ROS, by `rosbags`."""
import contextlib
import os
import warnings

import numpy

PACKAGES = "mcap mcap-protobuf-support foxglove-schemas-protobuf rosbags"
# Types of messages that are pictures, and those of cameras.
PICTURES = {"CompressedVideo", "CompressedImage", "RawImage", "Image"}
CAMERAS = {"CameraCalibration", "CameraInfo"}
# Raw encodings as formats of GStreamer, and their bytes a pixel.
RAW = {"rgb8": ("RGB", 3), "bgr8": ("BGR", 3), "rgba8": ("RGBA", 4), "8UC3": ("BGR", 3),
       "bgra8": ("BGRA", 4), "8UC4": ("BGRA", 4), "mono8": ("GRAY8", 1),
       "8UC1": ("GRAY8", 1), "mono16": ("GRAY16_LE", 2), "16UC1": ("GRAY16_LE", 2),
       "yuyv": ("YUY2", 2), "yuv422_yuy2": ("YUY2", 2), "uyvy": ("UYVY", 2),
       "yuv422": ("UYVY", 2)}
STREAMS = {"h264": "video/x-h264,stream-format=byte-stream,alignment=au",
           "h265": "video/x-h265,stream-format=byte-stream,alignment=au",
           "jpeg": "image/jpeg", "jpg": "image/jpeg", "png": "image/png"}
PINHOLE = ("plumb_bob", "")
MOST = 16384  # pixels a side
LATEST = 1 << 63  # nanoseconds


class Refused(Exception):
    """A sentence for the user."""


class Recording:
    def __init__(self, path):
        if not os.path.exists(path):
            raise Refused(f"there is no {path}")
        if not os.path.isfile(path) and not os.path.isdir(path):
            raise Refused(f"{path} is neither a file nor a folder")
        self.path, self.stack = path, contextlib.ExitStack()
        self.types, self.messages, self.decoders, self.short = {}, None, {}, False
        try:
            if os.path.splitext(path)[1] == ".mcap" and not os.path.isdir(path):
                self._open_mcap()
            else:
                self._open_bag()
        except ImportError as error:
            raise Refused(f"no {error.name}: pip install {PACKAGES}") from None
        except Exception as error:  # of a library, which may be anything
            raise Refused(f"{path} cannot be read: {error}") from None
        self.topics = {topic: kind for topic, kind in self.types.items()
                       if short(kind) in PICTURES}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()

    # ---- Messages: topic, type, nanoseconds, what decodes it ----

    def _open_mcap(self):
        from mcap.exceptions import McapError
        from mcap.reader import make_reader
        file = self.stack.enter_context(open(self.path, "rb"))
        reader = make_reader(file)
        try:
            summary = reader.get_summary()
        except McapError:
            summary = None
        if summary and summary.channels:
            for channel in summary.channels.values():
                if channel.schema_id in summary.schemas:
                    self.types[channel.topic] = summary.schemas[channel.schema_id].name
            self.messages = lambda topics: self._decoded(
                reader.iter_messages(topics=topics))
        else:
            for schema, channel, _ in self._until_damage(self._chunks(None)):
                if schema:
                    self.types[channel.topic] = schema.name
            self.messages = lambda topics: self._decoded(self._chunks(topics))

    def _chunks(self, topics):
        """The messages of a file whose end is missing."""
        from mcap.reader import NonSeekingReader
        with open(self.path, "rb") as file:
            yield from NonSeekingReader(file).iter_messages(
                topics=topics, log_time_order=False)

    def _until_damage(self, messages):
        try:
            yield from messages
        except Refused:
            raise
        except Exception as error:  # of a library, which may be anything
            if not self.short:
                warnings.warn(f"{self.path} is damaged or ends early: frames until there "
                              f"are read {error}".rstrip(), stacklevel=2)
            self.short = True

    def _decoded(self, messages):
        for schema, channel, message in messages:
            decode = schema and self._decoder(schema)
            if decode:
                yield (channel.topic, short(schema.name), message.log_time,
                       lambda decode=decode, data=message.data: decode(data))

    def _decoder(self, schema):
        if schema.id not in self.decoders:
            self.decoders[schema.id] = None
            try:
                self.decoders[schema.id] = decoder_of(schema)
            except ImportError as error:
                raise Refused(f"no {error.name}: pip install {PACKAGES}") from None
            except Exception as error:  # of a library, which may be anything
                warnings.warn(f"messages of the type {schema.name} are left out: {error}",
                              stacklevel=2)
        return self.decoders[schema.id]

    def _open_bag(self):
        from pathlib import Path
        from rosbags.highlevel import AnyReader
        reader = self.stack.enter_context(AnyReader([Path(self.path)]))
        self.types = {c.topic: c.msgtype for c in reader.connections}

        def messages(topics):
            some = [c for c in reader.connections if c.topic in topics]
            for c, stamp, data in reader.messages(some) if some else ():
                yield (c.topic, short(c.msgtype), stamp,
                       lambda c=c, data=data: reader.deserialize(data, c.msgtype))
        self.messages = messages

    # ---- Frames ----

    def frames(self, topics):
        """Topic, nanoseconds since the first frame, caps, bytes and camera, which is
        None or the fields of a VisionCamera, of each frame of these topics."""
        topics, first = list(topics), None
        folders = {folder_of(topic) for topic in topics}
        told = [topic for topic, kind in self.types.items()
                if short(kind) in CAMERAS and folder_of(topic) in folders]
        # the baseline is told by the right camera of a pair
        others = [topic for topic, kind in self.types.items()
                  if short(kind) in CAMERAS and topic not in told and
                  any(folder_of(topic) == f"{folder}/right".strip("/") for folder in folders)]
        cameras = {}
        for topic in told + others:  # some are written behind the first picture
            for found in self._each([topic]):
                cameras[topic] = found[2]
                break
        for topic, stamp, found in self._each(topics + told):
            if topic in told:
                cameras[topic] = found
                continue
            stamp, caps, data = found
            first = stamp if first is None else first
            yield (topic, max(stamp - first, 0), caps, data,
                   self._camera(topic, told, cameras))

    def _camera(self, topic, told, cameras):
        mine = next((cameras.get(t) for t in told if folder_of(t) == folder_of(topic)),
                    None)
        base = max((c["baseline"] for c in cameras.values() if c), default=0)
        return mine and dict(mine, baseline=mine["baseline"] or base)

    def _each(self, topics):
        """Topic, time, and a camera, or the time, caps and bytes of a picture."""
        for topic, kind, stamp, read in self._until_damage(self.messages(topics)):
            try:
                message = read()
                found = camera_of(message) if kind in CAMERAS else \
                    (stamp_of(message, stamp), *picture_of(message, kind))
            except Exception as error:  # of one message, which may be anything
                warnings.warn(f"a message of {topic} is left out: {error}",
                              stacklevel=2)
                continue
            yield topic, stamp, found


def short(kind):
    """Image of sensor_msgs/msg/Image and RawImage of foxglove.RawImage."""
    return kind.rpartition(".")[2].rpartition("/")[2]


def folder_of(topic):
    """/camera of /camera/image and of /camera/image/compressed."""
    parts = topic.strip("/").split("/")
    if parts[-1] in ("compressed", "compressedDepth"):
        parts = parts[:-1]
    return "/".join(parts[:-1])


def decoder_of(schema):
    """A function of a message's bytes; None for an encoding that is not known."""
    if schema.encoding == "protobuf":
        from mcap_protobuf.decoder import DecoderFactory
        return DecoderFactory().decoder_for("protobuf", schema)
    if schema.encoding == "ros2msg":
        from rosbags.typesys import Stores, get_types_from_msg, get_typestore
        store = get_typestore(Stores.EMPTY)
        store.register(get_types_from_msg(schema.data.decode(), schema.name))
        return lambda data: store.deserialize_cdr(data, schema.name)
    return None


def stamp_of(message, written):
    """The time of the picture, in nanoseconds; @written where it has none."""
    if hasattr(message, "timestamp"):
        stamp = message.timestamp.seconds * 10**9 + message.timestamp.nanos
    else:
        stamp = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
    stamp = stamp or written
    if not 0 <= stamp < LATEST:
        raise ValueError(f"its time is {stamp} ns")
    return stamp


def picture_of(message, kind):
    """Caps and bytes."""
    if kind in ("CompressedVideo", "CompressedImage"):
        # ROS: "jpeg", "png", or "rgb8; jpeg compressed bgr8"
        words = message.format.lower().replace(";", " ").split()
        form = next((STREAMS[w] for w in words if w in STREAMS), None)
        if not form:
            raise ValueError(f"its format, {message.format!r}, is none of "
                             f"{', '.join(STREAMS)}")
        return form, bytes(message.data)
    form, size = RAW.get(message.encoding, (None, 0))
    if not form:
        raise ValueError(f"its encoding, {message.encoding!r}, is none of "
                         f"{', '.join(RAW)}")
    width, height, step = message.width, message.height, message.step
    if not (0 < width <= MOST and 0 < height <= MOST) or step < width * size:
        raise ValueError(f"{width}x{height} pixels in rows of {step} bytes")
    data = numpy.frombuffer(bytes(message.data), numpy.uint8)
    if data.size < step * (height - 1) + width * size:
        raise ValueError(f"it has {data.size} bytes for {width}x{height} pixels")
    rows = numpy.lib.stride_tricks.as_strided(data, (height, width * size), (step, 1))
    if form == "GRAY16_LE" and getattr(message, "is_bigendian", 0):
        rows = rows.reshape(height, width, 2)[:, :, ::-1].reshape(height, -1)
    padded = numpy.zeros((height, (width * size + 3) & ~3), numpy.uint8)
    padded[:, :width * size] = rows
    return (f"video/x-raw,format={form},width={width},height={height},framerate=0/1",
            padded.tobytes())


def camera_of(message):
    """The fields of a VisionCamera, or None where it is not calibrated."""
    k, d, p = (list(getattr(message, n, ()) if hasattr(message, n) else
                    getattr(message, n.upper())) for n in "kdp")
    if len(k) != 9 or not all(map(numpy.isfinite, k + d + p)) or min(k[0], k[4]) <= 0:
        return None
    if any(d) and message.distortion_model not in PINHOLE:
        warnings.warn(f"a camera is left out: its distortion, "
                      f"{message.distortion_model!r}, is none of plumb_bob", stacklevel=2)
        return None
    baseline = max(-p[3] / p[0], 0) if len(p) == 12 and p[0] > 1e-6 else 0
    return {"width": message.width, "height": message.height, "baseline": baseline,
            "intrinsics": [k[0], k[4], k[2], k[5], *(d[:5] if any(d) else [])]}
