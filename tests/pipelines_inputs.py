#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What people hand to pipelines/*.sh, and what they get:

    formats     clips in common formats go through every script that takes one;
                two of them, or with VISION_TEST_LONG=1 all
    messages    a camera that is not there, a name, an address, an ordinary
                picture instead of two views, what cannot keep up
    recordings  --record and --json, also of what is ended by Ctrl-C
    windows     on a screen of 1280x800, the window fits, the box is where the
                truth is, a picture stays, and the mouse chooses; skipped where
                Xvfb is missing

Run it as a test of Meson, which sets the environment."""
import collections
import contextlib
import functools
import http.server
import json
import math
import os
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True
from commands import ROOT, make, run  # noqa: E402

LONG = os.environ.get("VISION_TEST_LONG") == "1"
BOX = "58,76,74,74"      # of the red object in the first frame
CENTRE = 86, 112         # where it is in the fourth
SLOW = "kinfumot.sh", "pocstereo.sh", "scopedetect.sh"  # some frames a second
RECENT = 120             # frames: what cannot keep up shows old ones

# Name: what writes the clip.  Of those that need an encoder which is not
# installed, the test says that they were left out.
FORMATS = {
    "UYVY": "video/x-raw,format=UYVY ! matroskamux",
    "H.265 4:4:4": "video/x-raw,format=Y444 ! x265enc ! h265parse ! matroskamux",
    "H.264 4:2:0": "video/x-raw,format=I420 ! openh264enc bitrate=4000000 ! "
                   "h264parse ! mp4mux",
    "H.265 10 bits": "video/x-raw,format=I420_10LE ! x265enc ! h265parse ! "
                     "matroskamux",
    "GRAY8": "video/x-raw,format=GRAY8 ! matroskamux",
    "4:2:2 planar": "video/x-raw,format=Y42B ! y4menc",
    "YUY2": "video/x-raw,format=YUY2 ! avimux",
    "JPEG": "jpegenc ! avimux",
}
USUAL = "UYVY", "H.265 4:4:4"


def environment(**more):
    """Without a display; gpuccl.sh takes what it gets for a mask, which needs no further
    package."""
    env = {name: value for name, value in os.environ.items()
           if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return dict(env, MASK="1", **more)


def script(name, *arguments, env, fails=False, cwd=None):
    """What pipelines/@name prints, and what it says."""
    done = subprocess.run(
        [ROOT / "pipelines" / name, *arguments], env=env, cwd=cwd,
        capture_output=True, text=True, timeout=600, check=False)
    said = f"{name} {arguments}\n{done.stdout[-2000:]}{done.stderr[-4000:]}"
    assert (done.returncode != 0) == fails, f"{said}\nreturned " \
        f"{done.returncode}"
    return done.stdout, done.stderr


def frames_of(text):
    return [json.loads(line) for line in text.splitlines()]


# ---- Formats ----

def is_there(line):
    """Whether all elements of a line are installed."""
    names = [part.split()[0] for part in line.split(" ! ")]
    return all(subprocess.run(["gst-inspect-1.0", "--exists", name],
                              check=False).returncode == 0
               for name in names if "/" not in name)


def check_moct(clip, name, env):
    frames = frames_of(script("moct.sh", clip, "red:#c70d0d~22", env=env)[0])
    assert len(frames) >= 4, frames
    if name == "GRAY8":
        return  # it has no colours
    near = [math.dist((o["cx"], o["cy"]), CENTRE)
            for o in frames[3]["objects"]]
    assert near and min(near) < 3, (name, frames[3])


def check_emdtrack(clip, name, env):
    frames = frames_of(script("emdtrack.sh", clip, BOX, env=env)[0])
    found = frames[3]["objects"][0]
    assert found["state"] == "tracking", (name, found)
    assert math.dist((found["cx"], found["cy"]), CENTRE) < 12, (name, found)


def check_rest(clip, name, env, folder):
    frames = frames_of(script("gpuccl.sh", clip, env=dict(
        env, GPUCCL="frames=1 threshold=100"))[0])
    assert len(frames) >= 4 and frames[3]["objects"], name
    lines, _ = script("pocstereo.sh", clip, env=env)
    assert len(frames_of(lines)) >= 4, name
    script("visionmap.sh", clip, env=env, cwd=folder)
    assert (Path(folder) / "visionmap.png").read_bytes()[:4] == b"\x89PNG"
    (Path(folder) / "visionmap.png").unlink()


def formats():
    env = environment(FRAMES="4")
    for name in FORMATS if LONG else USUAL:
        if not is_there(FORMATS[name]):
            print(f"SKIP {name}: no encoder")
            continue
        with tempfile.TemporaryDirectory() as folder:
            clip = f"{folder}/clip"
            make("visiontestsrc num-buffers=8 ! video/x-raw,framerate=30/1 ! "
                 f"videoconvert ! {FORMATS[name]} ! filesink location={clip}")
            check_moct(clip, name, env)
            check_emdtrack(clip, name, env)
            check_rest(clip, name, env, folder)
            if LONG:
                script("demo.sh", clip, env=dict(env, OUTPUT=f"{folder}/demo"))
                assert list(Path(f"{folder}/demo").glob("labels-*.png")), name
        print(f"ok   {name}")


# ---- Messages ----

def pretend(folder, devices):
    """A gst-device-monitor-1.0 that tells of @devices, in front of the path."""
    text = "".join(
        f"\n\nDevice found:\n\n\tname  : {name}\n\tclass : Video/Source\n"
        f"\tgst-launch-1.0 {line} ! ...\n" for name, line in devices.items())
    path = Path(folder) / "gst-device-monitor-1.0"
    path.write_text(f"#!/bin/sh\ncat <<'END'\nProbing devices...{text}END\n")
    path.chmod(0o755)
    return environment(FRAMES="3", PATH=f"{folder}:{os.environ['PATH']}")


def cameras(folder):
    env = pretend(folder, {})
    for name, scene in ("moct.sh", "moct.sh\n"), \
            ("scopedetect.sh", "scopedetect.sh clutter\n"):
        arguments = ["camera"] if name == "moct.sh" else \
            ["camera:none", "camera:none", "-", str(ROOT / "README.md")]
        _, said = script(name, *arguments, env=env, fails=True)
        assert "no camera" in said and said.endswith(scene), said
    env = pretend(folder, {
        "Front Door": "visiontestsrc is-live=true seed=1",
        "HD Webcam C920": "visiontestsrc is-live=true name='the second'"})
    for choice, words in ("camera", "seed=1"), ("camera:c920", "'name=the second'"):
        lines, said = script("moct.sh", choice, env=env)
        assert f"is-live=true {words} " in said, said
        assert len(frames_of(lines)) >= 3, said
    _, said = script("moct.sh", "camera:C921", env=env, fails=True)
    assert "is called C921" in said and "\nHD Webcam C920\n" in said, said
    # the end of the stream is asked for where a recording needs it, and by no camera else
    launch = Path(folder) / "gst-launch-1.0"
    launch.write_text('#!/bin/sh\nprintf "{\\"begins\\": \\"%s\\"}\\n" "$1"\n')
    launch.chmod(0o755)
    cases = [(["camera"], "visiontestsrc"), ([], "-e")]
    if is_there("openh264enc"):
        cases.append((["camera", "--record", f"{folder}/film.mp4"], "-e"))
    for arguments, first in cases:
        lines, _ = script("moct.sh", *arguments, "--headless", env=env)
        assert json.loads(lines or "{}") == {"begins": first}, (arguments, lines)
    launch.unlink()


def missing_package(folder):
    """setup.sh names what the live window needs, where it is not installed."""
    query = Path(folder) / "dpkg-query"
    query.write_text("#!/bin/sh\n[ \"$4\" != gir1.2-gtk-3.0 ] && echo installed\n")
    query.chmod(0o755)
    done = subprocess.run(
        [ROOT / "setup.sh"], capture_output=True, text=True, timeout=600, check=True,
        env=environment(PATH=f"{folder}:{os.environ['PATH']}"))
    assert "the live window, pipelines/live.sh: apt-get install gir1.2-gtk-3.0\n" in \
        done.stdout, done
    assert done.stdout.count("apt-get install") == 1, done.stdout


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def addresses(folder):
    """A file's, and one of a server on this machine."""
    clip = f"{folder}/a day.avi"
    make("visiontestsrc num-buffers=8 ! videoconvert ! jpegenc ! avimux ! "
         f"filesink location={folder}/clip.avi")
    Path(folder, "clip.avi").rename(clip)
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    places = [Path(clip).as_uri()]  # %20d is no number of a picture
    if is_there("souphttpsrc"):
        places.append(f"http://127.0.0.1:{server.server_port}/a%20day.avi")
    for place in places:
        lines, _ = script("moct.sh", place, env=environment(FRAMES="4"))
        assert len(frames_of(lines)) >= 4, place
    server.shutdown()
    server.server_close()


