#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""gstvision's functions of arrays:

    known     answers worked out by hand; nothing of GStreamer is loaded
    equal     results are those of the elements, bit for bit
    refused   what is wrong ends as an exception that names it
    kept      memory lives as long as somebody has it, also with several threads
    parity    arrays of a GPU give what those of the CPU give

Run it as a test of Meson, which sets the environment."""
import ctypes
import gc
import itertools
import os
import resource
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

try:
    import numpy
except ImportError:
    print("SKIP: python3-numpy is missing")
    sys.exit(77)
import gstvision

BUILD = Path(os.environ["BUILD"])
try:
    gstvision.components
except ImportError as missing:
    print(f"SKIP: {missing}")
    sys.exit(77)
rng = numpy.random.default_rng(7)


def mask_of(*boxes, shape=(48, 64)):
    made = numpy.zeros(shape, "u1")
    for x, y, width, height in boxes:
        made[y:y + height, x:x + width] = 255
    return made


def known():
    two = mask_of((5, 10, 25, 10), (40, 30, 10, 12))
    found = gstvision.components(two, min_area=10)
    assert (found.n, found.left_out, len(found.objects)) == (2, 0, 2)
    first = found.objects[0]
    assert (first.x, first.y, first.width, first.height, first.area, first.cx, first.cy) == \
        (5, 10, 25, 10, 250, 17, 14.5), first
    labels = numpy.asarray(found.labels)
    assert sorted(set(labels.flat)) == [0, 1 + 10 * 64 + 5, 1 + 30 * 64 + 40]
    assert ((labels > 0) == (two > 0)).all()
    # the same pixels in other memory: bool, turned, every second pixel, DLPack
    wide = numpy.repeat(numpy.repeat(two, 2, 0), 2, 1)
    for other in two > 0, two.copy()[::-1][::-1], wide[::2, ::2], numpy.asfortranarray(two), \
            Tensor(two), memoryview(two):
        again = numpy.asarray(gstvision.components(other).labels)
        assert (again == labels).all(), other
    turned = gstvision.components(two[::-1], min_area=10).objects[0]
    assert (turned.x, turned.y) == (5, 28), turned
    step = numpy.full((20, 30), 1000, "u2")
    step[:, 10:] = 2000
    assert gstvision.components(None, step).n == 2
    assert gstvision.components(mask_of((0, 0, 30, 5), shape=(20, 30)), step).n == 2
    red = numpy.zeros((90, 100, 3), "u1")
    red[20:40, 30:60] = 199, 13, 13
    for text in "red:#c70d0d~22", "red:roi=35,25,10,10", "red:roi=45,30+roi=40,25":
        o, = gstvision.colours(red, text)
        assert (o.label, o.x, o.y, o.width, o.height, o.area) == \
            ("red", 30, 20, 30, 20, 600), o
    left = rng.integers(0, 255, (120, 160), dtype="u1")
    left = left // 2 + numpy.roll(left, 1, 1) // 2
    seen = gstvision.stereo(left, numpy.roll(left, -6, 1), min_disparity=0,
                            max_disparity=16, camera=(100, 100, 80, 60, 80, .1))
    assert abs(numpy.median(seen.disparity) - 6) < .05
    assert abs(numpy.median(seen.depth) - 100 * .1 / 6) < .02
    dark = numpy.zeros((20, 20), "u1")  # all mass in the first bin of 11, 10 from the last
    far = gstvision.emd_map(dark, [0] * 10 + [1])
    assert numpy.allclose(numpy.asarray(far) * far.scale, 10)
    assert not numpy.asarray(gstvision.emd_map(dark, [1] + [0] * 10)).any()
    if hasattr(gstvision, "fuse"):
        wall = numpy.full((60, 80), 1500, "u2")
        fused = gstvision.fuse([wall] * 3, (70, 70, 40, 30), max_memory=64, voxel_size=.01)
        assert abs(numpy.asarray(fused.vertices)[:, 2] - 1.5).max() < .003
        assert numpy.asarray(fused.triangles).max() < fused.vertices.shape[0]
        assert len(fused.poses) == 3 and abs(fused.poses[2][3]) > .9999
    assert "min_area: 0 to" in gstvision.components.__doc__
    assert not {"gi", "gstvision.buffers"} & sys.modules.keys(), "GStreamer was loaded"


class Tensor:
    """An array by DLPack alone, as PyTorch has it on the CPU."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **how):
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


# ---- The elements ----

