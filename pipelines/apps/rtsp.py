#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Serves video with what an element found drawn in it, as rtsp://ADDRESS/live:

    rtsp.py [ADDRESS:PORT [LINE]]     127.0.0.1:8554; 0.0.0.0 is all networks"""
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

address = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:8554"
line = sys.argv[2] if len(sys.argv) > 2 else "visiontestsrc is-live=true ! moct " \
    "objects=red:#c70d0d~22 trajectory=full ! visionoverlay"
Gst.init(None)
encoders = {"x264enc": "x264enc tune=zerolatency ! rtph264pay",
            "openh264enc": "openh264enc ! rtph264pay", "jpegenc": "jpegenc ! rtpjpegpay"}
encoder = next(e for name, e in encoders.items() if Gst.ElementFactory.find(name))
factory = GstRtspServer.RTSPMediaFactory(shared=True)  # all clients see the same
factory.set_launch(f"( {line} ! videoconvert ! video/x-raw,format=I420 ! "
                   f"{encoder} name=pay0 )")
host, _, port = address.rpartition(":")
server = GstRtspServer.RTSPServer(address=host, service=port)
server.get_mount_points().add_factory("/live", factory)
if not server.attach(None):
    sys.exit(f"{address} is taken, or no address of this machine")
GLib.MainLoop().run()