def refusals():
    env = environment(FRAMES="2")
    for arguments, words in (["--record"], "needs the name of a file"), \
            (["--speed"], "no option --speed"), \
            (["nowhere.mp4"], "no file nowhere.mp4"), \
            (["/dev/video77"], "is called /dev/video77"):
        _, said = script("moct.sh", *arguments, env=env, fails=True)
        assert words in said, said
    for name, most in ("moct", 2), ("emdtrack", 2), ("gpuccl", 1), ("visionmap", 1), \
            ("kinfumot", 1), ("pocstereo", 2), ("demo", 2):
        _, said = script(f"{name}.sh", *["test"] * most, "more", env=env, fails=True)
        assert '"more" is one word too many' in said, said
    for number in "0", "many":
        _, said = script("moct.sh", env=environment(FRAMES=number), fails=True)
        assert f'from 1 on, not "{number}"' in said, said
    for name, number, words in ("PROGRESS", "0.0", "seconds above 0"), \
            ("PROGRESS", "soon", "seconds above 0"), ("START", "-1", "from 0 on"):
        _, said = script("moct.sh", env=environment(**{name: number}), fails=True)
        assert f'{words}, not "{number}"' in said, said
    _, said = script("visiontestsrc.sh", "n-objects=3", env=env, fails=True)
    assert 'a size is written 640x480' in said, said
    for path in sorted((ROOT / "pipelines").glob("*.sh")):
        if path.stem in ("common", "devenv"):
            continue
        text, _ = script(path.name, "--help", env=env)
        assert path.stem != "kinfumot" or "max-objects=0" in text
        head = re.search(r"^#\n# (.*)", path.read_text(), re.M)[1]
        assert head in text and f"pipelines/{path.name}" in text, text
        assert path.stem == "launch" or "--record FILE.mp4" in text, text
        if path.stem == "live":  # from any folder
            assert "vision-live stereo pocstereo" in text
            _, said = script("live.sh", env=env, fails=True, cwd="/")
            assert "there is no display" in said or "gir1.2-gtk-3.0" in said, said


