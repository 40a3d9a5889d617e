# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames as ROS 2's messages in an MCAP file, which rosbag2 plays.

rosbags has the definitions of the messages and makes their bytes: mcap-ros2-support
writes an array number by number, which takes 0.1 s for a JPEG of 1080p."""
import numpy

from .foxglove import fields_of, title_of
from .frames import Encoded, matrices_of
from .mcap_file import McapFile

PACKAGES = "mcap rosbags"
# The messages of vision_msgs 4 (ROS 2 Humble and later), which rosbags does not have.
VISION = {
    "Point2D": "float64 x\nfloat64 y",
    "Pose2D": "Point2D position\nfloat64 theta",
    "BoundingBox2D": "Pose2D center\nfloat64 size_x\nfloat64 size_y",
    "BoundingBox3D": "geometry_msgs/Pose center\ngeometry_msgs/Vector3 size",
    "ObjectHypothesis": "string class_id\nfloat64 score",
    "ObjectHypothesisWithPose":
        "ObjectHypothesis hypothesis\ngeometry_msgs/PoseWithCovariance pose",
    "Detection2D": "std_msgs/Header header\nObjectHypothesisWithPose[] results\n"
                   "BoundingBox2D bbox\nstring id",
    "Detection2DArray": "std_msgs/Header header\nDetection2D[] detections",
    "Detection3D": "std_msgs/Header header\nObjectHypothesisWithPose[] results\n"
                   "BoundingBox3D bbox\nstring id",
    "Detection3DArray": "std_msgs/Header header\nDetection3D[] detections",
}
GREEN = {"r": .2, "g": .9, "b": .3, "a": 1.}
LINE_STRIP, POLYGON, MESH = 1, 3, 10  # of visualization_msgs


def store_of_messages():
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore
    store = get_typestore(Stores.ROS2_HUMBLE)
    for name, text in VISION.items():
        store.register(get_types_from_msg(text, f"vision_msgs/msg/{name}"))
    return store


def pose_of(pose):
    tx, ty, tz, qw, qx, qy, qz = pose
    return {"position": {"x": tx, "y": ty, "z": tz},
            "orientation": {"x": qx, "y": qy, "z": qz, "w": qw}}


def result_of(found, pose, covariance):
    """A hypothesis: the label, or without one the element."""
    return {"hypothesis": {"class_id": found.label or found.element or "",
                           "score": found.score or 0},
            "pose": {"pose": pose, "covariance": covariance}}


def detection_2d(found, header):
    covariance = [0.] * 36
    if found.covariance and len(found.covariance) == 4:
        covariance[0:2], covariance[6:8] = found.covariance[:2], found.covariance[2:]
    box = {}
    if None not in (found.x, found.y, found.width, found.height):
        box = {"center": {"position": {"x": found.x + found.width / 2,
                                       "y": found.y + found.height / 2}},
               "size_x": found.width, "size_y": found.height}
    centre = {"x": found.cx or 0, "y": found.cy or 0}
    return {"header": header, "id": str(found.id), "bbox": box,
            "results": [result_of(found, {"position": centre}, covariance)]}


def detection_3d(found, header):
    covariance = found.covariance if len(found.covariance or ()) == 36 else [0.] * 36
    pose = pose_of(found.pose)
    return {"header": header, "id": str(found.id),
            "bbox": {"center": pose, "size": dict(zip("xyz", found.extent or ()))},
            "results": [result_of(found, pose, covariance)]}


def line_of(found, number, header, kind, numbers):
    return {"header": header, "ns": title_of(found), "id": number, "type": kind,
            "scale": 2, "outline_color": GREEN,
            "points": [{"x": x, "y": y} for x, y in zip(numbers[::2], numbers[1::2])]}


def camera_of(camera, header, baseline=0):
    """sensor_msgs/CameraInfo, or that of the right camera of a pair."""
    matrices = matrices_of(camera, baseline)
    return {"header": header, "width": camera.ref_width, "height": camera.ref_height,
            "distortion_model": "plumb_bob",
            **{name.lower(): numbers for name, numbers in matrices.items()}}


def image_of(image, header):
    height, width = image.pixels.shape[:2]
    return {"header": header, "width": width, "height": height,
            "encoding": image.encoding, "step": image.pixels[0].nbytes,
            "data": image.pixels.reshape(-1).view(numpy.uint8)}


def cloud_of(cloud, header):
    points = cloud.points.reshape(-1, cloud.points.shape[-2], len(cloud.fields))
    step = 4 * len(cloud.fields)
    return {"header": header, "height": points.shape[0], "width": points.shape[1],
            "fields": [{"name": name, "offset": 4 * i, "datatype": 7, "count": 1}
                       for i, name in enumerate(cloud.fields)],
            "point_step": step, "row_step": step * points.shape[1],
            "data": numpy.frombuffer(points.astype("<f4").tobytes(), numpy.uint8),
            "is_dense": bool(numpy.isfinite(points).all())}


class Writer:
    def __init__(self, path):
        self.store = store_of_messages()
        self.schemas, self.trails = {}, set()
        self.file = McapFile(path, "ros2")

    def message(self, name, fields):
        """A message of that type; what @fields leaves out is 0 or empty."""
        definition = self.store.get_msgdef(name)
        values = {field: self.value(kind, fields.get(field))
                  for field, kind in definition.fields}
        return definition.cls(**values)

    def value(self, kind, value):
        form, about = kind[0].name, kind[1]
        if form == "NAME":
            return self.message(about, value or {})
        if form == "BASE":
            return value if value is not None else "" if about[0] == "string" else 0
        item = about[0]  # an array or a sequence
        length = about[1] if form == "ARRAY" else 0
        if item[0].name == "NAME":
            return [self.message(item[1], v) for v in value or ()]
        if item[1][0] == "string":
            return list(value or ())
        return numpy.asarray(value if value is not None else [0] * length,
                             dtype=numpy.dtype(item[1][0].replace("octet", "uint8")))

    def add(self, topic, name, stamp, fields):
        name = name.replace("/", "/msg/")
        if name not in self.schemas:
            text = self.store.generate_msgdef(name, ros_version=2)[0]
            self.schemas[name] = name, "ros2msg", text.encode()
        data = self.store.serialize_cdr(self.message(name, fields), name)
        self.file.add(topic, self.schemas[name], "cdr", stamp, bytes(data))

    def header(self, frame_id, stamp):
        return {"stamp": {"sec": stamp // 10**9, "nanosec": stamp % 10**9},
                "frame_id": frame_id}

    def frame(self, frame):
        header = self.header(frame.stream, frame.stamp)

        def add(topic, name, fields):
            self.add(f"/{frame.stream}/{topic}", name, frame.stamp, fields)
        if frame.camera:
            self.camera(frame, header, add)
        if isinstance(frame.picture, Encoded):
            add("image/compressed", "sensor_msgs/CompressedImage", {
                "header": header, "format": frame.picture.format,
                "data": numpy.frombuffer(frame.picture.data, numpy.uint8)})
        elif frame.picture:
            add("image", "sensor_msgs/Image", image_of(frame.picture, header))
        for image in frame.images:
            self.image(frame, image, header, add)
        for cloud in frame.clouds:
            add(cloud.name, "sensor_msgs/PointCloud2", cloud_of(cloud, header))
        if frame.objects is not None:
            self.objects(frame, header, add)

    def image(self, frame, image, header, add):
        if image.name != "disparity":
            add(image.name, "sensor_msgs/Image", image_of(image, header))
            return
        height, width = image.pixels.shape[:2]
        focal, baseline = frame.fx_baseline()
        some = image.pixels[numpy.isfinite(image.pixels)]
        add("disparity", "stereo_msgs/DisparityImage", {
            "header": header, "image": image_of(image, header), "f": focal,
            "t": baseline, "valid_window": {"width": width, "height": height},
            "min_disparity": float(some.min()) if some.size else 0,
            "max_disparity": float(some.max()) if some.size else 0, "delta_d": 1 / 16})

    def objects(self, frame, header, add):
        add("detections", "vision_msgs/Detection2DArray", {
            "header": header, "detections": [detection_2d(o, header)
                                             for o in frame.objects]})
        if any(o.pose for o in frame.objects):
            add("detections_3d", "vision_msgs/Detection3DArray", {
                "header": header, "detections": [detection_3d(o, header)
                                                 for o in frame.objects if o.pose]})
        add("fields", "diagnostic_msgs/DiagnosticArray", {
            "header": header, "status": [{
                "name": title_of(o), "message": o.state or "",
                "hardware_id": o.source or "", "values": fields_of(o)}
                for o in frame.objects]})
        for topic, name, kind in (("trajectories", "trajectory", LINE_STRIP),
                                  ("outlines", "outline", POLYGON)):
            for i, o in enumerate(frame.objects):
                if numbers := getattr(o, name):
                    add(topic, "visualization_msgs/ImageMarker",
                        line_of(o, i, header, kind, numbers))

    def camera(self, frame, header, add):
        add("camera_info", "sensor_msgs/CameraInfo", camera_of(frame.camera, header))
        if frame.camera.baseline:
            add("right/camera_info", "sensor_msgs/CameraInfo",
                camera_of(frame.camera, header, frame.camera.baseline))
        if frame.camera.pose:
            world, pose = self.header("world", frame.stamp), pose_of(frame.camera.pose)
            add("pose", "geometry_msgs/PoseStamped", {"header": world, "pose": pose})
            self.add("/tf", "tf2_msgs/TFMessage", frame.stamp, {"transforms": [{
                "header": world, "child_frame_id": frame.stream,
                "transform": {"translation": pose["position"],
                              "rotation": pose["orientation"]}}]})

    def path(self, stream, stamp, poses):
        self.add(f"/{stream}/path", "nav_msgs/Path", stamp, {
            "header": self.header("world", stamp),
            "poses": [{"header": self.header("world", at), "pose": pose_of(pose)}
                      for at, pose in poses]})

    def mesh(self, stream, stamp, mesh):
        """A marker that holds the file: an array of triangles would be ten times as
        large, and each corner an object of its own."""
        self.add(f"/{stream}/mesh", "visualization_msgs/Marker", stamp, {
            "header": self.header("world", stamp), "ns": "mesh", "type": MESH,
            "pose": pose_of((0, 0, 0, 1, 0, 0, 0)), "scale": dict.fromkeys("xyz", 1),
            "color": dict.fromkeys("rgba", 1), "mesh_use_embedded_materials": True,
            "mesh_resource": "embedded://mesh.ply", "mesh_file": {
                "filename": "mesh.ply",
                "data": numpy.frombuffer(mesh.file, numpy.uint8)}})

    def close(self):
        self.file.close()
