#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a frame of 640x480 costs on the CPU where several streams run in one
process, beside processes that keep the machine busy.

    meson devenv -C build ../tests/bench/busy.py [--busy N] [--runs N]
        [--streams N,N...] [--properties TEXT] [ELEMENT...]

Prints, for each element and number of streams, the least of some runs: CPU time
a frame, of all threads and without what the same pipelines cost with identity
in place of the element; frames a second of all streams; the most threads that
the process had, and how many of these are the pool's: the others are the
streams' own."""
import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CLIP = 24  # frames that are made before, and played again and again

# Source; format, width and height; how often each stream plays the clip; element.
CASES = {
    "moct": ("pattern=chromatic", ("NV12", 640, 480), 20,
             "moct objects=red:#c03030~25;green:#30a040~25;blue:#3050c0~25"),
    "gpuccl": ("pattern=rgbd speed=3 motion-start=0",
               ("GRAY16_LE", 640, 480), 20, "gpuccl"),
    "emdtrack": ("pattern=chromatic", ("NV12", 640, 480), 5,
                 "emdtrack emd-map=true targets=a:200,200,60,60"),
    "pocstereo": ("pattern=stereo view=side-by-side", ("GRAY8", 1280, 480), 2,
                  "pocstereo mode=points max-disparity=64 "
                  "packing=side-by-side"),
}


def record(folder, name):
    """The source of a stream."""
    pattern, (format_, width, height), times, _ = CASES[name]
    path = Path(folder) / f"{name}.raw"
    subprocess.run(
        ["gst-launch-1.0", "-q", "visiontestsrc", *pattern.split(),
         f"num-buffers={CLIP}", "!",
         f"video/x-raw,format={format_},width={width},height={height}", "!",
         "filesink", f"location={path}"], check=True)
    return (f"multifilesrc location={path} loop=true num-buffers={times} ! "
            f"rawvideoparse format={format_.lower().replace('_', '-')} "
            f"width={width} height={height} framerate=30/1")


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
    print("element,streams,CPU us a frame,frames/s,threads,of the pool")
    try:
        with tempfile.TemporaryDirectory() as folder:
            for name in args.element or CASES:
                source = record(folder, name)
                element = f"{CASES[name][3]} {args.properties}"
                for n in map(int, args.streams.split(",")):
                    cpu, rate, threads, pool = best(
                        args.runs, n, source, element)
                    idle, *_ = best(args.runs, n, source, "identity")
                    print(f"{name},{n},{cpu - idle:.0f},{rate:.0f},"
                          f"{threads},{pool}", flush=True)
    finally:
        for process in busy:
            process.kill()


if __name__ == "__main__":
    main()
