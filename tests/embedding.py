#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What an application gets:

    symbols     libgstvisionmeta exports what tests/symbols.txt lists, no less
                and no more; --write writes the list anew
    module      gstvision reads what is on buffers, without copies
    written     what gstvision writes is what it reads, and what elements take
    foreign     gstvision leaves out metadata that is wrong, with a warning
    gpu         the CUDA driver, CuPy and PyTorch take maps on the GPU where they lie
    examples    against an installation in an empty folder, Meson and CMake build
                the installed examples, which print what those of the tree do

Run it as a test of Meson, which sets the environment."""
import ctypes
import dataclasses
import functools
import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
import warnings
from pathlib import Path

sys.dont_write_bytecode = True
import exports  # noqa: E402
from commands import ROOT, run  # noqa: E402

BUILD = Path(os.environ["BUILD"])
LIST = ROOT / "tests/symbols.txt"


def symbols():
    names = sorted(exports.exported(BUILD / "gst/meta/libgstvisionmeta.so.0"))
    if sys.argv[1:] == ["--write"]:
        LIST.write_text("\n".join(names) + "\n")
    known = LIST.read_text().split()
    gone, more = sorted(set(known) - set(names)), sorted(set(names) - set(known))
    assert not gone, f"programs need what is gone: {gone}"
    assert not more, f"new symbols; add them with --write: {more}"
    print(f"ok   {len(names)} symbols")


def module():
    try:
        import numpy
    except ImportError:
        print("SKIP module: python3-numpy is missing")
        return
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
    import gstvision

    Gst.init(None)
    pipeline = Gst.parse_launch(
        "visiontestsrc pattern=stereo view=left num-buffers=1 ! visionmeta "
        "intrinsics=500,501,320,240 ! moct objects=wood:roi=100,100,40,40 "
        "label-map=true ! appsink name=sink")
    pipeline.set_state(Gst.State.PLAYING)
    buffer = pipeline.get_by_name("sink").emit("pull-sample").get_buffer()
    camera = gstvision.camera(buffer)
    assert (camera.ref_width, camera.fx, camera.fy) == (640, 500, 501), camera
    assert gstvision.camera(buffer, truth=True).baseline is not None
    found = gstvision.objects(buffer)
    assert found and found[0].label == "wood" and found[0].pose is None, found
    labels, = gstvision.maps(buffer)
    assert labels.names == ["wood"] and labels.kind == "labels", labels
    with labels.view() as numbers, labels.view() as again:
        assert numbers.shape == (480, 640) and not numbers.flags.writeable
        assert numbers.max() == 1 and numbers.sum() >= found[0].area
        assert numbers.ctypes.data == again.ctypes.data, "it is a copy"
        check_interface(labels, numbers)
    for said in labels.memory, "cuda":  # a foreign element may say anything
        try:
            with dataclasses.replace(labels, memory=said).cuda():
                raise AssertionError("a map in system memory is none of CUDA's")
        except BufferError as told:
            assert "view()" in str(told), told
    truth, = [m for m in gstvision.maps(buffer, truth=True)
              if m.kind == "disparity"]
    with truth.view() as numbers:
        assert numpy.nanmax(numbers) > 1
        check_interface(truth, numbers)
    truth.height *= 2
    try:
        with truth.view():
            raise AssertionError("rows beyond the memory were read")
    except BufferError:
        pass
    assert gstvision.objects(Gst.Buffer()) == [] and \
        gstvision.camera(Gst.Buffer()) is None
    pipeline.set_state(Gst.State.NULL)
    print("ok   gstvision")


def written():
    """Needs the typelib, which a build without introspection has not."""
    if not has_numpy() or not list((BUILD / "gst/meta").glob("*.typelib")):
        print("SKIP written: python3-numpy or the typelib is missing")
        return
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
    import gstvision
    import numpy
    Gst.init(None)
    buffer = Gst.Buffer.new_allocate(None, 64 * 48, None)
    cup = gstvision.Object(
        element="net", source="net0", id=4, label="cup", state="found", x=16., y=8.,
        width=20., height=30., cx=25.5, cy=22.5, area=600, score=.5, depth=2.,
        pose=(0., 0., 2., 1., 0., 0., 0.), extent=(.1, .2, .3), covariance=(1., 0., 0., 2.),
        outline=(1., 2., 3., 4., 5., 6.), trajectory=(7., 8.))
    gstvision.add_objects(buffer, 64, 48, [cup])
    gstvision.add_objects(buffer, 64, 48, [gstvision.Object(id=9)], truth=True)
    seen_by = gstvision.Camera(64, 48, 50., 51., 31.5, 23.5, (.1, .2, .3, .4, .5), .25,
                               (1., 2., 3., 1., 0., 0., 0.))
    gstvision.add_camera(buffer, seen_by)
    arrays = {"labels": numpy.arange(12, dtype="u2").reshape(3, 4),
              "heat": numpy.arange(24, dtype="f4").reshape(3, 4, 2)[:, ::-1]}
    for kind, array in arrays.items():
        gstvision.add_map(buffer, kind, array, element="net", invalid=7., names=["a", "b"])
    assert gstvision.objects(buffer) == [cup], gstvision.objects(buffer)
    assert gstvision.objects(buffer, truth=True) == [gstvision.Object(id=9)]
    assert gstvision.camera(buffer) == seen_by, gstvision.camera(buffer)
    for m in gstvision.maps(buffer):
        assert (m.element, m.invalid, m.names) == ("net", 7, ["a", "b"]), m
        with m.view() as numbers:
            assert (numbers == arrays[m.kind]).all(), m
    copy = gstvision.writable(buffer)
    gstvision.add_objects(copy, 64, 48, [])
    assert gstvision.objects(copy) == [cup]
    sample = Gst.Sample.new(buffer, None, None, None)
    for wrong, error in (
            (lambda: gstvision.add_objects(sample.get_buffer(), 64, 48, []), BufferError),
            (lambda: gstvision.add_objects(copy, 64, 48, [gstvision.Object(pose=(1., 2.))]),
             ValueError),
            (lambda: gstvision.add_map(copy, "heat", numpy.zeros((2, 2))), ValueError),
            (lambda: gstvision.add_camera(copy, gstvision.Camera(64, 48)), ValueError)):
        try:
            wrong()
            raise AssertionError(f"no {error.__name__}")
        except error:
            pass
    print("ok   what Python writes")


MAP = "kind=(string)depth, format=(string)f32, channels=(uint)1, width=(uint)4, " \
    "height=(uint)4, stride=(uint)16"
# Structures of a foreign program, and what gstvision warns of; "" where it takes them.
FOREIGN_MAPS = {
    f"maps=(structure)< [VisionMap, {MAP}] >": "it has no pixels",
    f"maps=(structure)< [VisionMap, {MAP}, pixels=(string)abc] >": "it has no pixels",
    f"maps=(structure)< [VisionMap, {MAP}, pixels=(int)4660] >": "it has no pixels",
    f"maps=(structure)< [VisionMap, {MAP}, pixels=(structure)[x]] >": "it has no pixels",
    "maps=(structure)< [VisionMap, kind=(string)depth] >": "its format, None, is none",
    f"maps=(structure)< [VisionMap, {MAP}, format=(string)f64] >": "its format, f64",
    f"maps=(structure)< [VisionMap, {MAP}, channels=(int)1] >": "its size or number",
    f"maps=(structure)< [VisionMap, {MAP}, width=(uint)0] >": "its size or number",
    f"maps=(structure)< [VisionMap, {MAP}, stride=(uint)8] >": "its rows overlap",
    f"maps=(structure)< [VisionMap, {MAP}, height=(uint)4294967295] >": "no pixels",
    "hand=(string)made": "it has no field maps",
    "maps=(string)abc": "the field maps is left out: it is no array",
    "maps=(int)<1,2,3>": "an item of maps is left out: it is no structure",
    "maps=(structure)[x]": "it is no array",
}
FOREIGN_OBJECTS = {
    "objects=(string)abc": "it is no array",
    "objects=(double)<1,2>": "it is no structure",
    "objects=(structure)<[VisionObject]>": "",
    "objects=(structure)<[VisionObject, id=(string)x, x=(int)4, label=(int)2, "
    "pose=(double)<1,2,3>, outline=(string)<a,b>, extent=(double)1]>": "",
}
FOREIGN_CAMERAS = {
    "fx=(double)1": "its size, focal lengths",
    "ref-width=(string)9, ref-height=(uint)4, fx=(double)1, fy=(double)1, cx=(double)0, "
    "cy=(double)0": "its size, focal lengths",
    "ref-width=(uint)9, ref-height=(uint)4, fx=(double)0, fy=(double)1, cx=(double)0, "
    "cy=(double)0": "its size, focal lengths",
}


@functools.lru_cache(maxsize=None)
def gst():
    """Functions that bindings give copies of structures for."""
    library = ctypes.CDLL("libgstreamer-1.0.so.0")
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    for name, result, *arguments in (
            ("gst_buffer_add_custom_meta", pointer, pointer, text),
            ("gst_custom_meta_get_structure", pointer, pointer),
            ("gst_structure_from_string", pointer, text, pointer),
            ("gst_structure_get_value", pointer, pointer, text),
            ("gst_structure_nth_field_name", text, pointer, ctypes.c_uint),
            ("gst_structure_n_fields", ctypes.c_int, pointer),
            ("gst_structure_set_value", None, pointer, text, pointer),
            ("gst_structure_free", None, pointer)):
        getattr(library, name).restype = result
        getattr(library, name).argtypes = arguments
    return library


def add_meta(buffer, name, fields):
    """Adds a meta of these fields to a buffer that nobody else has."""
    meta = gst().gst_custom_meta_get_structure(
        gst().gst_buffer_add_custom_meta(hash(buffer), name.encode()))
    fields = gst().gst_structure_from_string(f"X, {fields}".encode(), None)
    assert fields, f"{name}: {fields}"
    for i in range(gst().gst_structure_n_fields(fields)):
        field = gst().gst_structure_nth_field_name(fields, i)
        gst().gst_structure_set_value(
            meta, field, gst().gst_structure_get_value(fields, field))
    gst().gst_structure_free(fields)


def with_meta(name, fields):
    """A buffer with a meta of these fields."""
    from gi.repository import Gst
    buffer = Gst.Buffer.new_allocate(None, 64, None)
    add_meta(buffer, name, fields)
    return buffer


def foreign():
    """In a process of its own: a wrong address would end it."""
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
    import gstvision
    Gst.init(None)
    Gst.ElementFactory.make("visionjson")  # makes the metas known
    for name, read, cases in (
            ("VisionMaps", gstvision.maps, FOREIGN_MAPS),
            ("VisionObjects", gstvision.objects, FOREIGN_OBJECTS),
            ("VisionCamera", gstvision.camera, FOREIGN_CAMERAS)):
        for fields, words in cases.items():
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                found = read(with_meta(name, fields))
            assert bool(said) == bool(words), (fields, said, found)
            assert all(words in str(w.message) for w in said), (fields, words, said)
            assert bool(found) == (not words), (fields, found)
            assert words or found == [gstvision.Object()], found
    whole = gstvision.Map("depth", "f32", 1, 4, 4, 16, pixels=Gst.Buffer.new_allocate(
        None, 64, None))
    assert whole.fault() is None
    for wrong in ({"pixels": None}, {"pixels": "text"}, {"pixels": 4660},
                  {"format": "f64"}, {"stride": 8}, {"height": 5}, {"width": "4"}):
        for memory, way in ("system", "view"), ("cuda", "cuda"):
            if memory == "cuda" and wrong == {"height": 5}:
                continue  # its allocator alone knows its size
            try:
                with getattr(dataclasses.replace(whole, memory=memory, **wrong), way)():
                    raise AssertionError(f"{wrong} was read")
            except BufferError as told:
                assert "cannot be read: " in str(told), told
    print("ok   foreign metadata")


def foreign_apart():
    """Of a program that crashes, the signal is all that is left."""
    if not has_numpy():
        print("SKIP foreign: python3-numpy is missing")
        return
    done = subprocess.run([sys.executable, __file__, "foreign"], check=False)
    assert done.returncode == 0, f"foreign metadata: {done.returncode}"


def check_interface(m, numbers):
    """NumPy reads the same through the interface that CUDA's libraries are given,
    which has the same fields as its own."""
    import numpy
    where = types.SimpleNamespace(data=numbers.ctypes.data)
    like = types.SimpleNamespace(__array_interface__=m._interface(where))
    assert numpy.array_equal(numpy.asarray(like), numbers, equal_nan=m.format == "f32")


def copied(array):
    """What the CUDA driver itself copies from where the interface says."""
    import numpy
    told = array.__cuda_array_interface__
    n = told["shape"][0] * told["strides"][0] - told["strides"][0] + \
        told["shape"][1] * told["strides"][1]
    there = ctypes.create_string_buffer(n)
    assert ctypes.CDLL("libcuda.so.1").cuMemcpyDtoH_v2(
        there, ctypes.c_uint64(told["data"][0]), ctypes.c_size_t(n)) == 0
    return numpy.ndarray(told["shape"], told["typestr"], there, strides=told["strides"])


def gpu():
    """Needs a GPU and NumPy; CuPy and PyTorch, if they are installed."""
    try:
        import gi
    except ImportError:
        print("SKIP gpu: PyGObject is missing")
        return
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
    import gstvision
    Gst.init(None)
    pipeline = Gst.parse_launch(
        "visiontestsrc num-buffers=1 ! moct objects=red:#c70d0d~22 label-map=true ! "
        "appsink name=sink")
    pipeline.set_state(Gst.State.PLAYING)
    labels, = gstvision.maps(
        pipeline.get_by_name("sink").emit("pull-sample").get_buffer())
    takers = {"numpy": lambda module, o: copied(o),
              "cupy": lambda module, o: module.asnumpy(module.asarray(o)),
              "torch": lambda module, o: module.as_tensor(o, device="cuda").cpu().numpy()}
    for name, take in takers.items():
        try:
            module = importlib.import_module(name)
        except ImportError:
            module = None
        if labels.memory != "cuda" or not module:
            print(f"SKIP gpu: {name} or a GPU is missing")
            continue
        with labels.cuda() as there, labels.view() as here:
            assert (take(module, there) == here).all(), name
        print(f"ok   {name} reads a map on the GPU")
    pipeline.set_state(Gst.State.NULL)


def check_prefix(folder, prefix):
    """The plug-in loads without LD_LIBRARY_PATH, and the installed script sets what
    finds the rest."""
    script, = folder.rglob("gst-vision/environment.sh")
    plain = {"HOME": str(folder), "PATH": os.environ["PATH"], "MANPATH": "/man",
             "GST_REGISTRY": f"{folder}/registry of its own"}
    script.write_text(script.read_text().replace(prefix, f"{folder}{prefix}"))
    if prefix != "/usr":
        plugin, = folder.rglob("libgstvision.so")
        run(["gst-inspect-1.0", "moct"], env=dict(plain, GST_PLUGIN_PATH=str(
            plugin.parent)))
    said = run(["sh", "-euc", f"""
        . "{script}"
        gst-inspect-1.0 moct >/dev/null
        command -v vision-live
        pkg-config --variable=libdir gstreamer-vision-meta-1.0
        /usr/bin/python3 -c 'import gstvision; print (gstvision.__file__)'"""], env=plain)
    assert said.count(f"{folder}{prefix}/") == 3, said
    print("ok   an installation below another prefix")


def installed(folder):
    """Installs into @folder; where the examples are, and the environment that
    finds the rest."""
    run(["meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", folder])
    pc, = folder.rglob("gstreamer-vision-meta-1.0.pc")
    prefix = re.search(r"^prefix=(.*)$", pc.read_text(), re.M)[1]
    pc.write_text(pc.read_text().replace(
        f"prefix={prefix}", f"prefix={folder}{prefix}", 1))
    check_prefix(folder, prefix)
    plugin, = folder.rglob("libgstvision.so")
    module, = folder.rglob("gstvision/__init__.py")
    library, = folder.rglob("libgstvisionmeta.so.0")
    examples, = folder.rglob("examples")
    return examples, dict(
        os.environ, PKG_CONFIG_PATH=str(pc.parent), GST_PLUGIN_PATH=str(
            plugin.parent), LD_LIBRARY_PATH=str(library.parent),
        PYTHONPATH=str(module.parent.parent), GST_REGISTRY=f"{folder}/registry")


def examples():
    wanted = run([BUILD / "pipelines/apps/objects"])
    with tempfile.TemporaryDirectory() as folder:
        source, env = installed(Path(folder))
        ways = {"meson": [["meson", "setup", "build"],
                          ["ninja", "-C", "build"]],
                "cmake": [["cmake", "-B", "build"],
                          ["cmake", "--build", "build"]]}
        for way, commands in ways.items():
            if not shutil.which(way):
                print(f"SKIP examples with {way}: it is missing")
                continue
            shutil.rmtree(source / "build", ignore_errors=True)
            for command in commands:
                run(command, cwd=source, env=env)
            for name in "objects", "objects-cpp":
                got = run([source / "build" / name], env=env)
                assert got == wanted, f"{way}: {name} prints other lines: {got}"
            print(f"ok   examples with {way}")
        assert run([source / "objects.py"], env=env) == wanted
        lines = run([source / "maps.py"], env=env) if has_numpy() else "labels {"
        assert "labels {" in lines, lines
        print("ok   examples in Python")


def has_numpy():
    return subprocess.run([sys.executable, "-c", "import numpy"], check=False,
                          stderr=subprocess.DEVNULL).returncode == 0


if __name__ == "__main__":
    if sys.argv[1:] == ["foreign"]:
        foreign()
        sys.exit()
    symbols()
    module()
    written()
    foreign_apart()
    gpu()
    examples()