def no_videos(folder):
    """Files that show nothing end in a sentence that says why."""
    sound = Path(folder) / "sound.wav"
    make(f"audiotestsrc num-buffers=5 ! wavenc ! filesink location={sound}")
    for name, content, words in (
            ("empty.mp4", b"", "no video that can be shown: Stream contains no data"),
            ("text.mp4", b"not a video", "no video that can be shown: "),
            ("film.gif", b"GIF89a", "is a GIF, which GStreamer does not play"),
            ("a b.png", b"\x89PNG\r\n\x1a\n" + b"\0" * 29 + b"acTL" + b"\0" * 99,
             f"is a moving PNG, which GStreamer shows the first picture of; make a video "
             f"of it first, for example: ffmpeg -i '{folder}/a b.png' video.mp4"),
            ("film.webp", b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\x12" + b"\0" * 99,
             "is a moving WebP")):
        (Path(folder) / name).write_bytes(content)
        _, said = script("moct.sh", f"{folder}/{name}", env=environment(), fails=True)
        assert words in said, said
    absent = Path(folder, "gst-inspect-1.0")
    absent.write_text("#!/bin/sh\nexit 1\n")
    absent.chmod(0o755)
    Path(folder, "film.wmv").write_bytes(bytes.fromhex("3026b2758e66cf11") + b"\0" * 99)
    _, said = script("moct.sh", f"{folder}/film.wmv", fails=True,
                     env=environment(PATH=f"{folder}:{os.environ['PATH']}"))
    assert "is a WMV, which GStreamer cannot play without gstreamer1.0-libav" in said, said
    absent.unlink()
    for name, *more in (["moct.sh"], ["emdtrack.sh", BOX], ["gpuccl.sh"],
                        ["pocstereo.sh"], ["visionmap.sh"]):
        _, said = script(name, sound, *more, env=environment(), fails=True)
        assert re.search(r"shown: it has audio/[\w-]+ alone\n", said) and \
            "gst-launch" not in said, said
    _, said = script("moct.sh", folder, env=environment(), fails=True)
    assert "no file" in said, said


def no_time(folder):
    """On a busy machine gst-discoverer-1.0 may give up, and the clip is played."""
    clip, told = f"{folder}/clip.avi", Path(folder, "gst-discoverer-1.0")
    make("visiontestsrc num-buffers=8 ! videoconvert ! jpegenc ! avimux ! "
         f"filesink location={clip}")
    told.write_text(f"#!/bin/sh\necho Analyzing file://{clip}\n"
                    f"echo Done discovering file://{clip}\n"
                    "echo Analyzing URI timed out\n")
    told.chmod(0o755)
    lines, _ = script("moct.sh", clip,
                      env=environment(PATH=f"{folder}:{os.environ['PATH']}"))
    assert len(frames_of(lines)) == 8, lines


def no_depths(folder):
    """Pictures of colours in the place of depth."""
    picture = f"{folder}/00.png"
    make(f"visiontestsrc num-buffers=1 ! pngenc ! filesink location={picture}")
    many, model = f"{folder}/%02d.png", ROOT / "README.md"
    for name, *arguments in (["kinfumot.sh", many], ["gpuccl.sh", many], [
            "scopedetect.sh", picture, picture, "600,600,320,240", model]):
        _, said = script(name, *arguments, env=environment(FRAMES="2"), fails=True)
        assert f"{picture} is no picture of depth: these have 16 bits of grey, and " \
            "this one has 8 bits of each colour\n" in said, said
    _, said = script("kinfumot.sh", picture, env=environment(), fails=True)
    assert "kinfumot needs depth" in said, said


def depths(folder):
    """kinfumot plays a sequence of pictures, a folder of TUM, whose times its
    trajectory gets, and a source in words."""
    coarse = "voxel-size=0.02 truncation=0.06 max-memory=32 "
    camera = "intrinsics=131,131,79.5,59.5 depth-scale=0.001"
    scene = "visiontestsrc pattern=rgbd num-buffers=4 ! video/x-raw,width=160,height=120"
    make(f"{scene} ! videoconvert ! pngenc ! multifilesink location={folder}/%02d.png")
    times = [f"1305031102.{n}604" for n in (1, 2, 4, 5)]
    Path(folder, "depth.txt").write_text("# timestamp filename\n" + "".join(
        f"{time} {n:02d}.png\n" for n, time in enumerate(times)))
    found = f"{folder}/found.txt"
    env = environment(KINFUMOT=f"{coarse}{camera} trajectory-location={found}", START="1")
    script("kinfumot.sh", folder, env=env)
    lines = [line.split() for line in Path(found).read_text().splitlines()]
    assert [line[0] for line in lines] == times[1:], lines
    assert all(len(line) == 8 for line in lines), lines
    assert len(frames_of(script("kinfumot.sh", f"{folder}/%02d.png", env=env)[0])) == 3
    words = script("kinfumot.sh", scene, env=environment(KINFUMOT=coarse))[0]
    assert len(frames_of(words)) == 4
    _, said = script("kinfumot.sh", f"{folder}/%02d.png", env=environment(), fails=True)
    assert "kinfumot needs the camera: KINFUMOT='intrinsics=FX,FY,CX,CY'" in said, said
    _, said = script("kinfumot.sh", "/dev/nothing", env=environment(), fails=True)
    assert "no camera is called /dev/nothing" in said, said


def lying(folder):
    """A clip of a telephone that lay on its side is shown upright: its header asks
    for a turn by 90 degrees to the right."""
    if not is_there("openh264enc ! h264parse ! mp4mux"):
        print("SKIP a turned clip: no encoder")
        return
    clip = Path(folder) / "turned.mp4"
    make("visiontestsrc num-buffers=8 ! video/x-raw,framerate=30/1 ! videoconvert ! "
         "video/x-raw,format=I420 ! openh264enc bitrate=4000000 ! h264parse ! mp4mux ! "
         f"filesink location={clip}")
    data = clip.read_bytes()
    plain, turned = (struct.pack(">9i", *matrix) for matrix in (
        (1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30),
        (0, 1 << 16, 0, -1 << 16, 0, 0, 480 << 16, 0, 1 << 30)))
    at = data.index(plain, data.index(b"tkhd"))
    clip.write_bytes(data[:at] + turned + data[at + len(turned):])
    frames = frames_of(script("moct.sh", clip, "red:#c70d0d~22",
                              env=environment(FRAMES="4"))[0])
    frame = frames[3]
    assert (frame["ref-width"], frame["ref-height"]) == (480, 640), frame
    x, y = 479 - CENTRE[1], CENTRE[0]
    near = [math.dist((o["cx"], o["cy"]), (x, y)) for o in frame["objects"]]
    assert near and min(near) < 12, (near, frame)