def through(line, *inputs, n=1):
    """The last buffer of @line, whose appsrc in0, in1... get @inputs, each a format and
    arrays."""
    from gi.repository import Gst
    pipeline = Gst.parse_launch(f"{line} ! appsink name=out sync=false")
    for i, (form, frames) in enumerate(inputs):
        source = pipeline.get_by_name(f"in{i}")
        height, width = frames[0].shape[:2]
        source.set_property("format", Gst.Format.TIME)
        source.set_property("caps", Gst.Caps.from_string(
            f"video/x-raw,format={form},width={width},height={height},framerate=30/1"))
    pipeline.set_state(Gst.State.PLAYING)
    for i, (_, frames) in enumerate(inputs):
        for k, frame in enumerate(frames):
            buffer = Gst.Buffer.new_wrapped(numpy.ascontiguousarray(frame).tobytes())
            buffer.pts, buffer.duration = k * Gst.SECOND // 30, Gst.SECOND // 30
            pipeline.get_by_name(f"in{i}").emit("push-buffer", buffer)
        pipeline.get_by_name(f"in{i}").emit("end-of-stream")
    out = pipeline.get_by_name("out")
    buffers = [out.emit("pull-sample").get_buffer() for _ in range(n)]
    pipeline.get_bus().timed_pop_filtered(20 * Gst.SECOND, Gst.MessageType.EOS)
    pipeline.set_state(Gst.State.NULL)
    return buffers


def same_objects(ours, buffer):
    theirs = gstvision.objects(buffer)
    for o in theirs:
        o.id, o.source = 0, None
    assert theirs and ours == theirs, f"{ours}\nare not\n{theirs}"


def same_map(ours, buffer, kind, at=0):
    theirs = [m for m in gstvision.maps(buffer) if m.kind == kind][at]
    with theirs.view() as numbers:
        assert (numpy.asarray(ours) == numbers).all(), kind
    assert ours.scale == theirs.scale, (kind, ours.scale, theirs.scale)
    if ours.invalid is not None:
        assert ours.invalid == theirs.invalid, (kind, ours.invalid, theirs.invalid)


def bumps(height, width):
    """Depth of a wall with boxes before it, and noise."""
    depth = rng.integers(1990, 2010, (height, width), dtype="u2")
    for x, y, z in (20, 30, 1500), (90, 20, 1200), (60, 80, 1700):
        depth[y:y + 30, x:x + 40] = z + rng.integers(0, 6, (30, 40), dtype="u2")
    depth[rng.random((height, width)) < .02] = 0
    return depth


def equal():
    try:
        import gi
        gi.require_version("Gst", "1.0")
        from gi.repository import Gst
    except (ImportError, ValueError) as missing:
        print(f"SKIP equal: {missing}")
        sys.exit(77)
    Gst.init(None)
    noise = ((rng.random((120, 160)) < .6) * 255).astype("u1")
    for words in "min-area=1", "min-area=5 connectivity=8 frames=1 min-size=20 min-fill=0":
        buffer, = through(f"appsrc name=in0 ! gpuccl {words}", ("GRAY8", [noise]))
        named = {k.replace("-", "_"): float(v) if "fill" in k else int(v)
                 for k, v in (w.split("=") for w in words.split())}
        found = gstvision.components(noise, **named)
        same_objects(found.objects, buffer)
        same_map(found.labels, buffer, "labels")
    depth = bumps(120, 160)
    buffer, = through("appsrc name=in0 ! gpuccl intrinsics=140,141,80,60 min-size=300",
                      ("GRAY16_LE", [depth]))
    found = gstvision.components(None, depth, camera=(140, 141, 80, 60), min_size=300)
    same_objects(found.objects, buffer)
    same_map(found.labels, buffer, "labels")

    picture = rng.integers(0, 60, (120, 160, 3), dtype="u1")
    picture[30:60, 50:90] = 199, 13, 13
    picture[80:100, 20:40] = 56, 100, 210
    for text in "red:#c70d0d~22;blue:#3864d2~20", "red:roi=55,35,20,20", "red:roi=60,40+roi=70,50":
        buffer, = through(f"appsrc name=in0 ! moct objects={text}", ("RGB", [picture]))
        same_objects(gstvision.colours(picture, text), buffer)

    left = rng.integers(0, 255, (120, 160), dtype="u1")
    left = left // 2 + numpy.roll(left, 1, 1) // 2
    right = numpy.roll(left, -5, 1)
    buffer, = through("pocstereo name=p max-disparity=16 min-disparity=0 appsrc name=in0 ! "
                      "p.sink_left appsrc name=in1 ! p.sink_right p.", ("GRAY8", [left]),
                      ("GRAY8", [right]))
    seen = gstvision.stereo(left, right, min_disparity=0, max_disparity=16)
    for kind in "disparity", "sigma", "confidence":
        same_map(getattr(seen, kind), buffer, kind)

    with tempfile.TemporaryDirectory() as folder:
        equal_files(Path(folder), left)


