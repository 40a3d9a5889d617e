# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames in a recording of Rerun, a file or a viewer that runs."""
import dataclasses
import os

import numpy

from .foxglove import title_of
from .frames import Encoded
from .mcap_file import open_new

PACKAGES = "rerun-sdk"
# Fields of an object that Rerun's own archetypes hold; the others are values beside
# the boxes, a column each, with as many rows as objects.
PLACES = {"x", "y", "width", "height", "outline", "trajectory", "pose", "extent"}
FLUSH = 5  # seconds that a viewer may take


def columns_of(objects):
    """Arrow's columns of the fields that any object has."""
    import pyarrow
    kinds = {int: pyarrow.uint64(), float: pyarrow.float64(), str: pyarrow.string(),
             tuple: pyarrow.list_(pyarrow.float64())}
    found = {}
    for field in dataclasses.fields(objects[0]) if objects else ():
        values = [getattr(o, field.name) for o in objects]
        known = [v for v in values if v is not None]
        if known and field.name not in PLACES:
            found[field.name] = pyarrow.array(values, kinds[type(known[0])])
    return found


def pairs(numbers):
    return numpy.reshape(numbers, (-1, 2))


class Writer:
    """@path is a file, or the address of a viewer: rerun+http://HOST:PORT/proxy."""

    def __init__(self, path, utc):
        import rerun
        self.rerun, self.utc = rerun, utc
        self.recording = rerun.RecordingStream("gst-vision")
        if "://" in path:
            self.recording.connect_grpc(path)
        else:
            open_new(path).close()
            self.recording.save(os.path.realpath(path))
        self.recording.send_recording_name(os.path.basename(path))
        self.recording.flush(timeout_sec=FLUSH)  # fails where nobody takes it
        self.has_world = False

    def log(self, path, *what, **more):
        self.recording.log(path, *what, **more)

    def at(self, stamp):
        kind = "timestamp" if self.utc else "duration"
        value = numpy.datetime64(stamp, "ns") if self.utc else \
            numpy.timedelta64(stamp, "ns")
        self.recording.set_time("time", **{kind: value})

    def frame(self, frame):
        rerun, base = self.rerun, f"world/{frame.stream}"
        view = f"{base}/view"
        self.at(frame.stamp)
        if isinstance(frame.picture, Encoded):
            self.log(f"{view}/image", self.encoded(frame.picture))
        for image in [frame.picture] * (frame.picture is not None and not isinstance(
                frame.picture, Encoded)) + frame.images:
            self.image(f"{view}/{image.name}", image)
        for cloud in frame.clouds:
            self.cloud(base, view, cloud)
        if frame.objects is not None:
            self.objects(base, view, frame.objects)
        if not self.has_world and (frame.camera or frame.clouds):
            self.has_world = True
            self.log("world", rerun.ViewCoordinates.RIGHT_HAND_Y_DOWN, static=True)
        if frame.camera:
            c = frame.camera
            self.log(view, rerun.Pinhole(
                image_from_camera=[[c.fx, 0, c.cx], [0, c.fy, c.cy], [0, 0, 1]],
                resolution=[c.ref_width, c.ref_height]),
                rerun.AnyValues(distortion=c.distortion, baseline=c.baseline))
            if c.pose:
                tx, ty, tz, qw, qx, qy, qz = c.pose
                self.log(base, rerun.Transform3D(
                    translation=[tx, ty, tz],
                    quaternion=rerun.Quaternion(xyzw=[qx, qy, qz, qw])))
        self.recording.flush(timeout_sec=FLUSH)

    def encoded(self, picture):
        rerun = self.rerun
        if picture.format[:2] == "h2":
            codec = getattr(rerun.VideoCodec, picture.format.upper())
            return rerun.VideoStream(codec=codec, sample=picture.data)
        return rerun.EncodedImage(contents=picture.data,
                                  media_type=f"image/{picture.format}")

    def image(self, path, image):
        rerun, pixels = self.rerun, image.pixels
        if image.encoding in ("rgb8", "bgr8", "rgba8", "bgra8", "mono8"):
            model = {"mono": "L"}.get(image.encoding[:-1], image.encoding[:-1].upper())
            self.log(path, rerun.Image(pixels, color_model="L" if model == "MONO"
                                       else model))
        elif image.name == "depth" or image.encoding == "16UC1":
            scale = image.scale if image.name == "depth" else .001
            self.log(path, rerun.DepthImage(pixels, meter=1 / scale))
        elif image.name.startswith("labels"):
            names = [rerun.AnnotationInfo(id=i + 1, label=name)
                     for i, name in enumerate(image.labels)]
            self.log(path, rerun.SegmentationImage(pixels), *(
                [rerun.AnnotationContext(names)] if names else []))
        elif image.encoding == "8UC2":  # a class and the number of a model
            self.log(path, rerun.SegmentationImage(pixels[:, :, 0]))
            self.log(f"{path}/model", rerun.SegmentationImage(pixels[:, :, 1]))
        elif pixels.ndim == 2 and pixels.dtype == numpy.float32:
            self.log(path, rerun.DepthImage(pixels))
        else:
            self.log(path, rerun.Tensor(pixels))

    def cloud(self, base, view, cloud):
        rows = cloud.points.reshape(-1, len(cloud.fields))
        more = {name: rows[:, i] for i, name in enumerate(cloud.fields)
                if name not in ("x", "y", "z")}
        if "z" in cloud.fields:
            place, shown = f"{base}/{cloud.name}", self.rerun.Points3D(rows[:, :3])
        else:
            place, shown = f"{view}/{cloud.name}", self.rerun.Points2D(rows[:, :2])
        self.log(place, shown, self.rerun.AnyValues(**more))

    def objects(self, base, view, objects):
        rerun, place = self.rerun, f"{view}/image/objects"
        boxes = [(o.x, o.y, o.width, o.height) for o in objects]
        boxes = [b if None not in b else (0, 0, 0, 0) for b in boxes]
        if not objects:
            self.log(place, rerun.Clear(recursive=True))
            self.log(f"{base}/objects", rerun.Clear(recursive=True))
            return
        self.log(place, rerun.Boxes2D(
            array=boxes, array_format=rerun.Box2DFormat.XYWH,
            labels=[title_of(o) for o in objects]),
            rerun.AnyValues(**columns_of(objects)))
        for name, close in ("outline", True), ("trajectory", False):
            lines = [pairs(getattr(o, name) or ()) for o in objects]
            if any(len(line) for line in lines):
                self.log(f"{place}/{name}", rerun.LineStrips2D(
                    [numpy.vstack([line, line[:1]]) if close else line
                     for line in lines]))
        solid = [o for o in objects if o.pose]
        if solid:
            self.log(f"{base}/objects", rerun.Boxes3D(
                centers=[o.pose[:3] for o in solid],
                quaternions=[rerun.Quaternion(xyzw=[*o.pose[4:], o.pose[3]])
                             for o in solid],
                sizes=[o.extent or (.05, .05, .05) for o in solid],
                labels=[title_of(o) for o in solid]))
        else:
            self.log(f"{base}/objects", rerun.Clear(recursive=False))

    def path(self, stream, stamp, poses):
        self.at(stamp)
        self.log(f"world/{stream}_path",
                 self.rerun.LineStrips3D([[pose[:3] for _, pose in poses]]))

    def mesh(self, stream, stamp, mesh):
        self.at(stamp)
        self.log(f"world/{stream}_mesh", self.rerun.Mesh3D(
            vertex_positions=mesh.vertices, triangle_indices=mesh.triangles,
            vertex_colors=mesh.colours))

    def close(self):
        try:
            self.recording.flush(timeout_sec=FLUSH)
        finally:
            self.recording.disconnect()
