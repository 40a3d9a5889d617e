# SPDX-License-Identifier: LGPL-2.1-or-later
"""A viewer of pipelines/apps/web.py without a browser: a webrtcbin that answers."""
import json
import threading
import time
import urllib.request

import gi

for name in "Gst", "GstSdp", "GstWebRTC":
    gi.require_version(name, "1.0")
from gi.repository import Gst, GstSdp, GstWebRTC  # noqa: E402

PATIENCE = 60  # seconds


def ask(address, path, body="", method="POST", **headers):
    request = urllib.request.Request(
        address + path, body.encode(), headers, method=method)
    with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
        return json.load(reply)


class Client:
    """Of the server at @address.  @messages: what it said; @stamps: the timestamps of the
    video's packets."""

    def __init__(self, address):
        self.address, self.messages, self.stamps = address, [], []
        self.channel, self.open, self.gathered = None, threading.Event(), threading.Event()
        self.silent, self.beat = threading.Event(), threading.Thread(
            target=self.beats, daemon=True)
        self.pipeline = Gst.Pipeline()
        self.peer = Gst.ElementFactory.make("webrtcbin")
        self.peer.set_property("bundle-policy", GstWebRTC.WebRTCBundlePolicy.MAX_BUNDLE)
        self.pipeline.add(self.peer)
        self.peer.connect("pad-added", self.pad_added)
        self.peer.connect("on-data-channel", self.has_channel)
        self.peer.connect("notify::ice-gathering-state", self.gathers)
        self.pipeline.set_state(Gst.State.PLAYING)
        offered = ask(address, "/viewers")
        self.id = offered["id"]
        self.answer(offered["offer"])
        assert self.open.wait(PATIENCE), "no data channel"
        self.say(hello=True)
        self.beat.start()

    def beats(self):
        """As a page, which says each second that it is there."""
        while not self.silent.wait(1):
            self.say(alive=True)

    def answer(self, offer):
        def made(promise, *_):
            reply = promise.get_reply()
            self.peer.emit("set-local-description", reply["answer"], Gst.Promise.new())

        _, message = GstSdp.SDPMessage.new_from_text(offer)
        promise = Gst.Promise.new()
        self.peer.emit("set-remote-description", GstWebRTC.WebRTCSessionDescription.new(
            GstWebRTC.WebRTCSDPType.OFFER, message), promise)
        promise.wait()
        self.peer.emit("create-answer", None, Gst.Promise.new_with_change_func(made, None))
        assert self.gathered.wait(PATIENCE), "no addresses"
        ask(self.address, f"/viewers/{self.id}",
            self.peer.get_property("local-description").sdp.as_text())

    def gathers(self, peer, _spec):
        if peer.get_property("ice-gathering-state") == \
                GstWebRTC.WebRTCICEGatheringState.COMPLETE:
            self.gathered.set()

    def has_channel(self, _peer, channel):
        self.channel = channel
        channel.connect("on-message-string",
                        lambda _, text: self.messages.append(json.loads(text)))
        channel.connect("on-open", lambda _: self.open.set())
        if channel.get_property("ready-state") == GstWebRTC.WebRTCDataChannelState.OPEN:
            self.open.set()

    def pad_added(self, _peer, pad):
        def arrived(_pad, info):
            start = info.get_buffer().extract_dup(4, 4)  # RFC 3550, 5.1
            self.stamps.append(int.from_bytes(start, "big"))
            return Gst.PadProbeReturn.OK

        sink = Gst.ElementFactory.make("fakesink")
        sink.set_property("sync", False)
        sink.set_property("async", False)
        self.pipeline.add(sink)
        sink.sync_state_with_parent()
        pad.add_probe(Gst.PadProbeType.BUFFER, arrived)
        pad.link(sink.get_static_pad("sink"))

    def say(self, **message):
        self.channel.emit("send-string", json.dumps(message))

    def frames(self):
        return [m for m in self.messages if "frame" in m]

    def until(self, what, seconds=PATIENCE):
        """The first message, of those that come from now on, of which @what is true."""
        at, end = len(self.messages), time.monotonic() + seconds
        while time.monotonic() < end:
            while at < len(self.messages):
                at += 1
                if what(self.messages[at - 1]):
                    return self.messages[at - 1]
            time.sleep(.01)
        return None

    def leave(self):
        ask(self.address, f"/viewers/{self.id}", method="DELETE")
        self.stop()

    def stop(self):
        """As a viewer that goes without a word."""
        self.silent.set()
        self.beat.join()
        self.pipeline.set_state(Gst.State.NULL)
