# SPDX-License-Identifier: LGPL-2.1-or-later
"""The algorithms on arrays, and the results of elements on buffers.

Arrays of NumPy, CuPy, PyTorch and others, without GStreamer (docs/arrays.md):

    found = gstvision.components(mask)
    print(found.n, [(o.cx, o.cy, o.area) for o in found.objects])

Buffers of a pipeline (gstvision.buffers), which need PyGObject:

    for o in gstvision.objects(buffer):
        print(o.label, o.cx, o.cy)
    with gstvision.maps(buffer)[0].view() as numbers:
        print(numbers.mean())

Each part is loaded when it is asked for."""
import importlib
import pkgutil

# The extension module may lie in a build folder.
__path__ = pkgutil.extend_path(__path__, __name__)

_WHERE = {name: module for module, names in {
    "_arrays": "Array colours components emd_map fuse poses stereo",
    "fields": "Camera Object",
    "buffers": "FORMATS LENGTHS Map add_camera add_map add_objects camera maps objects "
               "writable",
    "plugin": "init",
}.items() for name in names.split()}


def __getattr__(name):
    if name not in _WHERE:
        raise AttributeError(f"gstvision has no {name}")
    try:
        module = importlib.import_module(f"{__name__}.{_WHERE[name]}")
    except ModuleNotFoundError as missing:
        if missing.name != f"{__name__}._arrays":
            raise
        raise ImportError("this gstvision was built without functions of arrays; build "
                          "it by pip, as docs/arrays.md tells") from missing
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_WHERE})
