#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a frame of 640x480 costs on the CPU where several streams run in one
process, beside processes that keep the machine busy.

    meson devenv -C build ../tests/bench/busy.py [--busy N] [--runs N]
        [--streams N,N...] [--properties TEXT] [ELEMENT...]

Prints, for each element and number of streams, the least of some runs: CPU time
a frame, of all threads and without what the same pipelines cost with identity
in place of the element; how much that is more than with the fewest streams; frames
a second of all streams; the most threads that the process had, and how many of these
are the pool's: the others are the streams' own.  A stream's first frame, in which
scopedetect searches, does not count.  On two cores, by taskset -c 0,1, all elements
take some three minutes."""
import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZE = "width=640,height=480"
CAMERA = "intrinsics=585,585,319.5,239.5"

# Format and size; the scene; how many frames are made before; how often each stream
# plays these, so that it takes a fraction of a second; the element.
CASES = {
    "moct": ("NV12", SIZE, "pattern=chromatic", 24, 10,
             "moct objects=red:#c03030~25;green:#30a040~25;blue:#3050c0~25"),
    "gpuccl": ("GRAY16_LE", SIZE, "pattern=rgbd speed=3 motion-start=0", 24, 1,
               "gpuccl"),
    "emdtrack": ("NV12", SIZE, "pattern=chromatic", 24, 1,
                 "emdtrack emd-map=true targets=a:200,200,60,60"),
    "pocstereo": ("GRAY8", "width=1280,height=480",
                  "pattern=stereo view=side-by-side", 8, 1,
                  "pocstereo mode=points max-disparity=64 packing=side-by-side"),
    "kinfumot": ("GRAY16_LE", SIZE, "pattern=rgbd", 3, 1, f"kinfumot {CAMERA}"),
    "scopedetect": ("RGB", SIZE, "pattern=clutter view=color", 3, 1,
                    "queue ! s.sink_color DEPTH ! queue ! s.sink_depth "
                    f"scopedetect name=s models=MODEL {CAMERA}"),
}
DEPTH = ("GRAY16_LE", SIZE, "pattern=clutter view=depth", 3, 1)


def record(path, format_, size, scene, frames, times):
    """A source that plays what is made here."""
    subprocess.run(
        ["gst-launch-1.0", "-q", "visiontestsrc", *scene.split(),
         f"num-buffers={frames}", "!", f"video/x-raw,format={format_},{size}", "!",
         "filesink", f"location={path}"], check=True)
    return (f"multifilesrc location={path} loop=true num-buffers={times} ! "
            f"rawvideoparse format={format_.lower().replace('_', '-')} "
            f"{size.replace(',', ' ')} framerate=30/1")


def prepare(folder, name):
    """The source of a stream; the element, and what costs the same without it."""
    *clip, element = CASES[name]
    source, idle = record(f"{folder}/{name}.raw", *clip), "identity"
    if "DEPTH" in element:
        depth, model = record(f"{folder}/depth.raw", *DEPTH), f"{folder}/mug.model"
        subprocess.run(["tools/vision-model", "--solid", "mug", model], check=True,
                       capture_output=True)
        element = element.replace("DEPTH", depth).replace("MODEL", model)
        idle = f"fakesink sync=false {depth} ! identity"
    return source, element, idle


def count_threads(pid):
    """All, and those of the pool."""
    names = []
    for path in Path(f"/proc/{pid}/task").glob("*/comm"):
        try:
            names.append(path.read_text())
        except OSError:  # it has ended
            pass
    return len(names), sum(n.startswith("vision-loops") for n in names)


def run(streams, source, element):
    """CPU time a frame, frames a second, the most threads, and of these the
    pool's."""
    threads = (0, 0)
    with subprocess.Popen(
            ["tests/bench/bench-streams", str(streams), source, element],
            stdout=subprocess.PIPE, text=True) as child:
        while child.poll() is None:
            threads = max(threads, count_threads(child.pid))
            time.sleep(.02)
        text = child.stdout.read()
    m = re.search(r"([\d.]+)/s +user +([\d.]+) +system +([\d.]+)", text)
    if not m:
        sys.exit(f"no figures of {streams} times {source} ! {element}")
    return float(m[2]) + float(m[3]), float(m[1]), *threads


def best(runs, *what):
    results = zip(*(run(*what) for _ in range(runs)))
    return [f(v) for f, v in zip((min, max, max, max), results)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--busy", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--streams", default="1,2,4,8")
    parser.add_argument("--properties", default="")
    parser.add_argument("element", nargs="*", choices=[*CASES, []])
    args = parser.parse_args()
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
            for _ in range(args.busy)]
    print("element,streams,CPU us a frame,% more,frames/s,threads,of the pool")
    try:
        with tempfile.TemporaryDirectory() as folder:
            for name in args.element or CASES:
                source, element, idle = prepare(folder, name)
                first = None
                for n in map(int, args.streams.split(",")):
                    cpu, rate, threads, pool = best(
                        args.runs, n, source, f"{element} {args.properties}")
                    cpu -= best(args.runs, n, source, idle)[0]
                    first = first or cpu
                    print(f"{name},{n},{cpu:.0f},{100 * cpu / first - 100:.0f},"
                          f"{rate:.0f},{threads},{pool}", flush=True)
    finally:
        for process in busy:
            process.kill()


if __name__ == "__main__":
    main()
