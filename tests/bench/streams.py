#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a frame costs on the CPU where several streams of 640x480 run in one
process, beside processes that keep the machine busy.

    meson devenv -C build ../tests/bench/streams.py [--busy N] [--runs N]
        [--streams N,N...] [--properties TEXT] [ELEMENT...]

Prints, for each element and number of streams, the least of some runs: CPU time
a frame, user and system of all threads, without what the same pipelines cost
with identity in place of the element; frames a second of all streams; and the
most threads that the process had."""
import argparse
import os
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
    source, (format_, width, height), _, _ = CASES[name]
    path = Path(folder) / f"{name}.raw"
    subprocess.run(
        ["gst-launch-1.0", "-q", "visiontestsrc", *source.split(),
         f"num-buffers={CLIP}", "!",
         f"video/x-raw,format={format_},width={width},height={height}", "!",
         "filesink", f"location={path}"], check=True)
    return path


def line(name, clip, streams, element):
    """@streams pipelines that play the clip again and again."""
    _, (format_, width, height), times, _ = CASES[name]
    return (f"multifilesrc location={clip} loop=true num-buffers={times} ! "
            f"rawvideoparse format={format_.lower().replace('_', '-')} "
            f"width={width} height={height} framerate=30/1 ! {element} ! "
            f"fakesink sync=false ").split() * streams


def count_threads(pid):
    try:
        return len(os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return 0


def run(words):
    """CPU seconds, wall seconds and the most threads of one process."""
    begin = time.monotonic()
    child = subprocess.Popen(["gst-launch-1.0", "-q", *words])
    threads = 0
    while True:
        pid, status, used = os.wait4(child.pid, os.WNOHANG)
        if pid:
            break
        threads = max(threads, count_threads(child.pid))
        time.sleep(.02)
    child.returncode = status
    if status:
        sys.exit(f"this failed: gst-launch-1.0 {' '.join(words)}")
    return (used.ru_utime + used.ru_stime, time.monotonic() - begin, threads)


def least(runs, words):
    return [f(v) for f, v in zip((min, min, max), zip(*(
        run(words) for _ in range(runs))))]


def measure(name, clip, streams, runs, properties):
    frames = CASES[name][2] * CLIP * streams
    cpu, wall, threads = least(
        runs, line(name, clip, streams, f"{CASES[name][3]} {properties}"))
    idle, _, _ = least(runs, line(name, clip, streams, "identity"))
    print(f"{name},{streams},{(cpu - idle) / frames * 1e6:.0f},"
          f"{frames / wall:.0f},{threads}", flush=True)


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
    try:
        print("element,streams,CPU us a frame,frames/s,threads")
        with tempfile.TemporaryDirectory() as folder:
            for name in args.element or CASES:
                clip = record(folder, name)
                for streams in args.streams.split(","):
                    measure(name, clip, int(streams), args.runs,
                            args.properties)
    finally:
        for process in busy:
            process.kill()


if __name__ == "__main__":
    main()
