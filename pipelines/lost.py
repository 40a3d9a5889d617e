#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads lines of emdtrack, and says of each target that is lost soon after it was chosen
how far it moved, and what to change; pipelines/emdtrack.sh starts it:

    pipelines/lost.py SEARCH <LINES"""
import json
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))
sys.dont_write_bytecode = True
from visionlive.losing import Losing  # noqa: E402


def main(search):
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the script ends it
    losing = Losing()
    for line in sys.stdin:
        for o in json.loads(line)["objects"]:
            place = (o["cx"], o["cy"]) if "cx" in o and "cy" in o else None
            if sentence := losing.see(o["id"], o.get("label"), o.get("state"), place,
                                      search):
                print("".join(c if c.isprintable() else "?" for c in sentence),
                      file=sys.stderr, flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(float(sys.argv[1]))
