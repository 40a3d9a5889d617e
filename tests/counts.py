#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts what makes cuda/, gst/ and tools/ hard to find one's way in, and fails
where a count is above its limit.  A limit is raised for a new
feature alone.

  names     percent of functions, static ones too, whose name another file has
  works     parameters that are a pointer to a const struct XWork
  circles   groups of source files that call each other's functions in a circle
  sleeps    calls of g_usleep () in gst/
  lines     of cuda/ and gst/
  files     of cuda/ and gst/

--list shows the names and circles.  Functions are found by universal-ctags;
without it the test is skipped."""
import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from commands import ROOT

FOLDERS = ["cuda", "gst", "tools"]
C = {".c", ".h", ".cu", ".cuh"}
LIMITS = {"names": 2, "works": 320, "circles": 2, "sleeps": 0, "lines": 104258,
          "files": 501}


def functions():
    """The definitions: name, file, whether it is static."""
    command = ["ctags", "-R", "--languages=C,C++,CUDA", "--output-format=json",
               "--fields=+Kf", "--kinds-C=f", "--kinds-C++=f", "--kinds-CUDA=f",
               "--sort=no", "-f", "-", *FOLDERS]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if said.returncode:
        sys.exit(f"ctags: {said.stderr}")
    for line in said.stdout.splitlines():
        tag = json.loads(line)
        if not tag["name"].startswith("__anon"):
            yield tag["name"], tag["path"], tag.get("file", False)


def shared_names(tags):
    """Name -> files, of the names that several files have."""
    files = defaultdict(set)
    for name, path, _ in tags:
        files[name].add(path)
    return {name: paths for name, paths in files.items() if len(paths) > 1}


def code_of(path):
    """The text of a file without comments and strings."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"', " ",
                  (ROOT / path).read_text(), flags=re.S)


def calls(tags, code):
    """Source file -> the source files whose functions it names.  What several
    files define is a choice of the build and makes no circle."""
    several = shared_names(tags)
    home = {name: path for name, path, static in tags
            if not static and name not in several and
            Path(path).suffix in {".c", ".cu"}}
    return {path: {home[word] for word in set(re.findall(r"\w+", text))
                   if home.get(word, path) != path}
            for path, text in code.items()}


def circles(edges):
    """The strongly connected components of more than one file (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(path):
        index[path] = low[path] = len(index)
        stack.append(path)
        for other in edges.get(path, ()):
            if other not in index:
                visit(other)
            if other in stack:
                low[path] = min(low[path], low[other])
        if low[path] == index[path]:
            at = stack.index(path)
            group = stack[at:]
            del stack[at:]
            if len(group) > 1:
                found.append(sorted(group))

    for path in sorted(edges):
        if path not in index:
            visit(path)
    return sorted(found)


def has_universal_ctags():
    try:
        said = subprocess.run(["ctags", "--version"], capture_output=True, text=True)
    except FileNotFoundError:
        return False
    return "Universal Ctags" in said.stdout


def main():
    if not has_universal_ctags():
        print("universal-ctags is not installed")
        sys.exit(77)
    tags = sorted(set(functions()))
    code = {str(path.relative_to(ROOT)): code_of(path.relative_to(ROOT))
            for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*"))
            if path.suffix in C}
    shared, rounds = shared_names(tags), circles(calls(tags, code))
    if "--list" in sys.argv:
        for name, paths in sorted(shared.items(), key=lambda s: (-len(s[1]), s)):
            print(name, *sorted(paths))
        for group in rounds:
            print("circle:", *group)
    large = [path for folder in ("cuda", "gst")
             for path in (ROOT / folder).rglob("*.*") if path.is_file()]
    counts = {
        "names": round(100 * sum(map(len, shared.values())) / len(tags), 1),
        "works": sum(len(re.findall(r"const \w+Work &?\*?\w+[,)]", text))
                     for text in code.values()),
        "circles": len(rounds),
        "sleeps": sum(text.count("g_usleep (") for path, text in code.items()
                      if path.startswith("gst")),
        "lines": sum(path.read_text().count("\n") for path in large),
        "files": len(large),
    }
    for name, count in counts.items():
        print(f"{name:8} {count:7}  limit {LIMITS[name]:7}"
              f"{'  ABOVE' if count > LIMITS[name] else ''}")
    sys.exit(any(count > LIMITS[name] for name, count in counts.items()))


if __name__ == "__main__":
    main()
