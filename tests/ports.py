#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Machines and compilers other than the usual ones: a big-endian machine is refused
when the build is configured, a cross build runs its commands by exe_wrapper, and clang
makes the versions for AVX2 that gcc makes."""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from commands import ROOT, run  # noqa: E402

CROSS = """[binaries]
c = 'cc'
cpp = 'c++'
pkgconfig = 'pkg-config'
exe_wrapper = '{wrapper}'
[properties]
needs_exe_wrapper = true
[host_machine]
system = 'linux'
cpu_family = '{cpu}'
cpu = '{cpu}'
endian = '{endian}'
"""


def configured(folder, cpu, endian):
    """The outcome of a cross build's configuration in @folder."""
    wrapper = folder / "wrapper"
    wrapper.write_text('#!/bin/sh\nexec "$@"\n')
    wrapper.chmod(0o755)
    (folder / "cross").write_text(CROSS.format(wrapper=wrapper, cpu=cpu, endian=endian))
    return subprocess.run(
        ["meson", "setup", folder / "build", ROOT, "--cross-file", folder / "cross",
         "-Dcuda=disabled", "-Dintrospection=disabled", "-Dtests=disabled"],
        capture_output=True, text=True, check=False)


def big_endian(folder):
    done = configured(folder, "s390x", "big")
    assert done.returncode and "big-endian" in done.stdout, done.stdout[-2000:]
    print("ok   a big-endian machine is refused")


def wrapped(folder):
    """exe_wrapper starts each compiled command for its manual page."""
    done = configured(folder, "aarch64", "little")
    assert not done.returncode, done.stdout[-2000:]
    names = [path.stem for path in (folder / "build/tools").glob("*.p")]
    started = [path.read_bytes()
               for path in (folder / "build/meson-private").glob("meson_exe_*.dat")]
    for name in names:
        assert any(bytes(folder / "wrapper") in line and b"--help" in line and
                   bytes(folder / "build/tools" / name) in line
                   for line in started), (name, started)
    print(f"ok   exe_wrapper runs {len(names)} commands for their manual pages")


def clang(folder):
    if not shutil.which("clang"):
        print("SKIP clang is not there")
        return
    marked = 0
    for path in sorted((ROOT / "cuda").rglob("*.c")):
        names = re.findall(r"^VECTORS(?:_WHOLE)? static \w+\n(\w+) \(",
                           text := path.read_text(), re.M)
        assert len(names) == len(re.findall("^VECTORS", text, re.M)), path
        if names:
            run(["clang", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror",
                 f"-I{ROOT}/cuda", "-c", path, "-o", folder / "object"])
            symbols = run(["nm", folder / "object"])
            left = [name for name in names if f" {name}.avx2" not in symbols]
            assert not left, (path, left)
            marked += len(names)
    print(f"ok   clang makes {marked} functions for AVX2, too")


def main():
    for part in (big_endian, wrapped, clang):
        with tempfile.TemporaryDirectory() as folder:
            part(Path(folder))


if __name__ == "__main__":
    main()
