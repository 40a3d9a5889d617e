#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every program in docs/*.md, in Python and in C.  Those in Python that
want introspection are skipped where the library was built without.

Run it as a test of Meson, which sets the environment."""
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from pipelines import ROOT, run  # noqa: E402

LIBRARY = Path(os.environ["BUILD"]) / "gst/meta"


def programs(language):
    """Every program in a document, with the document's name."""
    for path in sorted(ROOT.glob("docs/*.md")):
        for text in re.findall(rf"^```{language}\n(.*?)^```", path.read_text(),
                               re.M | re.S):
            yield path.name, text


def has_arrays():
    modules = (LIBRARY.parents[1] / "python").rglob("_arrays*.so")
    return any(modules) and subprocess.run(["/usr/bin/python3", "-c", "import numpy"],
                                           check=False, capture_output=True).returncode == 0


def in_python():
    ran = 0
    for name, text in programs("python"):
        if "GstVisionMeta" in text and not list(LIBRARY.glob("*.typelib")):
            print(f"skip {name}: Python without introspection")
            continue
        on_arrays = name == "arrays.md"
        if on_arrays and ("gstvision.init" in text or not has_arrays()):
            print(f"skip {name}: for a wheel (tests/wheel.sh), or arrays are missing")
            continue
        out = run(["/usr/bin/python3", "-c", text])
        assert len(out.splitlines()) >= (1 if on_arrays else 3), f"{name} prints {out}"
        ran += 1
        print(f"ok   {name}: Python that prints {out.splitlines()[0]}")
    assert ran, "no program in Python was found"


def in_c():
    """With the headers where an installed library has them."""
    flags = run(["pkg-config", "--cflags", "--libs", "gstreamer-1.0",
                 "gstreamer-video-1.0"]).split()
    ran = 0
    with tempfile.TemporaryDirectory() as folder:
        Path(f"{folder}/gst").mkdir()
        Path(f"{folder}/gst/vision").symlink_to(ROOT / "gst/meta")
        for name, text in programs("c"):
            source = Path(folder) / "read.c"
            source.write_text(text)
            run([*shlex.split(os.environ.get("CC", "cc")), "-Wall", "-Werror", "-o",
                 f"{folder}/read", source, f"-I{folder}", f"-L{LIBRARY}",
                 "-lgstvisionmeta", *flags])
            out = run([f"{folder}/read"])
            assert len(out.splitlines()) >= 3, f"{name} prints {out}"
            ran += 1
            print(f"ok   {name}: C that prints {out.splitlines()[0]}")
    assert ran, "no program in C was found"


if __name__ == "__main__":
    in_python()
    in_c()
