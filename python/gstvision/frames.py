# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a recording takes from a frame, apart from the form in which it is written:
the objects and the camera in pixels of the picture, maps as images and clouds."""
import dataclasses
import io
import typing

import numpy

import gstvision

# Raw video that robotics tools read as it is: their encoding, bytes a pixel.
RAW = {"RGB": ("rgb8", 3), "BGR": ("bgr8", 3), "RGBA": ("rgba8", 4),
       "BGRA": ("bgra8", 4), "GRAY8": ("mono8", 1), "GRAY16_LE": ("16UC1", 2)}
# Encodings of the raw numbers of maps, which the number of channels follows.
NUMBERS = {"u8": "8UC", "u16": "16UC", "u32": "32SC", "f32": "32FC"}
# The columns of maps that are lists or clouds of points.
CLOUDS = {"points": ["x", "y", "z", "sigma"],
          "matches": ["x", "y", "disparity", "sigma", "confidence"]}


@dataclasses.dataclass
class Encoded:
    """A picture as it came: the format is h264, h265, jpeg or png."""
    format: str
    data: bytes


@dataclasses.dataclass
class Image:
    """Rows without padding."""
    name: str
    encoding: str
    pixels: numpy.ndarray
    scale: float = 1  # of depth in integers: metres a unit
    labels: typing.Sequence[str] = ()


@dataclasses.dataclass
class Cloud:
    """Points, row by row, each of the numbers in @fields."""
    name: str
    fields: typing.List[str]
    points: numpy.ndarray  # height x width x fields, float32


@dataclasses.dataclass
class Frame:
    """@objects is None where nothing looked for any."""
    stream: str
    stamp: int  # nanoseconds
    picture: typing.Union[Encoded, Image, None] = None
    objects: typing.Optional[typing.List[gstvision.Object]] = None
    camera: typing.Optional[gstvision.Camera] = None
    images: typing.List[Image] = dataclasses.field(default_factory=list)
    clouds: typing.List[Cloud] = dataclasses.field(default_factory=list)

    def fx_baseline(self):
        """Focal length and baseline, 0 for what is not known."""
        camera = self.camera
        return (camera.fx, camera.baseline or 0) if camera else (0, 0)


@dataclasses.dataclass
class Mesh:
    """Triangles of one model or of several, in the world's coordinates."""
    vertices: numpy.ndarray   # n x 3, float32
    colours: numpy.ndarray    # n x 3, uint8
    triangles: numpy.ndarray  # m x 3, uint32
    file: bytes               # the same as PLY


def scaled(found, width, height, ref_width, ref_height):
    """An object in pixels of a picture of another size than the reference size."""
    if (width, height) == (ref_width, ref_height) or not ref_width or not ref_height:
        return found
    sx, sy = width / ref_width, height / ref_height
    values = {}
    for name, factor, shift in (
            ("x", sx, 0), ("width", sx, 0), ("vx", sx, 0), ("cx", sx, .5),
            ("y", sy, 0), ("height", sy, 0), ("vy", sy, 0), ("cy", sy, .5)):
        value = getattr(found, name)
        if value is not None:
            values[name] = (value + shift) * factor - shift
    for name in "outline", "trajectory":
        if points := getattr(found, name):
            values[name] = tuple((n + .5) * (sy if i % 2 else sx) - .5
                                 for i, n in enumerate(points))
    if found.history:  # boxes, times, and what was seen
        values["history"] = tuple(n * (sx, sy, sx, sy, 1, 1)[i % 6]
                                  for i, n in enumerate(found.history))
    if found.covariance and len(found.covariance) == 4:
        values["covariance"] = tuple(
            n * f for n, f in zip(found.covariance, (sx * sx, sx * sy, sx * sy, sy * sy)))
    return dataclasses.replace(found, **values)


def reference_of(buffer):
    """The size that the places of the objects refer to, or None without objects."""
    meta = buffer.get_custom_meta("VisionObjects")
    if not meta:
        return None
    structure = meta.get_structure()
    sizes = [structure[name] if structure.has_field(name) else 0
             for name in ("ref-width", "ref-height")]
    return sizes if all(isinstance(n, int) and n > 0 for n in sizes) else [0, 0]


