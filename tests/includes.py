#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The layers: who may include whom, and never in a circle; how long a function
may be; and that an error of memory says how much was asked for.

Prints each line that breaks a rule; fails if there is one."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
C = {".c", ".h", ".cu", ".cuh"}
MOST_BODY = 80  # lines of a function

# Folder under gst/ -> the algorithm's folder under cuda/ where the two differ.
ALGORITHM = {"testsrc": "scene", "visionmap": "overlay"}

# Folders of an algorithm that its main path does not include: slower variants.
VARIANTS = ["paper", "thesis"]

LIBC = r"(assert|ctype|dlfcn|errno|fcntl|float|inttypes|limits|locale|math|poll|" \
    r"pthread|sched|signal|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|" \
    r"sys/stat|time|unistd)\.h"
CUDA = r"cuda\w*\.h|cub/.*|cufft\w*\.h|mma\.h|cooperative_groups.*|nv.*"
FFT = r"kiss_fftr?\.h"
GST = r"(gst|glib|gobject|gmodule|gio)(-[\w.]+)?(/.*|\.h)"


def allowed_quoted(path):
    """A pattern of the "includes" that the file at @path may have."""
    folder, name = path.parts[0], path.parts[1]
    if folder == "cuda" and name == "mesh":  # knows no algorithm
        return r"mesh/.*|common/.*"
    if folder == "cuda":
        variants = "" if path.parts[2] in VARIANTS else \
            rf"(?!{name}/(?:{'|'.join(VARIANTS)})/)"
        # its own, also what meson makes, what is common, meshes, and the public header
        # of another algorithm
        return (rf"{variants}(?:{name}(?:/.*|_fit\.h)|common/.*|"
                rf"mesh/marching_cubes\.h|(\w+)/\1\.h)")
    if folder == "gst" and name == "meta":
        return r"(meta/)?gstvision\w*\.h"
    if folder == "gst" and name == "base":
        return r"base/.*|common/.*|mesh/mesh\.h|meta/gstvisionmeta\.h"
    if folder == "gst" and len(path.parts) == 2:  # plugin.c
        return r"\w+/gst\w+\.h"
    if folder == "gst":
        algorithm = ALGORITHM.get(name, name)
        return (rf"base/.*|meta/gstvisionmeta\.h|{name}/gst\w+\.h|"
                rf"common/\w+\.h|{algorithm}/(?!paper/)(\w+/)?(?!\w+_core)\w+\.h")
    if folder == "python":
        return (r"(arrays|dlpack)\.h|(\w+)/\2\.h|pocstereo/rig/(?!\w+_core)\w+\.h|"
                r"common/(device|image|parallel|param)\.h")
    if folder == "tools":
        # algorithms, scenes and meshes, by their contracts; files, numbers, errors,
        # threads
        return (r"(\w+)/\1\.h|scopedetect/explain/record\.h|common/(device|file|number|parallel|pose_core|random)\.h|scene/(?!\w+_core)\w+\.h|"
                r"\w+\.h")
    if folder == "tests":
        return r".*(?<!_core)\.h" if name == "gst" else r".*"
    return r"meta/gstvisionmeta\.h"  # applications: as if it were installed


def allowed_system(path):
    if path.parts[0] == "cuda":
        gpu = path.suffix in {".cu", ".cuh"}
        simd = r"|emmintrin\.h" if path.name == "vectors.h" else ""
        return rf"{LIBC}|{CUDA}|atomic" if gpu else rf"{LIBC}|{FFT}{simd}"
    return r".*"


def broken_includes(path, lines):
    quoted = re.compile(allowed_quoted(path))
    system = re.compile(allowed_system(path))
    for number, line in enumerate(lines, 1):
        m = re.match(r'\s*#\s*include\s*([<"])([^>"]*)[>"]', line)
        if not m:
            continue
        rule = quoted if m[1] == '"' else system
        if not rule.fullmatch(m[2]):
            yield f"{path}:{number}: this layer may not include {m[2]}"


def long_functions(path, lines):
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line == "}" and start:
            if number - start - 1 > MOST_BODY:
                yield f"{path}:{start}: a function of {number - start - 1} lines"
            start = None


def unsized_memory(path, lines):
    """The sentence of memory is that of OUT_OF_MEMORY (), which notes the bytes.
    device_alloc () notes them for the device of the CPU."""
    if path.parts[0] not in ("cuda", "gst") or path == Path("cuda/common/device.c"):
        return
    for number, line in enumerate(lines, 1):
        if re.search(r'(return|[=?:]) *"out of memory', line):
            yield f"{path}:{number}: an error of memory without the bytes"


def broken_rules(path):
    lines = (ROOT / path).read_text().splitlines()
    if not any("SPDX-License-Identifier: LGPL-2.1-or-later" in line
               for line in lines[:3]):
        yield f"{path}:1: no SPDX line"
    if path.suffix in C:
        yield from broken_includes(path, lines)
        yield from long_functions(path, lines)
        yield from unsized_memory(path, lines)


def sources():
    for folder in "cuda", "gst", "python", "tests", "tools", "pipelines":
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in C | {".py", ".sh"}:
                yield path.relative_to(ROOT)
    yield Path("setup.sh")


def included(path, among):
    """The files of @among that the file at @path includes."""
    for name in re.findall(r'^\s*#\s*include\s*"([^"]*)"', (ROOT / path).read_text(), re.M):
        places = path.parent / name, Path("cuda") / name, Path("gst") / name
        yield from [p for p in places if p in among][:1]


def circles(paths):
    """A line for each file of a circle; what includes none that is left, or is
    included by none, is in no circle."""
    left = {p: set(included(p, set(paths))) for p in paths if p.suffix in C}
    while ends := [p for p in left if not left[p] & left.keys()
                   or not any(p in includes for includes in left.values())]:
        for p in ends:
            del left[p]
    return [f"{p}:1: in a circle of includes, by "
            f"{', '.join(sorted(map(str, left[p] & left.keys())))}" for p in left]


def main():
    paths = list(sources())
    broken = [b for path in paths for b in broken_rules(path)] + circles(paths)
    print("\n".join(broken))
    print(f"{len(paths)} files, {len(broken)} rules broken")
    sys.exit(1 if broken or not paths else 0)


if __name__ == "__main__":
    main()