def interlaced(folder):
    """Of two fields, between which the object moves, one is taken: a box that is not
    wider than the object is."""
    clip = Path(folder) / "interlaced.mkv"  # y4mdec of GStreamer 1.26 refuses fields
    make("visiontestsrc num-buffers=8 speed=8 ! video/x-raw,framerate=60/1 ! "
         "videoconvert ! interlace field-pattern=1:1 ! matroskamux ! "
         f"filesink location={clip}")
    widths = [[min((o["width"] for o in frame["objects"]), default=0)
               for frame in frames_of(lines)]
              for lines in (script("moct.sh", clip, "red:#c70d0d~22",
                                   env=environment())[0],
                            run([ROOT / "pipelines/launch.sh", "-q", *(
                                f"filesrc location={clip} ! decodebin ! videoconvert ! "
                                "moct objects=red:#c70d0d~22 ! visionjson ! fakesink"
                            ).split()]))]
    assert len(widths[0]) == 4 and max(widths[0]) < 76 and max(widths[1]) > 80, widths


def growing(folder):
    """Frames that change their size right after the last one that is wanted: the
    decoder asks for other memory when nobody takes frames any more."""
    if not is_there("openh264enc ! h264parse ! mpegtsmux"):
        print("SKIP a growing clip: no encoder")
        return
    clip = Path(folder) / "growing.ts"
    for size in "width=320,height=240", "width=640,height=480":
        make(f"visiontestsrc num-buffers=8 ! video/x-raw,{size} ! videoconvert ! "
             "openh264enc bitrate=4000000 ! h264parse ! mpegtsmux ! "
             f"filesink location={folder}/part.ts")
        with clip.open("ab") as file:
            file.write(Path(folder, "part.ts").read_bytes())
    for frames in "3", "8":
        lines, _ = script("moct.sh", clip, env=environment(FRAMES=frames))
        assert 0 <= len(frames_of(lines)) - int(frames) <= 1, lines


def sequences(folder):
    """Pictures from 1 on, such as ffmpeg writes; none; a file with % in its name; and
    the line that is shown, with quotes, is one that a shell takes."""
    make("visiontestsrc num-buffers=3 ! pngenc ! multifilesink index=1 "
         f"location={folder}/f%02d.png")
    lines, _ = script("emdtrack.sh", f"{folder}/f%02d.png", BOX, env=environment())
    assert len(frames_of(lines)) == 3, lines
    lines, _ = script("moct.sh", f"{folder}/f%02d.png", "red:#c70d0d~22",
                      env=environment())
    assert [len(frame["objects"]) for frame in frames_of(lines)] == [1] * 3, lines
    gap = Path(folder, "gap")
    gap.mkdir()
    for n in 0, 1, 3:
        shutil.copy(Path(folder, "f01.png"), gap / f"{n}.png")
    lines, said = script("moct.sh", gap / "%d.png", env=environment())
    assert len(frames_of(lines)) == 2 and f"it ended where {gap}/2.png is missing; " \
        "START=3 goes on behind the gap" in said, said
    for name, *more in (["moct.sh"], ["emdtrack.sh", BOX], ["gpuccl.sh"],
                        ["pocstereo.sh"], ["kinfumot.sh"]):
        _, said = script(name, f"{folder}/no%02d.png", *more, env=environment(),
                         fails=True)
        assert "there is no picture 0 or 1 of" in said and "START=12" in said, said
    clip = Path(folder) / "50% of 'it' \\ $5.avi"
    make("visiontestsrc num-buffers=8 ! videoconvert ! jpegenc ! avimux ! "
         f"filesink location={folder}/plain.avi")
    Path(folder, "plain.avi").rename(clip)
    for name, *more in ["moct.sh"], ["emdtrack.sh", BOX], ["gpuccl.sh"]:
        lines, said = script(name, clip, *more, env=environment())
        assert len(frames_of(lines)) == 8, lines
        shown = said.splitlines()[0]
        assert f"location={clip}".replace("\\", "\\\\") in shlex.split(shown), shown
    for name in 'a "b c".avi', 'a"b c.avi', "a\\b.avi", 'a \\" b.avi', "'a b'", \
            '"a b"', "two\nlines\\":
        clip = clip.rename(Path(folder) / name)
        results = Path(folder) / f"{name}.json"
        lines, _ = script("moct.sh", clip, "--json", results, env=environment())
        assert len(results.read_text().splitlines()) == 8, (name, lines)
    latin = os.fsencode(folder) + b"/gl\xe4ser.avi"
    os.rename(clip, latin)
    _, said = script("moct.sh", latin, env=environment(), fails=True)
    assert "is no UTF-8; give the file another one" in said, said


