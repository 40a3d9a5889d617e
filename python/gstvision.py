# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results of vision elements for Python: objects and cameras as dataclasses, maps
as NumPy arrays.

    for o in gstvision.objects(buffer):
        print(o.label, o.cx, o.cy)
    with gstvision.maps(buffer)[0].view() as numbers:
        print(numbers.mean())

@buffer is a Gst.Buffer.  Fields have the names, units and ranges of the
metadata (docs/metadata.md), with _ for -; one that is not known is None.  With
truth=True, each function reads what a generated scene knows.

A view of a map is the map's own memory, read-only, and valid inside of its
`with`.  That of a map on the GPU is a copy that the mapping downloads; cuda() hands
such a map to CuPy, PyTorch or Numba where it lies."""
import contextlib
import ctypes
import dataclasses
import functools
import typing

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

FORMATS = {"u8": "u1", "u16": "u2", "u32": "u4", "f32": "f4"}
Numbers = typing.Optional[typing.Tuple[float, ...]]


@dataclasses.dataclass
class Object:
    """What one element says about a thing that it found."""
    element: typing.Optional[str] = None
    source: typing.Optional[str] = None
    id: int = 0
    label: typing.Optional[str] = None
    state: typing.Optional[str] = None
    reason: typing.Optional[str] = None
    x: typing.Optional[float] = None
    y: typing.Optional[float] = None
    width: typing.Optional[float] = None
    height: typing.Optional[float] = None
    cx: typing.Optional[float] = None
    cy: typing.Optional[float] = None
    area: typing.Optional[int] = None
    score: typing.Optional[float] = None
    distance: typing.Optional[float] = None
    ratio: typing.Optional[float] = None
    orientation: typing.Optional[float] = None
    elongation: typing.Optional[float] = None
    vx: typing.Optional[float] = None
    vy: typing.Optional[float] = None
    age: typing.Optional[float] = None
    depth: typing.Optional[float] = None
    pose: Numbers = None
    extent: Numbers = None
    covariance: Numbers = None
    outline: Numbers = None
    trajectory: Numbers = None


@dataclasses.dataclass
class Camera:
    """The camera that took the frame."""
    ref_width: int = 0
    ref_height: int = 0
    fx: typing.Optional[float] = None
    fy: typing.Optional[float] = None
    cx: typing.Optional[float] = None
    cy: typing.Optional[float] = None
    distortion: Numbers = None
    baseline: typing.Optional[float] = None
    pose: Numbers = None


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
        info = _MapInfo()
        memory = _gst().gst_buffer_peek_memory(hash(self.pixels), 0)
        if self.pixels.n_memory() != 1 or not _cuda().gst_is_cuda_memory(memory):
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
    return [_make(Object, item)
            for item in _items(buffer, "Objects", "objects", truth)]


def camera(buffer, truth=False):
    """The camera of @buffer, or None."""
    structure = _structure(buffer, "Camera", truth)
    return structure and _make(Camera, structure)


def maps(buffer, truth=False):
    """The maps of @buffer, the oldest first."""
    return [_make(Map, item) for item in _items(buffer, "Maps", "maps", truth)]


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
    library.gst_buffer_peek_memory.argtypes = [ctypes.c_void_p, ctypes.c_uint]
    library.gst_buffer_peek_memory.restype = ctypes.c_void_p
    return library


def _structure(buffer, what, truth):
    meta = buffer.get_custom_meta(f"Vision{'Truth' if truth else ''}{what}")
    return meta and meta.get_structure()


def _items(buffer, what, name, truth):
    structure = _structure(buffer, what, truth)
    if not structure or not structure.has_field(name):
        return []
    return structure[name]


def _value(value):
    return tuple(value) if isinstance(value, Gst.ValueArray) or \
        isinstance(value, list) else value


def _make(kind, structure):
    """A @kind of the fields of @structure that it has."""
    values = {}
    for field in dataclasses.fields(kind):
        name = field.name.replace("_", "-")
        if structure.has_field(name):
            values[field.name] = _value(structure[name])
    if kind is Map:
        values["names"] = values.get("names", "").split(";") \
            if values.get("names") else []
    return kind(**values)
