#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shows an element live in a browser: its frames by WebRTC, what it found drawn over
them by the page, sliders for its properties.

    web.py                                   moct on a generated scene
    web.py clip.mp4 moct min-area=200
    web.py camera:c920 emdtrack
    web.py --address 0.0.0.0 camera moct     for other machines, with a token

A click learns a colour (moct), a box that is drawn is a target (emdtrack); Space
pauses, and a click then counts for the frame that is seen; Ctrl+Z takes the last choice
back.  What maps and objects say under the mouse is below the frame.

Run it with the environment of the elements:

    meson devenv -C build ../pipelines/apps/web.py"""
import argparse
import ipaddress
import secrets
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
# in the tree, and installed
sys.path[1:1] = [str(HERE.parent.parent / "tools"), str(HERE.parent)]
MISSING = "web.py: {}: install python3-gi, gir1.2-gst-plugins-base-1.0, " \
    "gir1.2-gst-plugins-bad-1.0, gstreamer1.0-plugins-good, gstreamer1.0-plugins-bad and " \
    "gstreamer1.0-nice, or what your system calls them; for gstvision, set PYTHONPATH to " \
    "the folder in which meson install put it; visionlive is installed with vision-live"
ELEMENTS = "webrtcbin", "nicesink", "dtlsenc", "srtpenc", "sctpenc", "rtpvp8pay", "vp8enc", \
    "errorignore"


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="?", help="a generated scene (chromatic, "
                        "rgbd, stereo, head, multispectral, clutter), camera or "
                        "camera:NAME, a file, frame-%%04d.png, or an address")
    parser.add_argument("element", nargs="?", default="moct",
                        help="moct (the default), emdtrack, gpuccl, kinfumot, "
                        "pocstereo, faces or scopedetect")
    parser.add_argument("properties", nargs="*", help="of the element: NAME=VALUE")
    parser.add_argument("--address", default="127.0.0.1", type=ipaddress.ip_address,
                        help="of this machine, where it listens (%(default)s); 0.0.0.0 "
                        "is all networks")
    parser.add_argument("--port", default=8080, type=int,
                        help="(%(default)s); 0 is any that is free")
    parser.add_argument("--token", help="what viewers must know; beyond this machine "
                        "there is always one, by default a new one each time")
    chosen = parser.parse_args()
    chosen.texts = {}
    for text in chosen.properties:
        name, equals, value = text.partition("=")
        if not equals:
            parser.error(f"{text} is no NAME=VALUE")
        chosen.texts[name] = value
    if not chosen.token and not chosen.address.is_loopback:
        chosen.token = secrets.token_urlsafe(16)
    return chosen


def modules():
    """The modules that need packages."""
    try:
        import gi
        for name in "Gst", "GstSdp", "GstVideo", "GstWebRTC":
            gi.require_version(name, "1.0")
        from gi.repository import Gst
        import web_server
        import web_stage
        from visionlive import chain
    except (ImportError, ValueError) as error:
        sys.exit(MISSING.format(error))
    Gst.init(None)
    if lacking := [name for name in ELEMENTS if not Gst.ElementFactory.find(name)]:
        sys.exit(MISSING.format("there is no " + ", ".join(lacking)))
    return chain, web_server, web_stage


def main():
    chosen = arguments()
    chain, web_server, web_stage = modules()
    if chosen.element not in chain.ELEMENTS:
        sys.exit(f"web.py: {chosen.element} is none of {', '.join(chain.ELEMENTS)}")
    source = chosen.source or chain.ELEMENTS[chosen.element].scene
    with tempfile.TemporaryDirectory(prefix="vision-web-") as folder:
        try:
            if chosen.element == "scopedetect" and "models" not in chosen.texts:
                chosen.texts["models"] = chain.models(folder)
            stage = web_stage.Stage(
                chain.Chain(source, chosen.element, chosen.texts), chosen.address)
            server = web_server.serve(chosen.address, chosen.port, chosen.token, stage)
            stage.start()
        except (chain.Refused, OSError) as error:
            sys.exit(f"web.py: {error}")
        print(server.link(), flush=True)
        stage.run()
        server.shutdown()
    sys.exit(stage.fault and f"web.py: {stage.fault}")


if __name__ == "__main__":
    main()