def equal_files(folder, grey):
    """Of elements that read or write files."""
    weights = [3, 1, 0, 4, 0, 2, 5, 0, 1, 1, 2]
    (folder / "target.txt").write_text(" ".join(map(str, weights)))
    buffer, = through("appsrc name=in0 ! emdtrack histogram=intensity emd-map=true "
                      f"targets=a:20,20,file={folder}/target.txt", ("GRAY8", [grey]))
    same_map(gstvision.emd_map(grey, weights), buffer, "emd")
    tree = BUILD / "tools/vision-model"
    if tree.exists():
        model = folder / "drill.model"
        subprocess.run([tree, "--quiet", "--solid", "drill", model], check=True)
        color, depth = clutter("color", "RGB"), clutter("depth", "GRAY16_LE")
        camera = gstvision.camera(depth[0], truth=True)
        lens = camera.fx, camera.fy, camera.cx, camera.cy
        color = pixels(color[0], "u1").reshape(480, 640, 3)
        depth = pixels(depth[0], "u2").reshape(480, 640)
        buffer, = through(
            f"scopedetect name=s queries=500 clusters=30 models={model} "
            f"intrinsics={','.join(map(repr, lens))} appsrc name=in0 ! s.sink_color "
            "appsrc name=in1 ! s.sink_depth s.", ("RGB", [color]), ("GRAY16_LE", [depth]))
        same_objects(gstvision.poses(color, depth, [model], lens, queries=500, clusters=30),
                     buffer)
    if hasattr(gstvision, "fuse"):
        frames = [bumps(120, 160) for _ in range(4)]
        buffers = through(
            "appsrc name=in0 ! kinfumot intrinsics=140,141,80,60 voxel-size=0.01 "
            f"max-memory=64 mesh-location={folder}/mesh.ply", ("GRAY16_LE", frames), n=4)
        fused = gstvision.fuse(frames, (140, 141, 80, 60), voxel_size=.01, max_memory=64)
        assert [gstvision.camera(b).pose for b in buffers] == fused.poses
        ply = (folder / "mesh.ply").read_bytes()
        points = numpy.asarray(fused.vertices)
        assert f"element vertex {len(points)}\n".encode() in ply
        row = numpy.dtype([("x", "<f4", 3), ("rest", "u1", vertex_bytes(ply) - 12)])
        data = ply.index(b"end_header\n") + 11
        theirs = numpy.frombuffer(ply, row, len(points), data)["x"]
        assert (theirs == points).all()


def vertex_bytes(ply):
    head = ply[:ply.index(b"element face")].decode()
    return 4 * head.count("property float") + head.count("property uchar")


def clutter(view, form):
    return through(f"visiontestsrc pattern=clutter seed=1003 num-buffers=1 view={view} ! "
                   f"video/x-raw,format={form},width=640,height=480")


def pixels(buffer, kind):
    return numpy.frombuffer(buffer.extract_dup(0, buffer.get_size()), kind)


# ---- Bad input ----

class Claim:
    """Says that it is an array of a GPU."""

    def __init__(self, **fields):
        self.__cuda_array_interface__ = dict(
            {"shape": (4, 4), "typestr": "|u1", "data": (4096, False), "version": 3},
            **fields)


class Liar:
    """Whose DLPack methods return what they must not."""

    def __init__(self, device, capsule=None):
        self.device, self.capsule = device, capsule

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **_):
        return self.capsule