def injected(folder):
    """Values that would be further elements, were they not quoted: a file stays as it
    is."""
    kept = Path(folder) / "kept"
    kept.write_text("kept")
    words = f"num-buffers=1 ! filesink location={kept} videotestsrc num-buffers=1"
    evil = f'" videotestsrc {words} name="x'
    here = '" videotestsrc num-buffers=1 ! filesink location=kept videotestsrc name="x%d.png'
    plain = f"{folder}/plain.avi"
    make("visiontestsrc num-buffers=2 ! videoconvert ! jpegenc ! avimux ! "
         f"filesink location={plain}")
    Path(folder, "x" + here).write_bytes(b"no video")
    Path(folder, "x" + here % 0).write_bytes(b"no picture")
    Path(folder, f"0.png ! {here % 0}").write_bytes(b"no picture")
    model = f"{folder}/a,b.model"
    Path(model).write_text("no model")
    tries = [("moct.sh", [place], {}) for place in (
        "x" + here, "%d.png ! " + here % 0, f"http://127.0.0.1:9/x{evil}",
        f"rtsp://127.0.0.1:9/x{evil}", f"file:///x{evil}", "x%d" + here[:-4])]
    tries += [(name, [f"http://127.0.0.1:9/x{evil}", *more], {}) for name, *more in (
        ["emdtrack.sh", BOX], ["gpuccl.sh"], ["pocstereo.sh"], ["visionmap.sh"])]
    tries += [
        ("moct.sh", [plain, f"red:#c70d0d~22{evil}"], {}),
        ("emdtrack.sh", [plain, f"it:{BOX}{evil}"], {}),
        ("moct.sh", [plain, "--json", f"lines{here % 0}"], {}),
        ("moct.sh", [plain], {"MOCT": words}),
        ("moct.sh", [plain], {"MOCT": f"objects-file=x{evil.replace(' ', '')}"}),
        ("moct.sh", ["x%d.png"], {"START": f"0 ! {words}"}),
        ("emdtrack.sh", [plain, BOX], {"EMDTRACK": words}),
        ("gpuccl.sh", [plain], {"GPUCCL": words}),
        ("kinfumot.sh", [], {"KINFUMOT": words}),
        ("pocstereo.sh", [plain], {"POCSTEREO": words}),
        ("pocstereo.sh", [plain], {"PLY": f"x{evil}"}),
        ("pocstereo.sh", [plain], {"OUTPUT": f"x{here % 0}"}),
        ("visiontestsrc.sh", ["64x48", *words.split()], {}),
        ("visiontestsrc.sh", ["64x48", f"palette=x{evil}"], {}),
        ("scopedetect.sh", ["clutter", "mug"], {"SEED": f"0 {words}"}),
        ("scopedetect.sh", [plain, plain, f"9,9,9,9{evil}", model], {}),
        ("scopedetect.sh", ["%d.png ! " + here % 0] * 2 + ["-", model], {}),
        ("scopedetect.sh", ["/dev/null"] * 2 + ["-", model], {"SIZE": f"4x4 ! {words}"})]
    for name, arguments, more in tries:
        done = subprocess.run(
            [ROOT / "pipelines" / name, *arguments], cwd=folder, capture_output=True,
            text=True, timeout=300, check=False, env=environment(FRAMES="2", **more))
        assert kept.read_bytes() == b"kept", (name, arguments, more, done)
    print("ok   injected words")


def halves(folder):
    """A picture of one camera."""
    picture = f"{folder}/left.png"
    make("visiontestsrc pattern=stereo view=left num-buffers=1 ! videoconvert ! "
         f"pngenc ! filesink location={picture}")
    _, said = script("pocstereo.sh", picture, env=environment())
    assert "Both halves of a frame must show the same scene" in said, said


def unequal_views(folder):
    """Two pictures that decode to different formats, and two of different sizes."""
    for name, view, encoder in (("left.png", "left", "pngenc"),
                                ("right.jpg", "right", "jpegenc quality=100"),
                                ("small.png", "right", "pngenc")):
        size = "width=320,height=240" if name == "small.png" else "width=640,height=480"
        make(f"visiontestsrc pattern=stereo view={view} num-buffers=1 ! "
             f"video/x-raw,{size} ! videoconvert ! {encoder} ! "
             f"filesink location={folder}/{name}")
    left = f"{folder}/left.png"
    env = environment(POCSTEREO="max-disparity=64 min-peak=0.5")
    lines, _ = script("pocstereo.sh", left, f"{folder}/right.jpg", env=env)
    maps = {m["kind"]: m for m in frames_of(lines)[0]["maps"]}
    assert len(maps["matches"]["values"]) > 5000, maps.keys()
    _, said = script("pocstereo.sh", left, f"{folder}/small.png", env=env, fails=True)
    assert f"{left} is 640x480, and {folder}/small.png 320x240: views of one size" \
        in said, said


def progress(folder):
    """Of frames that nobody sees, how many are done and how long the others take."""
    clip = f"{folder}/both.avi"
    make("visiontestsrc pattern=stereo view=side-by-side num-buffers=12 ! "
         "video/x-raw,width=640,height=240,framerate=30/1 ! videoconvert ! jpegenc ! "
         f"avimux ! filesink location={clip}")
    env = environment(PROGRESS="0.4", OUTPUT=f"{folder}/out.png",
                      POCSTEREO="max-disparity=64 n-threads=1")
    _, said = script("pocstereo.sh", clip, env=env)
    told = re.findall(r"^(\d+) of 12 frames in \d+ s(, about \d+ s are left)?$", said, re.M)
    assert told and any(left for n, left in told if 0 < int(n) <= 12), said
    assert [int(n) for n, _ in told] == sorted(int(n) for n, _ in told), said


def bitmaps(folder):
    """BMP and TIFF, which decodebin cannot decode."""
    for kind in "bmp", "tiff":
        if not is_there(f"avenc_{kind}"):
            print(f"SKIP {kind}: no encoder")
            continue
        picture = f"{folder}/one.{kind}"
        make(f"visiontestsrc num-buffers=1 ! videoconvert ! avenc_{kind} ! "
             f"filesink location={picture}")
        lines, _ = script("moct.sh", picture, "red:#c70d0d~22", env=environment())
        (found,) = frames_of(lines)[0]["objects"]
        assert abs(found["x"] - 58) < 3 and abs(found["y"] - 76) < 3, found


def lists():
    """Without a window, pocstereo's lines have its points: x, y, disparity, sigma and
    confidence."""
    lines, _ = script("pocstereo.sh", env=environment(FRAMES="1"))
    maps = {m["kind"]: m for m in frames_of(lines)[0]["maps"]}
    assert {len(v) for v in maps["matches"]["values"]} == {5}
    assert {len(v) for v in maps["points"]["values"]} == {4}
    assert len(maps["points"]["values"]) == maps["points"]["width"] > 5000


