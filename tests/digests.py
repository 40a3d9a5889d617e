#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether vision-digest prints what docs/digests.txt has:

    demo   for generated scenes, with 1 and with 3 threads
    data   for the data sets, where VISION_TEST_DATA names them
    cuda   for generated scenes on a GPU
    wrong  that a launch line that cannot be digested ends with a sentence

    digests.py PART [--write] [NAME...]

NAME is a section of docs/digests.txt (all of the part).  --write writes into it what is
printed here.  BUILD names the build folder,
and EXE_WRAPPER words to put before each command, such as those of an emulator; then it
is run with 3 threads alone.  Run it
as a test of Meson, which sets the environment."""
import configparser
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from commands import ROOT, run  # noqa: E402

TOOLS = Path(os.environ["BUILD"]).resolve() / "tools"
WRAPPER = shlex.split(os.environ.get("EXE_WRAPPER", ""))
FILE = ROOT / "docs/digests.txt"
SECONDS = 3000  # on a busy machine, or in an emulator
KEYS = ["count", "frames", "results"]
# Data set -> where VISION_TEST_DATA has it.
PLACES = {
    "sam2/demo/data/gallery/02_cups.mp4": "moct/sam2_gallery/02_cups.mp4",
    "nvblox/tests/data/dynamic_mask/mask_21.png": "ccl/nvblox/mask_21.png",
    "7-Scenes, frames 0 to 59, with a body that moves":
        "rgbd/semisynthetic_moving_object/depth",
    "Middlebury 2003, cones": "stereo/mb2003_cones",
    "sample-videos/bottle-detection.mp4": "emd/bottles/bottle-detection.mp4",
    "Linemod-Occluded, frame 3": "pose/lmo_frame3",
}
ALGORITHMS = "moct|gpuccl|kinfumot|pocstereo|emdtrack|scopedetect|depthalign"
HAS_BACKEND = re.compile(ALGORITHMS + "|visionoverlay")
HAS_THREADS = re.compile(ALGORITHMS + "|visionoverlay|visionmap|visiontestsrc")


def command(words):
    return [*WRAPPER, TOOLS / words[0], *words[1:]]


def digest_of(line, folder, backend, threads):
    """What is printed, as KEYS have it."""
    words = []
    for word in line.split():
        words.append(word)
        if HAS_BACKEND.fullmatch(word):
            words.append(f"backend={backend}")
        if HAS_THREADS.fullmatch(word):
            words.append(f"n-threads={threads}")
    said = run(command(["vision-digest", *words]), SECONDS, cwd=folder).split("\n")
    return dict(zip(KEYS, (said[0], said[1].split()[1], said[2].split()[1])))


def check_section(name, section, data, backend):
    """The digest, with the first number of threads."""
    with tempfile.TemporaryDirectory() as folder:
        for words in section.get("before", "").replace("DATA", data).split(";"):
            if words:
                run(command(words.split()), SECONDS, cwd=folder)
        line = section["line"].replace("DATA", data)
        found = [digest_of(line, folder, backend, threads)
                 for threads in ((0,) if backend == "cuda" else (3,) if WRAPPER else (1, 3))]
    assert all(f == found[0] for f in found), \
        f"{name}: the number of threads changes the digest: {found}"
    return found[0]


def check_part(part, writes, names):
    digests = configparser.ConfigParser(interpolation=None, comment_prefixes=["#"],
                                        delimiters=["="])
    digests.read(FILE)
    failed = 0
    for name, section in digests.items():
        if name == "DEFAULT" or ("data" in section) != (part == "data") or \
                names and name not in names:
            continue
        if name.startswith("kinfumot") and "NO_KINFUMOT" in os.environ:
            continue
        data = ""
        if part == "data":
            data = f"{os.environ['VISION_TEST_DATA']}/{PLACES[section['data']]}"
        found = check_section(name, section, data, "cuda" if part == "cuda" else "cpu")
        if writes:
            section.update(found)
        wrong = [key for key in KEYS if section[key] != found[key]]
        failed += bool(wrong)
        print("FAIL" if wrong else "ok  ", name, *(
            f"{key}: {found[key]} instead of {section[key]}" for key in wrong), flush=True)
    if writes:
        head = FILE.read_text().split("\n[")[0]
        with FILE.open("w") as file:
            file.write(head + "\n")
            digests.write(file)
        FILE.write_text(FILE.read_text().rstrip("\n") + "\n")
    return failed


def refused(line, sentence):
    done = subprocess.run(command(["vision-digest", *line.split()]), capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.returncode and not done.stdout and sentence in done.stderr, (line, done)


def check_refused():
    refused("", "a launch line is missing")
    refused("--all visiontestsrc", "a launch line is missing")
    refused("nonesuch ! moct", "nonesuch")
    refused("visiontestsrc num-buffers=1 ! fakesink", "could not link")
    refused("filesrc location=/nonexistent ! moct", "filesrc0: ")
    refused("fakesrc num-buffers=0", "no frame came")
    refused("videotestsrc num-buffers=1 ! video/x-raw,format=v210", "videoconvert")
    said = run(command(["vision-digest", "videotestsrc", "num-buffers=1"]))
    assert said.endswith("results  none\n") and "0 with results" in said, said
    print("ok   what cannot be digested is said")


def has_gpu():
    done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, check=False) \
        if any(Path(folder, "nvidia-smi").exists() for folder in os.get_exec_path()) else None
    return done is not None and done.returncode == 0 and b"GPU 0" in done.stdout


def main():
    part, names = sys.argv[1], sys.argv[2:]
    if part == "wrong":
        check_refused()
        return
    if part == "data" and "VISION_TEST_DATA" not in os.environ:
        print("SKIP VISION_TEST_DATA is not set")
        sys.exit(77)
    if part == "cuda" and not has_gpu():
        print("SKIP there is no GPU")
        sys.exit(77)
    sys.exit(1 if check_part(part, "--write" in names, set(names) - {"--write"}) else 0)


if __name__ == "__main__":
    main()
