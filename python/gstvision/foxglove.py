# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames as Foxglove's messages in an MCAP file."""
import dataclasses
import importlib

import numpy

from .frames import Encoded, matrices_of
from .mcap_file import McapFile

PACKAGES = "mcap mcap-protobuf-support foxglove-schemas-protobuf"
# The fields of an object that have a place of their own in a message.  The others are
# metadata of the object's text, each by its own name.
PLACES = {"x", "y", "width", "height", "cx", "cy", "outline", "trajectory", "pose",
          "extent"}
FLOAT32 = 7  # PackedElementField.FLOAT32
GREEN = {"r": .2, "g": .9, "b": .3, "a": 1}
CLEAR = {"r": .2, "g": .9, "b": .3, "a": .3}


def time_of(stamp):
    return {"seconds": stamp // 10**9, "nanos": stamp % 10**9}


def points_2d(numbers):
    return [{"x": x, "y": y} for x, y in zip(numbers[::2], numbers[1::2])]


def pose_of(pose):
    tx, ty, tz, qw, qx, qy, qz = pose
    return {"position": {"x": tx, "y": ty, "z": tz},
            "orientation": {"x": qx, "y": qy, "z": qz, "w": qw}}


def text_of(value):
    return " ".join(map(repr, value)) if isinstance(value, tuple) else str(value)


def fields_of(found):
    """What has no place of its own: exact, as Python writes numbers."""
    return [{"key": field.name, "value": text_of(value)}
            for field in dataclasses.fields(found) if field.name not in PLACES
            if (value := getattr(found, field.name)) is not None]


def title_of(found):
    name = found.label or found.element or "object"
    return f"{name} {found.id}" if found.id else name


def annotations_of(frame):
    """ImageAnnotations: of an object, a text with its fields, and the box, centroid,
    outline and trajectory that it has.  The metadata `object` is its number."""
    shown = {"circles": [], "points": [], "texts": []}
    stamp = time_of(frame.stamp)
    for i, o in enumerate(frame.objects):
        number = [{"key": "object", "value": str(i)}]
        has_box = None not in (o.x, o.y, o.width, o.height)
        at = {"x": o.x, "y": o.y} if has_box else {"x": o.cx or 0, "y": o.cy or 0}
        shown["texts"].append({
            "timestamp": stamp, "position": at, "text": title_of(o), "font_size": 12,
            "text_color": GREEN, "metadata": number + fields_of(o)})
        lines = [("outline", "LINE_LOOP", o.outline),
                 ("trajectory", "LINE_STRIP", o.trajectory)]
        if has_box:
            right, lower = o.x + o.width, o.y + o.height
            lines.append(("box", "LINE_LOOP", (o.x, o.y, right, o.y, right, lower, o.x,
                                               lower)))
        for what, kind, numbers in lines:
            if numbers:
                shown["points"].append({
                    "timestamp": stamp, "type": kind, "points": points_2d(numbers),
                    "outline_color": GREEN, "thickness": 2,
                    "metadata": [*number, {"key": "is", "value": what}]})
        if None not in (o.cx, o.cy):
            shown["circles"].append({
                "timestamp": stamp, "position": {"x": o.cx, "y": o.cy}, "diameter": 5,
                "thickness": 2, "outline_color": GREEN, "metadata": number})
    return shown


def scene_of(frame):
    """SceneUpdate: a cube of each object with a pose, in the camera's coordinates."""
    entities = []
    for i, o in enumerate(frame.objects):
        if not o.pose:
            continue
        width, height, depth = o.extent or (.05, .05, .05)
        pose = pose_of(o.pose)
        more = [] if o.extent else [{"key": "extent", "value": "unknown"}]
        entities.append({
            "timestamp": time_of(frame.stamp), "frame_id": frame.stream,
            "id": f"{o.source or o.element or ''}/{o.id or i}",
            "metadata": [{"key": "object", "value": str(i)}, *more],
            "cubes": [{"pose": pose, "size": {"x": width, "y": height, "z": depth},
                       "color": CLEAR}],
            "texts": [{"pose": pose, "text": title_of(o), "billboard": True,
                       "font_size": 12, "scale_invariant": True, "color": GREEN}]})
    return {"deletions": [{"timestamp": time_of(frame.stamp), "type": "ALL"}],
            "entities": entities}


def calibration_of(frame, baseline=0):
    """CameraCalibration, or that of the right camera of a pair."""
    c = frame.camera
    return {"timestamp": time_of(frame.stamp), "frame_id": frame.stream,
            "width": c.ref_width, "height": c.ref_height,
            "distortion_model": "plumb_bob", **matrices_of(c, baseline)}


def image_of(frame, image):
    height, width = image.pixels.shape[:2]
    return {"timestamp": time_of(frame.stamp), "frame_id": frame.stream, "width": width,
            "height": height, "encoding": image.encoding,
            "step": image.pixels[0].nbytes, "data": image.pixels.tobytes()}


def cloud_of(frame, cloud):
    fields = [{"name": name, "offset": 4 * i, "type": FLOAT32}
              for i, name in enumerate(cloud.fields)]
    return {"timestamp": time_of(frame.stamp), "frame_id": frame.stream,
            "pose": pose_of((0, 0, 0, 1, 0, 0, 0)), "point_stride": 4 * len(fields),
            "fields": fields, "data": cloud.points.astype("<f4").tobytes()}


class Writer:
    def __init__(self, path):
        from mcap_protobuf.schema import build_file_descriptor_set
        importlib.import_module("foxglove_schemas_protobuf")
        self.build, self.kinds = build_file_descriptor_set, {}
        self.file = McapFile(path, "")

    def kind(self, name):
        """The message class of that name, and its schema."""
        if name not in self.kinds:
            module = importlib.import_module(f"foxglove_schemas_protobuf.{name}_pb2")
            kind = getattr(module, name)
            self.kinds[name] = kind, (kind.DESCRIPTOR.full_name, "protobuf",
                                      self.build(kind).SerializeToString())
        return self.kinds[name]

    def add(self, topic, name, stamp, fields):
        kind, schema = self.kind(name)
        self.file.add(topic, schema, "protobuf", stamp,
                      kind(**fields).SerializeToString())

    def frame(self, frame):
        def add(topic, name, fields):
            self.add(f"/{frame.stream}/{topic}", name, frame.stamp, fields)
        if frame.camera:
            self.camera(frame, add)
        if isinstance(frame.picture, Encoded):
            name = "CompressedVideo" if frame.picture.format[:2] == "h2" else \
                "CompressedImage"
            add("image", name, {
                "timestamp": time_of(frame.stamp), "frame_id": frame.stream,
                "data": frame.picture.data, "format": frame.picture.format})
        for image in [frame.picture] * (frame.picture is not None and not isinstance(
                frame.picture, Encoded)) + frame.images:
            add(image.name, "RawImage", image_of(frame, image))
        for cloud in frame.clouds:
            add(cloud.name, "PointCloud", cloud_of(frame, cloud))
        if frame.objects is not None:
            add("annotations", "ImageAnnotations", annotations_of(frame))
            if any(o.pose for o in frame.objects) or "scene" in self.kinds:
                self.kinds.setdefault("scene", None)
                add("objects", "SceneUpdate", scene_of(frame))

    def camera(self, frame, add):
        add("calibration", "CameraCalibration", calibration_of(frame))
        if frame.camera.baseline:
            add("right/calibration", "CameraCalibration",
                calibration_of(frame, frame.camera.baseline))
        if frame.camera.pose:
            pose = pose_of(frame.camera.pose)
            add("pose", "PoseInFrame", {"timestamp": time_of(frame.stamp),
                                        "frame_id": "world", "pose": pose})
            self.add("/tf", "FrameTransforms", frame.stamp, {"transforms": [{
                "timestamp": time_of(frame.stamp), "parent_frame_id": "world",
                "child_frame_id": frame.stream, "translation": pose["position"],
                "rotation": pose["orientation"]}]})

    def path(self, stream, stamp, poses):
        """The camera's path; @poses are pairs of a time and a pose."""
        self.add(f"/{stream}/path", "PosesInFrame", stamp, {
            "timestamp": time_of(stamp), "frame_id": "world",
            "poses": [pose_of(pose) for _, pose in poses]})

    def mesh(self, stream, stamp, mesh):
        colours = numpy.column_stack([mesh.colours / 255., numpy.ones(len(mesh.colours))])
        self.add(f"/{stream}/mesh", "SceneUpdate", stamp, {"entities": [{
            "timestamp": time_of(stamp), "frame_id": "world", "id": "mesh",
            "triangles": [{
                "pose": pose_of((0, 0, 0, 1, 0, 0, 0)),
                "points": [dict(zip("xyz", p)) for p in mesh.vertices.tolist()],
                "colors": [dict(zip("rgba", c)) for c in colours.tolist()],
                "indices": mesh.triangles.ravel().tolist()}]}]})

    def close(self):
        self.file.close()