def slow():
    """Frames for a clock, ten microseconds apart."""
    done = subprocess.run(
        [ROOT / "pipelines/launch.sh", *(
            "visiontestsrc num-buffers=60 ! video/x-raw,width=1280,height=720,"
            "framerate=100000/1 ! moct @preset=many objects=red:#c70d0d~22 ! fakesink sync=true "
            "qos=true").split()],
        env=environment(), capture_output=True, text=True, timeout=100,
        check=True)
    said = done.stdout + done.stderr
    assert len(re.findall(r"^WARNING: .*Frames are late: moct0 takes [\d.]+ ms "
                          r"for one, .* and 100000\.0 come\.", said, re.M)) == 1, \
        said


def learned(folder):
    """What moct learned is printed, and in the end a line that finds it again."""
    clip = f"{folder}/it's.avi"
    make("visiontestsrc num-buffers=8 ! videoconvert ! jpegenc ! avimux ! "
         f"filesink location={folder}/clip.avi")
    Path(folder, "clip.avi").rename(clip)
    lines, said = script("moct.sh", clip, "red:roi=70,90,40,40;blue:#3864d2~20",
                         env=environment())
    assert re.search(r"^red:lab=\S+ holds \d+ % of the region", said, re.M), said
    again = shlex.split(said.splitlines()[-1])
    assert "learned; again by:" in said and Path(again[0]).name == "moct.sh", said
    assert again[1] == clip and re.fullmatch(r"blue:#3864d2~20;red:lab=.*", again[2]), again
    found = [frame["objects"] for frame in frames_of(script(
        "moct.sh", *again[1:], env=environment())[0])]
    assert [len(o) for o in found] == [len(f["objects"]) for f in frames_of(lines)], found
    assert "learned" not in script("moct.sh", clip, "red:#c70d0d~22", env=environment())[1]


def lost_at_once(folder):
    """A target that is gone after six frames: how far it moved, and what to change."""
    clip = f"{folder}/gone.avi"
    caps = "video/x-raw,format=I420,width=640,height=480,framerate=30/1"
    make(f"concat name=both ! jpegenc ! avimux ! filesink location={clip} "
         f"visiontestsrc num-buffers=6 ! videoconvert ! {caps} ! both.sink_0 "
         f"videotestsrc pattern=black num-buffers=14 ! {caps} ! both.sink_1")
    lines, said = script("emdtrack.sh", clip, f"it:{BOX}", env=environment(
        EMDTRACK="search=20"))
    assert len(frames_of(lines)) == 20, lines
    assert len(re.findall(
        r"^it was lost 6 frames after it was chosen\. It moved by up to \d pixels a frame, "
        r"and is looked for within search=20: .* make search larger", said, re.M)) == 1, said


def failures(folder):
    """A pipeline that fails ends the script with its status."""
    for name, *more in (["moct.sh"], ["emdtrack.sh", BOX], ["gpuccl.sh"], ["pocstereo.sh"],
                        ["visionmap.sh"]):
        script(name, Path(folder, "absent.avi").as_uri(), *more, env=environment(),
               fails=True)


def no_colours():
    """moct without colours says what to do, and of a window that one may click."""
    for words, remedy in ("", "Set \"objects\""), ("mouse=true ", "Click at a thing"):
        done = subprocess.run(
            [ROOT / "pipelines/launch.sh", *f"visiontestsrc num-buffers=2 ! moct {words}"
             "! fakesink".split()], env=environment(), capture_output=True, text=True,
            timeout=60, check=True)
        assert f"no colours to look for. {remedy}" in done.stdout + done.stderr, done


def messages():
    with tempfile.TemporaryDirectory() as folder:
        cameras(folder)
        missing_package(folder)
    with tempfile.TemporaryDirectory() as folder:
        addresses(folder)
        halves(folder)
        unequal_views(folder)
        no_videos(folder)
        no_depths(folder)
        bitmaps(folder)
        progress(folder)
    with tempfile.TemporaryDirectory() as folder:
        injected(folder)
        learned(folder)
        lost_at_once(folder)
        failures(folder)
    with tempfile.TemporaryDirectory() as folder:
        no_time(folder)
    with tempfile.TemporaryDirectory() as folder:
        depths(folder)
    with tempfile.TemporaryDirectory() as folder:
        lying(folder)
        growing(folder)
        interlaced(folder)
        sequences(folder)
    refusals()
    no_colours()
    lists()
    slow()
    print("ok   messages")


# ---- Recordings ----

def discover(path):
    """Size and seconds of a recording."""
    text = subprocess.run(["gst-discoverer-1.0", "-v", path],
                          capture_output=True, text=True, timeout=60,
                          check=True).stdout
    assert "H.264" in text, text
    hours, minutes, seconds = re.search(
        r"Duration: (\d+):(\d+):([\d.]+)", text).groups()
    return (*(int(re.search(rf"{what}: (\d+)", text)[1])
              for what in ("Width", "Height")),
            int(hours) * 3600 + int(minutes) * 60 + float(seconds))