def results_of(frame, buffer, size):
    """Puts into @frame what is known about @buffer, whose picture has this size.
    Yields a sentence for each map that cannot be read."""
    reference = reference_of(buffer)
    if reference:
        frame.objects = [scaled(o, *(size or reference), *reference)
                         for o in gstvision.objects(buffer)]
    frame.camera = gstvision.camera(buffer)
    names = {}
    for m in gstvision.maps(buffer):
        names[m.kind] = names.get(m.kind, 0) + 1
        name = safe_name(m.kind) + (f"_{names[m.kind]}" if names[m.kind] > 1 else "")
        try:
            with m.view() as numbers:
                if len(CLOUDS.get(m.kind, ())) == m.channels and m.format == "f32":
                    frame.clouds.append(Cloud(name, CLOUDS[m.kind], numbers.copy()))
                else:
                    frame.images.append(image_of(m, name, numbers))
        except BufferError as error:
            yield str(error)


def matrices_of(camera, baseline=0):
    """D, K, R and P of a camera, or of the right camera of a pair."""
    c = camera
    return {"D": c.distortion or (0,) * 5, "K": (c.fx, 0, c.cx, 0, c.fy, c.cy, 0, 0, 1),
            "R": (1, 0, 0, 0, 1, 0, 0, 0, 1),
            "P": (c.fx, 0, c.cx, -c.fx * baseline, 0, c.fy, c.cy, 0, 0, 0, 1, 0)}


def image_of(m, name, numbers):
    """The numbers of a map as robotics tools read them: integers where they are
    values, or depth; else values, and NaN for none."""
    channels = f"{m.channels}"
    depth = m.kind == "depth" and m.format == "u16" and m.offset == 0 and \
        m.channels == 1 and m.scale > 0
    if m.kind == "rendered" and m.format == "u8" and m.channels == 3:
        return Image(name, "rgb8", numbers.copy())
    if depth or m.format != "f32" and (m.scale, m.offset) == (1, 0):
        return Image(name, NUMBERS[m.format] + channels, numbers.copy(), m.scale, m.names)
    values = numbers.astype(numpy.float32) * numpy.float32(m.scale) + \
        numpy.float32(m.offset)
    if m.invalid is not None:
        values[numbers == numbers.dtype.type(m.invalid)] = numpy.nan
    return Image(name, "32FC" + channels, values, 1, m.names)


def picture_of(data, structure):
    """A raw frame of caps that tools read as they are, or None."""
    encoding, size = RAW.get(structure["format"], (None, 0))
    if not encoding:
        return None
    width, height = structure["width"], structure["height"]
    row = width * size
    stride = (row + 3) & ~3  # GStreamer's default
    if len(data) < stride * (height - 1) + row:
        raise BufferError("a frame has less memory than its caps say")
    rows = numpy.ndarray((height, row), numpy.uint8, data, strides=(stride, 1)).copy()
    if encoding == "16UC1":
        return Image("image", encoding, rows.view(numpy.uint16))
    return Image("image", encoding,
                 rows.reshape(height, width, size) if size > 1 else rows)


def mesh_of(path):
    """The mesh of a PLY file as kinfumot writes it, or None if it is empty."""
    vertex, counts = [], {"vertex": 0, "face": 0}
    with open(path, "rb") as opened:
        data = opened.read()
    file = io.BytesIO(data)
    for line in iter(file.readline, b""):
        words = line.decode("ascii", "replace").split()
        if words[:1] == ["element"] and words[1] in counts:
            counts[words[1]] = int(words[2])
        elif words[:1] == ["property"] and words[1] in ("float", "uchar"):
            vertex.append((words[2], "<f4" if words[1] == "float" else "u1"))
        elif words == ["end_header"]:
            break
    points = numpy.frombuffer(
        file.read(numpy.dtype(vertex).itemsize * counts["vertex"]), vertex)
    faces = numpy.frombuffer(file.read(), [("n", "u1"), ("at", "<u4", 3)])
    if len(points) != counts["vertex"] or len(faces) != counts["face"]:
        raise ValueError(f"{path} ends early, or is no mesh of triangles")
    if not len(faces):
        return None
    columns = [numpy.stack([points[n] for n in names], 1) for names in (
        "xyz", ["red", "green", "blue"] if "red" in points.dtype.names else "xyz")]
    grey = numpy.full((len(points), 3), 160, numpy.uint8)
    return Mesh(columns[0], columns[1] if columns[1].dtype == numpy.uint8 else grey,
                faces["at"], data)


def safe_name(text):
    """A part of a topic's name: letters, digits and underlines, no digit first."""
    name = "".join(c if c.isascii() and c.isalnum() else "_" for c in text)[:64]
    return name if name[:1].isalpha() else f"_{name}"
