#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Types what a new user types: the commands of README.md, then the first twenty lines
of docs/guide.md, as they stand, on a screen of Xvfb.  They install packages and the tree
itself, so they run in a root that is thrown away: packaging/debian.sh does so.

The files that lines name are made before, PREFIX is /usr, and the camera c920 is a
generated scene.  What setup.sh names at its end is installed.  A window that stays open
is closed after some seconds; a line ends well if its status is 0 and it says nothing of
errors.  Lines that need another camera are skipped."""
import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
import live  # noqa: E402
import pipelines_inputs as screens  # noqa: E402
from commands import ROOT  # noqa: E402
from pipelines_scopedetect import write_box  # noqa: E402

FIRST = 20
PATIENCE = 3600  # seconds, for tests/run.sh
OPEN = 20        # seconds that a window stays open
CAMERA = re.compile(r"v4l2src|rtsp://|vision-live camera")
STAYS = re.compile(r"vision-live|camera:|color\.png")  # open until it is closed
FAULT = re.compile(r"CRITICAL|Traceback|ERROR|command not found|[1-9]\d* failed")


def lines_of(text):
    """The lines of a page for a shell, of each block of them."""
    for block in re.finditer(
            r"^```(\w*)\n(.*?)^```$|((?:^    [^\n]*\n|^\n(?=    ))+)", text, re.M | re.S):
        language, fenced, indented = block.groups()
        if language not in (None, "sh"):
            continue
        whole = re.sub(r"\\\n *", "", fenced or indented)
        yield [line.strip() for line in whole.splitlines()
               if line.strip() and not line.strip().startswith("#")]


def monitor(folder):
    """A gst-device-monitor-1.0 that knows one camera."""
    path = Path(folder) / "gst-device-monitor-1.0"
    path.write_text("#!/bin/sh\nprintf 'Device found:\\n\\n\\tname  : HD Webcam C920\\n"
                    "\\tclass : Video/Source\\n\\tgst-launch-1.0 visiontestsrc is-live=true"
                    " ! ...\\n'\n")
    path.chmod(0o755)


def make(line):
    subprocess.run([ROOT / "pipelines/launch.sh", "-q", *line.split()], check=True, cwd=ROOT)


def make_files():
    """What the lines of README.md name."""
    film = "videoconvert ! video/x-raw,format=I420 ! openh264enc bitrate=4000000 ! " \
        "h264parse ! mp4mux ! filesink location="
    make(f"visiontestsrc num-buffers=60 ! {film}clip.mp4")
    for view in "left", "right":
        make(f"visiontestsrc pattern=stereo view={view} num-buffers=3 ! "
             f"video/x-raw,width=320,height=240 ! {film}{view}.mp4")
    make("visiontestsrc pattern=rgbd num-buffers=10 ! videoconvert ! pngenc ! "
         "multifilesink location=depth-%06d.png")
    for view in "color", "depth":
        make(f"visiontestsrc pattern=clutter view={view} num-buffers=1 ! videoconvert ! "
             f"pngenc ! filesink location={view}.png")
    points = Path(ROOT, "points.xyz")
    write_box(points)
    at = [[float(n) / 1000 for n in line.split()] for line in points.read_text().splitlines()]
    Path(ROOT, "mug.ply").write_text(
        f"ply\nformat ascii 1.0\nelement vertex {len(at)}\nproperty float x\n"
        "property float y\nproperty float z\nend_header\n" +
        "".join(f"{x} {y} {z}\n" for x, y, z in at))


def close(line, process, env):
    """As a user does; False where it has ended by itself."""
    time.sleep(OPEN)
    if process.poll() is not None:
        return False
    if "vision-live" in line:
        live.press(env, "ctrl+q")
    else:
        os.killpg(process.pid, signal.SIGINT)
    return True


def typed(line, env, inside):
    """Runs a line, @inside the shell of meson devenv."""
    shell = ["meson", "devenv", "-C", "build"] if inside else []
    began, stayed = time.monotonic(), True
    with tempfile.TemporaryFile("w+") as said, subprocess.Popen(
            [*shell, "bash", "-c", line], env=env, cwd=ROOT, stdin=subprocess.DEVNULL,
            stdout=said, stderr=said, start_new_session=True) as process:
        try:
            if STAYS.search(line):
                assert screens.wait_until(
                    lambda: screens.windows_of(env) or process.poll() is not None, 200), line
                stayed = close(line, process, env)
            status = process.wait(PATIENCE)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        said.seek(0)
        text = said.read()
    good = stayed and status == 0 and not FAULT.search(text.replace(" 0 failed", ""))
    print(f"{'ok  ' if good else 'FAIL'} {line}  ({time.monotonic() - began:.0f} s)")
    if not good:
        print(text[-6000:], f"status {status}", sep="\n")
    return good


def play(lines, env, inside):
    """Lines one after the other; how many failed."""
    failed = 0
    for line in lines:
        if CAMERA.search(line):
            print(f"SKIP {line}")
        elif line.startswith("meson devenv -C build "):
            inside = True
        else:
            failed += not typed(line.replace("PREFIX", "/usr"), env, inside)
        sys.stdout.flush()
    return failed


def install_named():
    """The packages that setup.sh names at its end."""
    said = subprocess.run([ROOT / "setup.sh"], check=True, capture_output=True,
                          text=True).stdout
    names = " ".join(re.findall(r"apt-get install (.*)", said)).split()
    subprocess.run(["apt-get", "-q", "-y", "--no-install-recommends", "install", *names],
                   check=True, stdout=subprocess.DEVNULL)


def main():
    readme = (ROOT / "README.md").read_text()
    first, second = lines_of(readme)
    clips = re.findall(r"<br>`([^`]+)`", readme)
    guide = list(lines_of((ROOT / "docs/guide.md").read_text()))
    assert [line.split()[0] for line in first] == ["pipelines/demo.sh", "tests/run.sh"]
    assert len(clips) == 6 and len(second) == 1, (clips, second)
    with tempfile.TemporaryDirectory() as folder, screens.screen() as env:
        monitor(folder)
        env.pop("MASK")
        env |= {"PATH": f"{folder}:{env['PATH']}", "NO_AT_BRIDGE": "1"}
        failed = play(first[:1], env, False)
        install_named()
        make_files()
        failed += play(first[1:], env, False) + play(clips, env, False) + play(second, env, True)
        left = FIRST
        for block in guide:
            failed += play(block[:left], env, False)
            left -= len(block[:left])
    print(f"{failed} lines failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