def interrupt(arguments, env, until, by=signal.SIGINT):
    """Runs a script, and presses Ctrl-C where @until () is true, or kills the script
    alone by SIGTERM: nothing that it started goes on."""
    with subprocess.Popen(arguments, env=env, start_new_session=True,
                          stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        end = time.monotonic() + 60
        while not until() and time.monotonic() < end:
            time.sleep(.1)
        if by == signal.SIGINT:
            os.killpg(process.pid, by)
        else:
            process.send_signal(by)
        process.wait(timeout=60)
    assert not group(process.pid), group(process.pid)
    return process.returncode


def group(leader):
    """What Linux says of the processes of a group that run."""
    running = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, process_group = path.read_text().rsplit(")")[-1].split()[:3]
            if int(process_group) == leader and state != "Z":
                running.append(path.read_text())
    return running


def ends_by_force(folder):
    """A pipeline that does not end after SIGTERM is stopped after half a minute; here
    time goes by at once."""
    began = folder / "began"
    for name, text in (("sleep", ""),
                       ("gst-launch-1.0",
                        f"trap '' INT TERM\ntouch {began}\nexec /bin/sleep 100")):
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    before = time.monotonic()
    status = interrupt([ROOT / "pipelines/moct.sh", "--headless"],
                       environment(PATH=f"{folder}:{os.environ['PATH']}"),
                       began.exists, signal.SIGTERM)
    assert status == 128 + signal.SIGKILL, status
    assert time.monotonic() - before < 60
    print("ok   a pipeline that does not end is stopped")


def recordings():
    with tempfile.TemporaryDirectory() as folder:
        ends_by_force(Path(folder))
    if not is_there("openh264enc ! h264parse ! mp4mux"):
        print("SKIP recordings: no encoder")
        return
    cases = {"moct.sh": [[], 640, 480], "gpuccl.sh": [[], 640, 480],
             "emdtrack.sh": [[], 640, 480], "visionmap.sh": [[], 640, 480],
             "pocstereo.sh": [[], 640, 480], "kinfumot.sh": [[], 640, 480],
             "scopedetect.sh": [["clutter", "mug"], 640, 480],
             "visiontestsrc.sh": [["321x241"], 320, 240]}
    with tempfile.TemporaryDirectory() as folder:
        film, lines = f"{folder}/film.mp4", f"{folder}/lines.json"
        for name, (arguments, width, height) in cases.items():
            n = 2 if name in SLOW else 30
            out, said = script(name, *arguments, "--record", film, f"--json={lines}",
                               "--headless", env=environment(FRAMES=str(n)))
            assert out == "", out
            assert "OpenH264" not in said, said
            frames = frames_of(Path(lines).read_text())
            assert len(frames) == n, (name, len(frames))
            found = discover(film)
            assert found[:2] == (width, height), (name, found)
            assert abs(found[2] - n / 30) < .05, (name, found)
            print(f"ok   {name}: {found}")
        script("kinfumot.sh", "test", "--record", film, "--headless",
               env=environment(FRAMES="2", SHOW="all"))
        found = discover(film)
        assert found[:2] == (3 * 424, 318), found
        print(f"ok   kinfumot.sh, SHOW=all: {found}")
        make("visiontestsrc num-buffers=8 ! video/x-raw,framerate=30/1 ! videoconvert ! "
             f"jpegenc ! avimux ! filesink location={folder}/short.avi")
        for _ in range(3):  # over before the pipeline plays
            script("moct.sh", f"{folder}/short.avi", "--record", film, "--headless",
                   env=environment())
            assert abs(discover(film)[2] - 8 / 30) < .05, discover(film)
        for by in signal.SIGINT, signal.SIGTERM:
            Path(film).unlink()
            Path(lines).write_text("")
            interrupt([ROOT / "pipelines/moct.sh", "--record", film, "--json", lines,
                       "--headless"], environment(FRAMES="100000"),
                      lambda: Path(lines).read_text().count("\n") > 60, by)
            found = discover(film)
            assert found[2] > 1, found
            print(f"ok   {by.name}: {found}")


# ---- Windows ----

def screenshot(env):
    """The screen as rows of RGB, 8 bits each."""
    data = subprocess.run(["import", "-window", "root", "-depth", "8", "ppm:-"],
                          env=env, capture_output=True, check=True).stdout
    _, width, height, _ = re.match(
        rb"(P6)\s+(\d+)\s+(\d+)\s+(255)\s", data).groups()
    return int(width), int(height), data[-3 * int(width) * int(height):]


def windows_of(env):
    """Place and size of each that can be seen."""
    found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "."],
                           env=env, capture_output=True, text=True, check=False)
    places = []
    for window in found.stdout.split():
        done = subprocess.run(
            ["xdotool", "getwindowgeometry", "--shell", window], env=env,
            capture_output=True, text=True, check=False)
        if done.returncode:
            continue  # it was closed meanwhile
        text = done.stdout
        places.append(tuple(int(re.search(rf"^{what}=(-?\d+)", text, re.M)[1])
                            for what in ("X", "Y", "WIDTH", "HEIGHT")))
    return places


def sides(pixels, width, x0, y0, box, out):
    """The pixels along @box, @out pixels further out, in a window at (@x0, @y0):
    of each side five lines, since it may be 2 pixels off."""
    x, y, w, h = (round(v) for v in box)

    def colour(i, j):
        at = 3 * ((y0 + j) * width + x0 + i)
        return pixels[at:at + 3]

    return [[[colour(i, j + off) for i in range(x, x + w)]
             for off in range(-2, 3)] for j in (y - out, y + h + out)] + \
        [[[colour(i + off, j) for j in range(y, y + h)]
          for off in range(-2, 3)] for i in (x - out, x + w + out)]


def part(c, lines):
    """The part of sides that has colour @c, give or take what conversions
    change."""
    return sum(max(sum(all(abs(a - b) < 24 for a, b in zip(c, d))
                       for d in line) for line in side)
               for side in lines) / sum(len(side[0]) for side in lines)


def outline(*where):
    """How much of a box is drawn in a colour that is not that around it."""
    on, around = sides(*where, 0), sides(*where, 8)
    common = collections.Counter(c for side in on for line in side
                                 for c in line).most_common(12)
    return max(part(c, on) - part(c, around) for c, _ in common)


def boxes(frames):
    """The boxes of the newest frames, and where the truth is."""
    for frame in frames[-RECENT:]:
        for o in frame["objects"]:
            if o.get("state", "new") in ("new", "tracking", "found", "accepted") \
                    and o["width"] > 20:
                yield [o[k] for k in ("x", "y", "width", "height")]


def near_truth(box, frames):
    x, y, w, h = box
    return any(math.dist((x + w / 2, y + h / 2),
                         (t["x"] + t["width"] / 2, t["y"] + t["height"] / 2)) < 25
               for frame in frames[-RECENT:]
               for t in frame["truth"]["objects"] if "x" in t)


def lines_of(path):
    return frames_of(path.read_text().rpartition("\n")[0]) \
        if path.exists() else []