def refused():
    m, d = mask_of((5, 5, 20, 20)), bumps(120, 160)
    rgb, lens = numpy.zeros((120, 160, 3), "u1"), (140, 140, 80, 60)
    g = gstvision
    cases = [
        (g.components, (), {}, TypeError, "needs a mask, depth, or both"),
        (g.components, (5,), {}, TypeError, "mask must be an array"),
        (g.components, ([[1, 0]],), {}, TypeError, "mask must be an array"),
        (g.components, (m.astype("f4"),), {}, TypeError, "48 x 64 numbers of float32"),
        (g.components, (m[:0],), {}, ValueError, "mask is empty"),
        (g.components, (m[:, :0],), {}, ValueError, "mask is empty"),
        (g.components, (m[0],), {}, TypeError, "64 numbers of uint8"),
        (g.components, (numpy.zeros((2,) * 5, "u1"),), {}, ValueError, "5 dimensions"),
        (g.components, (numpy.zeros((2, 2), "c8"),), {}, TypeError, "unknown type"),
        (g.components, (numpy.array([["a"]]),), {}, TypeError, "unknown type"),
        (g.components, (numpy.array([[None]]),), {}, (TypeError, ValueError), ""),
        (g.components, (numpy.broadcast_to(numpy.uint8(9), (1, 1 << 40)),), {}, ValueError,
         "mask is too large"),
        (g.components, (numpy.broadcast_to(numpy.uint8(9), (1, 40000)),), {}, ValueError,
         "1 to 16384"),
        (g.components, (None, d.astype(">u2")), {}, ValueError, "big-endian"),
        (g.components, (m, d), {}, ValueError, "depth has 120 rows of 160 pixels, but mask"),
        (g.components, (m,), {"min_area": -1}, ValueError, "min_area must be 0 to"),
        (g.components, (m,), {"min_area": 1 << 70}, ValueError, "min_area must be 0 to"),
        (g.components, (m,), {"frames": 1.5}, ValueError, "frames must be"),
        (g.components, (m,), {"min_fill": float("nan")}, ValueError, "min_fill must be"),
        (g.components, (m,), {"min_fill": "x"}, ValueError, "min_fill must be"),
        (g.components, (m,), {"connectivity": 6}, ValueError, "4 or 8, not 6"),
        (g.components, (m,), {"algorithm": "x"}, ValueError, "algorithm must be run"),
        (g.components, (m,), {"min-area": 3}, TypeError, "no parameter 'min-area'"),
        (g.components, (m,), {"mask": m}, TypeError, "two values for 'mask'"),
        (g.components, (m, d, 3), {}, TypeError, "2 arguments without a name"),
        (g.components, (m,), {"n_threads": -1}, ValueError, "n_threads must be"),
        (g.components, (m,), {"stream": "x"}, TypeError, "stream must be a stream"),
        (g.components, (m,), {"camera": (1, 2)}, ValueError, "4 finite numbers"),
        (g.components, (m,), {"camera": itertools.count()}, ValueError, "4 finite numbers"),
        (g.components, (Claim(),), {}, (RuntimeError, ValueError), "mask"),
        (g.components, (Claim(shape=4),), {}, TypeError, "lacks a field"),
        (g.components, (Claim(shape=("a", 4)),), {}, TypeError, ""),
        (g.components, (Claim(typestr="?"),), {}, TypeError, "unknown type"),
        (g.components, (Claim(shape=(4,) * 9),), {}, ValueError, "9 dimensions"),
        (g.components, (Liar((10, 0)),), {}, ValueError, "neither the CPU nor a GPU"),
        (g.components, (Liar(3),), {}, TypeError, ""),
        (g.components, (Liar((1, 0), 5),), {}, ValueError, ""),
        (g.components, (Liar((1, 0), m.__dlpack__()),), {}, None, ""),
        (g.colours, (rgb, "xx"), {}, ValueError, "a colon must follow"),
        (g.colours, (rgb, 5), {}, TypeError, "objects must be a text"),
        (g.colours, (m, "a:#ffffff~3"), {}, TypeError, "image must be a picture"),
        (g.colours, (rgb, "a:roi=meta"), {}, RuntimeError, "needs a buffer"),
        (g.colours, (rgb, "a:roi=900,900,9,9"), {}, RuntimeError, "outside the frame"),
        (g.colours, (rgb, None), {}, TypeError, "misses its argument 'objects'"),
        (g.stereo, (m, m[:20]), {}, ValueError, "right has 20 rows"),
        (g.stereo, (m[:5, :5], m[:5, :5]), {}, ValueError, "window is larger"),
        (g.stereo, (m, m), {"min_disparity": 5, "max_disparity": 3}, ValueError, "swap"),
        (g.stereo, (m, m), {"q": [0] * 16}, ValueError, "depth does not depend"),
        (g.emd_map, (m, [1]), {}, ValueError, "bins must be 2 to 16"),
        (g.emd_map, (m, [float("nan")] * 4), {}, ValueError, "finite"),
        (g.emd_map, (m, [0] * 4), {}, ValueError, "no mass"),
        (g.emd_map, (m, [1] * 4, "x"), {}, ValueError, "distance must be line"),
        (g.emd_map, (m, [1] * 4, [[1]]), {}, ValueError, "1 x 1 numbers"),
        (g.emd_map, (m, [1] * 4), {"bins": 5}, ValueError, "4 weights"),
        (g.emd_map, (m, [[1] * 4] * 9), {}, ValueError, "9 rows"),
        (g.emd_map, (m, 5), {}, ValueError, "target must be"),
        (g.emd_map, (numpy.broadcast_to(numpy.uint8(0), (16, 1 << 30, 2)), [1] * 16),
         {"histogram": "channels"}, TypeError, "2 to 16 channels"),
        (g.poses, (rgb, d, ["/none"], lens), {}, ValueError, "No such file"),
        (g.poses, (rgb, d, [__file__], lens), {}, ValueError, "no model file"),
        (g.poses, (rgb, d, "x", lens), {}, ValueError, "sequence of 1 to"),
        (g.poses, (rgb, d[:9], [__file__], lens), {}, ValueError, "depth has 9 rows"),
        (g.poses, (rgb, d, [__file__], (0, 0, 1, 1)), {}, ValueError, "fx and fy"),
    ]
    if hasattr(g, "fuse"):
        cases += [
            (g.fuse, ([], lens), {}, ValueError, "no frames"),
            (g.fuse, ([d, d[:9]], lens), {}, ValueError, "the first has"),
            (g.fuse, ([d], (0,) * 4), {}, ValueError, "focal lengths"),
            (g.fuse, ([d], lens), {"poses": []}, ValueError, "0 poses for 1"),
            (g.fuse, ([d], lens), {"poses": [(float("nan"),) * 7]}, ValueError, "a pose"),
            (g.fuse, ([d * 1.], lens), {}, TypeError, "float64"),
            (g.fuse, (5, lens), {}, TypeError, "depths must be an array"),
            (g.fuse, ([d], lens), {"truncation": .003}, ValueError, "three times")]
    for function, args, named, kind, words in cases:
        try:
            function(*args, **named)
            told = None
        except Exception as raised:  # noqa: BLE001
            told = raised
        assert (told is None) if kind is None else isinstance(told, kind), \
            f"{function.__name__} {named}: {told!r}"
        assert words in str(told), f"{told!r} does not say {words!r}"
    print(f"{len(cases)} refused")


