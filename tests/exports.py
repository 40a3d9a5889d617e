#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the plug-in exports: gst_plugin_* alone, by which GStreamer finds it.
Other names could be taken for those of another library in the same process.

Run as exports.py PLUG-IN."""
import shutil
import subprocess
import sys

SKIPPED = 77
# What some linkers add to every library.
LINKER = {"__bss_start", "_edata", "_end"}


def exported(library):
    listed = subprocess.run(["nm", "-D", "--defined-only", "-P", library],
                            check=True, capture_output=True, text=True).stdout
    return {line.split()[0].split("@")[0] for line in listed.splitlines()} - LINKER


def main():
    if not shutil.which("nm"):
        print("SKIP: there is no nm")
        sys.exit(SKIPPED)
    names = exported(sys.argv[1])
    wanted = {"gst_plugin_vision_get_desc", "gst_plugin_vision_register"}
    for name in sorted(names - wanted):
        print(f"{name} is exported")
    for name in sorted(wanted - names):
        print(f"{name} is not exported")
    print(f"{len(names)} names are exported")
    sys.exit(names != wanted)


if __name__ == "__main__":
    main()