def wait_until(what, seconds=60):
    end = time.monotonic() + seconds
    while not (found := what()) and time.monotonic() < end:
        time.sleep(.1)
    return found


@contextlib.contextmanager
def running(name, arguments, env):
    """A script, which is killed in the end whatever happens."""
    with subprocess.Popen(
            [ROOT / "pipelines" / name, *arguments], env=env,
            start_new_session=True, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def look(process, path, env):
    """The screen, where its windows are, and the lines so far, of a script that is
    stopped for a moment."""
    time.sleep(.5)
    os.killpg(process.pid, signal.SIGSTOP)
    time.sleep(.3)
    seen = screenshot(env), windows_of(env), lines_of(path)
    os.killpg(process.pid, signal.SIGCONT)
    return seen


def drawn_best(pixels, width, place, frames):
    """The box that is drawn the most, and how much of it."""
    return max(((outline(pixels, width, *place[:2], box), box)
                for box in boxes(frames) if near_truth(box, frames)),
               default=(0, None))


def watch(name, arguments, drawn, env, folder):
    """Starts a script, and looks at the screen: once, or until a box is drawn, since
    on a busy machine the window is behind the lines."""
    path = Path(folder) / f"{name}.json"
    least = 1 if name in SLOW else 45
    best, box, end = 0, None, time.monotonic() + 60
    with running(name, [*arguments, "--json", path], env) as process:
        assert wait_until(
            lambda: len(lines_of(path)) >= least and windows_of(env), 90), name
        while best <= .6 and time.monotonic() < end:
            (width, height, pixels), places, frames = look(process, path, env)
            assert len(places) == 1, (name, places)
            x, y, w, h = places[0]
            assert 0 <= x and 0 <= y and x + w <= width and y + h <= height, \
                (name, places)
            if not drawn:
                return
            best, box = drawn_best(pixels, width, places[0], frames)
    print(f"ok   {name}: {w} x {h}, {best:.2f} of a box")
    assert best > .6, (name, best, box)


def is_found(frame, label):
    """Whether something is where the object @label truly is."""
    truth = next(t for t in frame["truth"]["objects"] if t["label"] == label)
    return any(math.dist((o["cx"], o["cy"]), (truth["cx"], truth["cy"])) < 20
               for o in frame["objects"] if o.get("state") != "lost")


def point(name, arguments, label, drag, env, folder):
    """Points at the object @label in the window: it is found from then on, and
    was not before."""
    path = Path(folder) / f"{name}-mouse.json"
    with running(name, [*arguments, "--json", path], env):
        assert wait_until(lambda: len(lines_of(path)) > 20 and windows_of(env))
        last = lines_of(path)[-1]
        assert not is_found(last, label), last
        place = next(t for t in last["truth"]["objects"] if t["label"] == label)
        x0, y0, _, _ = windows_of(env)[0]
        x, y, w, h = (int(place[k]) for k in ("x", "y", "width", "height"))
        moves = [f"mousemove {x0 + x} {y0 + y} mousedown 1",
                 f"mousemove {x0 + x + w} {y0 + y + h} mouseup 1"] if drag else \
            [f"mousemove {x0 + x + w // 2} {y0 + y + h // 2} click 1"]
        for move in moves:
            subprocess.run(["xdotool", *move.split()], env=env, check=True)
            time.sleep(.1)
        assert wait_until(lambda: is_found(lines_of(path)[-1], label), 20), \
            (name, lines_of(path)[-1])
    print(f"ok   {name}: {'a box was drawn' if drag else 'a click'}")


@contextlib.contextmanager
def screen():
    """An X server of 1280x800, and the environment for programs on it; None, with
    what is missing, without the tools that look at it."""
    tools = "Xvfb", "xdotool", "import"
    if missing := [tool for tool in tools if not shutil.which(tool)]:
        print(f"SKIP windows: no {', '.join(missing)}")
        yield None
        return
    read, write = os.pipe()
    with subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-noreset", "-screen", "0",
             "1280x800x24"],
            pass_fds=[write], stderr=subprocess.DEVNULL) as server:
        env = dict(os.environ, MASK="1", DISPLAY=f":{os.read(read, 16).decode().strip()}")
        env.pop("WAYLAND_DISPLAY", None)
        try:
            yield env
        finally:
            server.terminate()
            os.close(read)
            os.close(write)


def still(name, arguments, env):
    """A picture stays in its window until Ctrl-C."""
    with running(name, arguments, env) as process:
        assert wait_until(lambda: windows_of(env), 90), name
        time.sleep(2)
        assert windows_of(env) and process.poll() is None, f"{name} is closed"
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(30) == 0, name
    print(f"ok   {name}: a picture")


def stills(env, folder):
    picture = f"{folder}/still.png"
    make(f"visiontestsrc num-buffers=1 ! videoconvert ! pngenc ! "
         f"filesink location={picture}")
    for name, *more in (["moct.sh"], ["emdtrack.sh", BOX], ["gpuccl.sh"],
                        ["pocstereo.sh", picture], ["visionmap.sh"]):
        still(name, [picture, *more], env)


def windows():
    with tempfile.TemporaryDirectory() as folder, screen() as env:
        if not env:
            return
        for name, arguments, drawn in (
                ("moct.sh", [], True), ("emdtrack.sh", [], True),
                ("gpuccl.sh", [], True), ("visionmap.sh", [], False),
                ("kinfumot.sh", [], False),
                ("scopedetect.sh", ["clutter", "mug", "camera"], True),
                ("pocstereo.sh", [], False), ("visiontestsrc.sh", [], False)):
            watch(name, arguments, drawn, env, folder)
        stills(env, folder)
        point("moct.sh", ["test", ""], "red", False, env, folder)
        point("emdtrack.sh", ["test", "58,76,74,74"], "target 2", True, env,
              folder)


if __name__ == "__main__":
    {"formats": formats, "messages": messages, "recordings": recordings,
     "windows": windows}[sys.argv[1]]()
