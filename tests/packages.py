#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What an installation has for the shell: a manual page of each command, which
groff sets without a warning, and completions of its options.

Run it as a test of Meson, which sets the environment."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from commands import run  # noqa: E402

OPTION = {"vision-calibrate": "--board", "vision-live": "--record",
          "vision-model": "--spacing",
          "vision-pose-eval": "--depth-scale"}


def pages(folder):
    found = {path.name: path for path in folder.rglob("*.1")}
    for command, option in OPTION.items():
        path = found.pop(f"{command}.1")
        assert option.replace("-", "\\-") in path.read_text(), path
        if not shutil.which("groff"):
            print(f"SKIP {command}: there is no groff")
            continue
        done = subprocess.run(
            ["groff", "-man", "-ww", "-Tutf8", path], capture_output=True,
            text=True, check=True)
        assert not done.stderr, done.stderr
        assert option in done.stdout, done.stdout
    assert not found, found
    print(f"ok   {len(OPTION)} manual pages")


def completions(folder):
    for command, option in OPTION.items():
        path, = folder.rglob(f"completions/{command}")
        program, = folder.rglob(f"bin/{command}")
        said = run(["bash", "-c", f"""
            source {path}
            COMP_WORDS=({program} {option[:5]}) COMP_CWORD=1
            _gst_vision_command {program}
            printf '%s\\n' "${{COMPREPLY[@]}}" """])
        assert option in said.split(), (command, said)
    print(f"ok   completions of {len(OPTION)} commands")


def main():
    with tempfile.TemporaryDirectory() as folder:
        run(["meson", "install", "-C", os.environ["BUILD"], "--no-rebuild",
             "--destdir", folder])
        pages(Path(folder))
        completions(Path(folder))


if __name__ == "__main__":
    main()