# ---- Memory ----

def kept():
    two = mask_of((5, 10, 25, 10), (40, 30, 10, 12))
    found = gstvision.components(two)
    labels, tensor = numpy.asarray(found.labels), numpy.from_dlpack(found.labels)
    before = labels.copy()
    unused = found.labels.__dlpack__()
    del found, unused
    gc.collect()
    for _ in range(5):
        gstvision.components(255 - two)  # would take freed memory
    assert (labels == before).all() and (tensor == before).all()
    assert labels.ctypes.data == tensor.ctypes.data, "it is a copy"

    bytes_ = bytearray(two.tobytes())
    view = memoryview(bytes_).cast("B", two.shape)
    users = sys.getrefcount(view)
    gstvision.components(view)
    for wrong in ({"connectivity": 3}, {"depth": two}):
        try:
            gstvision.components(view, **wrong)
        except (ValueError, TypeError):
            pass
    assert sys.getrefcount(view) == users
    view.release()
    bytes_.append(0)  # BufferError if somebody held it

    sizes = [(60 + 4 * i, 80 + 4 * i) for i in range(12)]
    masks = [((rng.random(s) < .6) * 255).astype("u1") for s in sizes]
    right = [numpy.asarray(gstvision.components(m).labels) for m in masks]
    wrong = []

    def work(step):
        for i in range(60):
            k = i * step % len(masks)
            if (numpy.asarray(gstvision.components(masks[k], n_threads=1).labels) !=
                    right[k]).any():
                wrong.append(k)
    threads = [threading.Thread(target=work, args=(step,)) for step in (1, 5, 7, 11)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong, wrong

    ctypes.CDLL(None).malloc_trim(0)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    large = mask_of((9, 9, 400, 400), shape=(500, 500))
    for _ in range(100):  # 100 MB of labels
        gstvision.components(large).objects  # noqa: B018
        try:
            gstvision.components(large, camera=3)
        except ValueError:
            pass
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - used
    assert grown < 30000, f"{grown} KiB more"


# ---- The GPU ----

class There:
    """A copy of an array on the GPU, as CuPy hands it on."""

    def __init__(self, driver, array):
        self.driver, self.address = driver, ctypes.c_uint64()
        array = numpy.ascontiguousarray(array)
        must(driver.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(array.nbytes)))
        must(driver.cuMemcpyHtoD_v2(self.address, array.ctypes.data_as(ctypes.c_void_p),
                                    ctypes.c_size_t(array.nbytes)))
        self.__cuda_array_interface__ = {
            "shape": array.shape, "typestr": array.dtype.str, "version": 3, "stream": 1,
            "data": (self.address.value, False)}

    def __del__(self):
        self.driver.cuMemFree_v2(self.address)


