# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results of vision elements on buffers: objects and cameras as dataclasses, maps as
NumPy arrays.

    for o in gstvision.objects(buffer):
        print(o.label, o.cx, o.cy)
    with gstvision.maps(buffer)[0].view() as numbers:
        print(numbers.mean())

@buffer is a Gst.Buffer.  Fields have the names, units and ranges of the
metadata (docs/metadata.md), with _ for -; one that is not known is None.  With
truth=True, each function reads what a generated scene knows.

A detector in Python writes: add_objects (), add_map () and add_camera () take a
buffer that is writable, such as a new one, or a copy of a sample's:

    buffer = gstvision.writable(sample.get_buffer())
    gstvision.add_objects(buffer, 640, 480, [gstvision.Object(label="cup", x=8, y=9,
                                                              width=30, height=40)])

They need the typelib of libgstvisionmeta (GstVisionMeta).

Metadata may come from any program.  As in C, a field of another type than documented
is not known; an object, map or camera that lacks what it needs is left out, with a
warning of Python (warnings) that says why.

A view of a map is the map's own memory, read-only, and valid inside of its
`with`.  That of a map on the GPU is a copy that the mapping downloads; cuda() hands
such a map to CuPy, PyTorch or Numba where it lies."""
import contextlib
import ctypes
import dataclasses
import functools
import math
import typing
import warnings

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

from gstvision.fields import Camera, Object  # noqa: E402

FORMATS = {"u8": "u1", "u16": "u2", "u32": "u4", "f32": "f4"}
LENGTHS = {"pose": (7,), "extent": (3,), "covariance": (4, 36), "distortion": (5,)}


@dataclasses.dataclass
class Map:
    """Numbers for each pixel: value = raw * scale + offset."""
    kind: str
    format: str
    channels: int
    width: int
    height: int
    stride: int
    memory: str = "system"
    element: typing.Optional[str] = None
    scale: float = 1
    offset: float = 0
    invalid: typing.Optional[float] = None
    names: typing.List[str] = dataclasses.field(default_factory=list)
    pixels: typing.Optional[Gst.Buffer] = None

    @contextlib.contextmanager
    def view(self):
        """The raw numbers, height x width (x channels), without a copy."""
        import numpy
        self._check()
        info = _MapInfo()
        if not _gst().gst_buffer_map(hash(self.pixels), ctypes.byref(info), 1):
            raise BufferError(f"the map {self.kind} cannot be read")
        try:
            yield self._array(numpy, info)
        finally:
            _gst().gst_buffer_unmap(hash(self.pixels), ctypes.byref(info))

    @contextlib.contextmanager
    def cuda(self):
        """The raw numbers on the GPU, without a copy: an object with
        __cuda_array_interface__, valid inside of the `with`, in which the CUDA
        context of the map is current.  It must not be written: others read the same
        memory.  It does not say so itself, because PyTorch refuses what is read-only."""
        if self.memory != "cuda":
            raise BufferError(f"the map {self.kind} lies in system memory: take view()")
        self._check()
        info = _MapInfo()
        memory = self.pixels.n_memory() == 1 and \
            _gst().gst_buffer_peek_memory(hash(self.pixels), 0)
        if not memory or not _cuda().gst_is_cuda_memory(memory):
            raise BufferError(f"the map {self.kind} is said to lie on a GPU, but lies in "
                              "system memory: take view()")
        context = ctypes.cast(memory + _MEMORY_BYTES,
                              ctypes.POINTER(ctypes.c_void_p))[0]
        if not _cuda().gst_cuda_context_push(context):
            raise BufferError("the CUDA context of the map cannot be used")
        try:
            if hasattr(_cuda(), "gst_cuda_memory_sync"):  # since 1.24: still written
                _cuda().gst_cuda_memory_sync(memory)
            if not _gst().gst_buffer_map(hash(self.pixels), ctypes.byref(info),
                                         1 | _MAP_CUDA):
                raise BufferError(f"the map {self.kind} cannot be read")
            try:
                yield _CudaArray(self._interface(info, read_only=False))
            finally:
                _gst().gst_buffer_unmap(hash(self.pixels), ctypes.byref(info))
        finally:
            _cuda().gst_cuda_context_pop(None)

    def fault(self):
        """Why the map cannot be read, or None: its fields come from any program."""
        if not self.kind:
            return "it has no kind"
        if self.format not in FORMATS:
            return f"its format, {self.format}, is none of {', '.join(FORMATS)}"
        sizes = self.channels, self.width, self.height
        if not all(isinstance(n, int) and 0 < n < 1 << 32 for n in sizes):
            return "its size or number of channels is missing or 0"
        row = self.width * self.channels * int(FORMATS[self.format][1:])
        if not isinstance(self.stride, int) or not row <= self.stride < 1 << 32:
            return "its rows overlap: the stride is missing or too small"
        if not isinstance(self.pixels, Gst.Buffer):
            return "it has no pixels"
        if self.memory != "cuda" and \
                self.pixels.get_size() < self.stride * (self.height - 1) + row:
            return "it has too few bytes"
        return None

    def _check(self):
        if fault := self.fault():
            raise BufferError(f"the map {self.kind} cannot be read: {fault}")

    def _interface(self, info, read_only=True):
        """What NumPy's array interface and CUDA's have in common."""
        size = int(FORMATS[self.format][1:])
        shape, strides = (self.height, self.width), (self.stride, self.channels * size)
        if self.channels > 1:
            shape, strides = (*shape, self.channels), (*strides, size)
        return {"shape": shape, "strides": strides, "version": 3,
                "typestr": ("|" if size == 1 else "<") + FORMATS[self.format],
                "data": (info.data, read_only)}

    def _array(self, numpy, info):
        kind = numpy.dtype(FORMATS[self.format])
        row = self.width * self.channels * kind.itemsize
        if info.size < self.stride * (self.height - 1) + row:
            raise BufferError(f"the map {self.kind} has too few bytes")
        memory = (ctypes.c_uint8 * info.size).from_address(info.data)
        array = numpy.ndarray(
            (self.height, self.width, self.channels), kind, memory,
            strides=(self.stride, self.channels * kind.itemsize, kind.itemsize))
        array.flags.writeable = False
        return array[:, :, 0] if self.channels == 1 else array


def objects(buffer, truth=False):
    """The objects of @buffer, in the order in which elements added them."""
    return [Object(**_fields(Object, item))
            for item in _items(buffer, "Objects", "objects", truth)]


def camera(buffer, truth=False):
    """The camera of @buffer, or None."""
    structure = _structure(buffer, "Camera", truth)
    if not structure:
        return None
    found = Camera(**_fields(Camera, structure))
    if not found.ref_width or not found.ref_height or None in (found.cx, found.cy) or \
            not all(f and f > 0 for f in (found.fx, found.fy)):
        _leave_out("the camera", "its size, focal lengths or principal point are missing "
                   "or wrong")
        return None
    return found


def maps(buffer, truth=False):
    """The maps of @buffer, the oldest first."""
    found = []
    for item in _items(buffer, "Maps", "maps", truth):
        values = _fields(Map, item)
        names = values.pop("names", None)
        made = Map(**dict(_NO_MAP, **values), names=names.split(";") if names else [])
        if fault := made.fault():
            _leave_out(f"a map {made.kind or ''}".rstrip(), fault)
        else:
            found.append(made)
    return found


def writable(buffer):
    """A copy of @buffer that metadata can be added to; both have the same pixels."""
    flags = Gst.BufferCopyFlags
    return buffer.copy_region(
        flags.FLAGS | flags.TIMESTAMPS | flags.META | flags.MEMORY, 0,
        buffer.get_size())


def add_objects(buffer, width, height, found, truth=False):
    """Appends to @buffer what was found in its frame of @width by @height pixels: the
    Objects @found, of which none say that nothing was found."""
    library, made = _library(), []
    for o in found:
        item = library.VisionObject.new()
        for name, value in _known(o):
            if name == "state":
                item.state = getattr(library.VisionState, value.upper())
            elif not isinstance(value, (tuple, list)):
                setattr(item, name, value)
            elif not item.set_array(name, value):
                raise ValueError(f"{name} of an object cannot be {value}")
        made.append(item)
    _check_writable(buffer)
    library.buffer_add_vision_objects(buffer, _origin(truth), width, height, made)


def add_map(buffer, kind, array, truth=False, **fields):
    """Appends a map of @kind to @buffer: @array is of NumPy's uint8, uint16, uint32 or
    float32, height x width (x channels).  @fields are element, scale, offset, invalid
    and names, as in Map."""
    import numpy
    formats = {numpy.dtype(f): name for name, f in FORMATS.items()}
    if array.dtype not in formats or array.ndim not in (2, 3) or not array.size:
        raise ValueError(f"an array of {array.dtype}, {array.shape} is no map")
    channels = array.shape[2] if array.ndim == 3 else 1
    library = _library()
    item = library.VisionMap.new(
        kind, formats[array.dtype], channels, array.shape[1], array.shape[0],
        Gst.Buffer.new_wrapped(numpy.ascontiguousarray(array).tobytes()))
    for name, value in fields.items():
        if name not in ("element", "scale", "offset", "invalid", "names"):
            raise TypeError(f"a map has no {name}")
        setattr(item, name, ";".join(value) if name == "names" else value)
    _check_writable(buffer)
    library.buffer_add_vision_map(buffer, _origin(truth), item)


def add_camera(buffer, seen_by, truth=False):
    """Sets the Camera @seen_by of @buffer."""
    library = _library()
    item = library.VisionCamera.new()
    c = seen_by
    if None in (c.fx, c.fy, c.cx, c.cy) or not c.ref_width or not c.ref_height:
        raise ValueError("a camera has a size, focal lengths and a principal point")
    numbers = (c.fx, c.fy, c.cx, c.cy, *(c.distortion or ()))
    item.set_intrinsics(",".join(repr(float(n)) for n in numbers))
    item.ref_width, item.ref_height = c.ref_width, c.ref_height
    if c.baseline is not None:
        item.baseline = c.baseline
    if c.pose is not None:
        item.set_pose(c.pose)
    _check_writable(buffer)
    library.buffer_set_vision_camera(buffer, _origin(truth), item)


@functools.lru_cache(maxsize=None)
def _library():
    gi.require_version("GstVisionMeta", "1.0")
    from gi.repository import GstVisionMeta
    return GstVisionMeta


def _origin(truth):
    origin = _library().VisionOrigin
    return origin.TRUTH if truth else origin.RESULT


def _known(made):
    """Names and values of the fields of @made that are known."""
    for field in dataclasses.fields(made):
        value = getattr(made, field.name)
        if value is not None:
            yield field.name, value


def _check_writable(buffer):
    if not _gst().gst_mini_object_is_writable(hash(buffer)):
        raise BufferError(
            "the buffer is not writable, since the pipeline holds it, too: add to "
            "gstvision.writable(buffer), and push that on")


_NO_MAP = {"kind": None, "format": None, "channels": 0, "width": 0, "height": 0,
           "stride": 0}


class _CudaArray:
    def __init__(self, interface):
        self.__cuda_array_interface__ = interface


class _MapInfo(ctypes.Structure):
    _fields_ = [("memory", ctypes.c_void_p), ("flags", ctypes.c_int),
                ("data", ctypes.c_void_p), ("size", ctypes.c_size_t),
                ("maxsize", ctypes.c_size_t),
                ("user_data", ctypes.c_void_p * 4),
                ("reserved", ctypes.c_void_p * 4)]


_MAP_CUDA = 1 << 17  # GST_MAP_CUDA
_MEMORY_BYTES = 112  # sizeof (GstMemory); a GstCudaMemory has its context behind it


@functools.lru_cache(maxsize=None)
def _cuda():
    library = ctypes.CDLL("libgstcuda-1.0.so.0")
    library.gst_is_cuda_memory.argtypes = [ctypes.c_void_p]
    library.gst_cuda_context_push.argtypes = [ctypes.c_void_p]
    library.gst_cuda_context_pop.argtypes = [ctypes.c_void_p]
    if hasattr(library, "gst_cuda_memory_sync"):
        library.gst_cuda_memory_sync.argtypes = [ctypes.c_void_p]
    return library


@functools.lru_cache(maxsize=None)
def _gst():
    """PyGObject copies the bytes of a mapped buffer; ctypes reaches them."""
    library = ctypes.CDLL("libgstreamer-1.0.so.0")
    for function in library.gst_buffer_map, library.gst_buffer_unmap:
        function.argtypes = [ctypes.c_void_p, ctypes.POINTER(_MapInfo)]
        function.restype = None
    library.gst_buffer_map.argtypes.append(ctypes.c_int)
    library.gst_buffer_map.restype = ctypes.c_int
    library.gst_mini_object_is_writable.argtypes = [ctypes.c_void_p]
    library.gst_buffer_peek_memory.argtypes = [ctypes.c_void_p, ctypes.c_uint]
    library.gst_buffer_peek_memory.restype = ctypes.c_void_p
    return library


def _structure(buffer, what, truth):
    meta = buffer.get_custom_meta(f"Vision{'Truth' if truth else ''}{what}")
    return meta and meta.get_structure()


def _leave_out(what, why):
    warnings.warn(f"{what} is left out: {why}", stacklevel=3)


def _items(buffer, what, name, truth):
    """The structures in the array @name."""
    structure = _structure(buffer, what, truth)
    if not structure:
        return
    if not structure.has_field(name):
        _leave_out(f"the meta {structure.get_name()}", f"it has no field {name}; before "
                   "GStreamer 1.24, Python gets a copy of a meta's structure, and what "
                   "is set there is lost: write by add_objects () or add_map ()")
        return
    if structure.get_field_type(name).name != "GstValueArray":
        _leave_out(f"the field {name}", "it is no array")
        return
    for item in structure[name]:
        if isinstance(item, Gst.Structure):
            yield item
        else:
            _leave_out(f"an item of {name}", "it is no structure")


def _numbers(structure, name):
    """An array of finite doubles, of a length that it can have."""
    numbers = tuple(structure[name])
    lengths = LENGTHS.get(name)
    if not all(isinstance(n, float) and math.isfinite(n) for n in numbers):
        return None
    right = len(numbers) in lengths if lengths else numbers and len(numbers) % 2 == 0
    return numbers if right else None


def _as_it_is(structure, name):
    return structure[name]


def _finite(structure, name):
    return structure[name] if math.isfinite(structure[name]) else None


# What a field of a dataclass may be in a structure, and what reads it.
_READERS = {
    int: {"guint": _as_it_is, "guint64": _as_it_is},
    float: {"gdouble": _finite},
    str: {"gchararray": _as_it_is},
    typing.Tuple[float, ...]: {"GstValueArray": _numbers},
    Gst.Buffer: {"GstBuffer": _as_it_is},
}


def _fields(kind, structure):
    """The fields of a @kind that @structure has, each of its own type."""
    values = {}
    for field in dataclasses.fields(kind):
        name = field.name.replace("_", "-")
        if not structure.has_field(name):
            continue
        wanted = (typing.get_args(field.type) or [field.type])[0]
        reader = _READERS[wanted].get(structure.get_field_type(name).name)
        value = reader and reader(structure, name)
        if value is not None:
            values[field.name] = value
    return values