def must(error):
    assert error == 0, f"error {error} of CUDA's driver"


def primary_context():
    """CUDA's driver, with the context current that CuPy and PyTorch use; None without."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    device, context = ctypes.c_int(), ctypes.c_void_p()
    if driver.cuInit(0) or driver.cuDeviceGet(ctypes.byref(device), 0):
        return None
    must(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
    must(driver.cuCtxSetCurrent(context))
    return driver


def parity():
    driver = primary_context()
    try:
        gstvision.components(There(driver, mask_of((5, 5, 9, 9))) if driver else Claim())
    except RuntimeError as missing:
        print(f"SKIP parity: {missing}")
        sys.exit(77)

    def back(array):
        fields = array.__cuda_array_interface__
        made = numpy.empty(fields["shape"], fields["typestr"])
        must(driver.cuMemcpyDtoH_v2(made.ctypes.data_as(ctypes.c_void_p),
                                    ctypes.c_uint64(fields["data"][0]),
                                    ctypes.c_size_t(made.nbytes)))
        assert array.__dlpack_device__() == (2, 0)
        try:
            memoryview(array)
            raise AssertionError("memory of the GPU was handed out as that of the host")
        except BufferError:
            pass
        return made

    def same(function, arrays, *args, **named):
        """The result on the GPU, twice, since the second call takes freed memory."""
        right = function(*arrays, *args, **named)
        for _ in range(2):
            found = function(*(There(driver, a) for a in arrays), *args, **named)
            for name in "labels", "disparity", "sigma", "confidence":
                if hasattr(right, name):
                    assert (back(getattr(found, name)) ==
                            numpy.asarray(getattr(right, name))).all(), name
        return found, right

    noise = ((rng.random((121, 163)) < .6) * 255).astype("u1")
    depth, grey = bumps(121, 163), rng.integers(0, 255, (121, 163), dtype="u1")
    for arrays in (noise,), (noise > 0,), (noise, depth):
        found, right = same(gstvision.components, arrays, min_area=1)
        assert found.objects == right.objects and found.n == right.n
    same(gstvision.stereo, (grey, numpy.roll(grey, -5, 1)), min_disparity=0,
         max_disparity=16)
    found, right = same(gstvision.emd_map, (grey,), range(1, 12))
    assert (back(found) == numpy.asarray(right)).all()
    found, right = same(gstvision.emd_map, (grey,), [range(1, 12), [1] * 11], "circle")
    assert (back(found) == numpy.asarray(right)).all()
    picture = rng.integers(0, 60, (121, 163, 3), dtype="u1")
    picture[30:60, 50:90] = 199, 13, 13
    found, right = same(gstvision.colours, (picture,), "red:#c70d0d~22")
    assert found == right and found
    if hasattr(gstvision, "fuse"):
        frames = [bumps(120, 160) for _ in range(4)]
        how = {"camera": (140, 141, 80, 60), "voxel_size": .01, "max_memory": 64}
        right = gstvision.fuse(frames, **how)
        for there in [There(driver, f) for f in frames], There(driver, numpy.stack(frames)):
            found = gstvision.fuse(there, **how)
            assert found.poses == right.poses
            assert sorted(map(tuple, numpy.asarray(found.vertices))) == \
                sorted(map(tuple, numpy.asarray(right.vertices)))
    for wrong, words in ((There(driver, noise), noise), "in system memory"), \
            ((noise, There(driver, depth)), "lies on a GPU"), ((Claim(),), "mask"):
        try:
            gstvision.components(*wrong)
            raise AssertionError(f"{words}: taken")
        except (ValueError, TypeError, RuntimeError) as told:
            assert words in str(told), told


if __name__ == "__main__":
    {f.__name__: f for f in (known, equal, refused, kept, parity)}[sys.argv[1]]()
    print(f"ok   {sys.argv[1]}")
