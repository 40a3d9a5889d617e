# SPDX-License-Identifier: LGPL-2.1-or-later
"""One viewer: a webrtcbin behind a tee of encoded video, and a data channel."""
import collections
import ctypes
import json
import math
import time

from gi.repository import GLib, Gst, GstSdp, GstWebRTC

FULL = 1 << 18     # bytes that wait in the channel: what comes then is dropped
LONGEST = 60000    # bytes of a message, which every browser takes
MOST_WAITING = 64  # messages of a page that the main loop has not read yet
SILENT = 10        # seconds, after which a page is gone
# Timestamps of RTP are the running time, so that messages can name their frame.
LINE = "errorignore ignore-notlinked=true ignore-eos=true convert-to=ok ! " \
    "queue leaky=downstream max-size-buffers=30 ! " \
    "rtpvp8pay timestamp-offset=0 picture-id-mode=15-bit ! " \
    "application/x-rtp,media=video,encoding-name=VP8,payload=96,clock-rate=90000 ! " \
    "webrtcbin name=peer bundle-policy=max-bundle"


def listen(peer, address):
    """At @address alone, or at all that the machine has; no router is asked to open a
    port."""
    ice = peer.get_property("ice-agent")
    if ice.__grefcount__ == 1:  # webrtcbin (of 1.22 to 1.28) gives its own reference away
        ctypes.CDLL("libgobject-2.0.so.0").g_object_ref(ctypes.c_void_p(hash(ice)))
    ice.get_property("agent").set_property("upnp", False)
    if not address.is_unspecified:
        ice.emit("add-local-ip-address", str(address))


class Viewer:
    """@heard gets the viewer and what its page says, in the main loop."""

    def __init__(self, pipeline, address, heard):
        self.pipeline, self.heard = pipeline, heard
        self.last_heard, self.dropped, self.mouse = time.monotonic(), 0, None
        self.unread = collections.deque()
        self.bin = Gst.parse_bin_from_description(LINE, True)
        self.peer = self.bin.get_by_name("peer")
        listen(self.peer, address)
        self.peer.set_state(Gst.State.READY)
        self.channel = self.peer.emit("create-data-channel", "results", None)
        self.channel.connect("on-message-string", self.arrived)
        self.channel.connect("on-close", self.closed)
        pipeline.add(self.bin)
        self.bin.sync_state_with_parent()
        self.peer.emit("get-transceiver", 0).set_property(
            "direction", GstWebRTC.WebRTCRTPTransceiverDirection.SENDONLY)
        self.pad = pipeline.get_by_name("tee").request_pad_simple("src_%u")
        self.pad.link(self.bin.get_static_pad("sink"))

    def offer(self, future):
        """Gives @future the offer's SDP, with all addresses."""
        peer = self.peer

        def gathered(peer, _spec):
            state = peer.get_property("ice-gathering-state")
            if state == GstWebRTC.WebRTCICEGatheringState.COMPLETE and not future.done():
                future.set_result(peer.get_property("local-description").sdp.as_text())

        def made(promise, *_):
            reply = promise.get_reply()
            if reply and reply.has_field("offer"):  # not where the viewer has left
                peer.emit("set-local-description", reply["offer"], Gst.Promise.new())

        peer.connect("notify::ice-gathering-state", gathered)
        peer.emit("create-offer", None, Gst.Promise.new_with_change_func(made, None))

    def answer(self, text):
        """False where @text is no SDP."""
        if not text.strip("\0"):
            return False
        result, message = GstSdp.SDPMessage.new_from_text(text)
        if result != GstSdp.SDPResult.OK:
            return False
        made = GstWebRTC.WebRTCSessionDescription.new(
            GstWebRTC.WebRTCSDPType.ANSWER, message)
        self.peer.emit("set-remote-description", made, Gst.Promise.new())
        return True

    def arrived(self, _channel, text):
        """In a thread of webrtcbin."""
        self.last_heard = time.monotonic()
        if len(self.unread) < MOST_WAITING:
            self.unread.append(text)
            GLib.idle_add(self.read)

    def closed(self, _channel):
        self.last_heard = -math.inf

    def read(self):
        self.heard(self, self.unread.popleft())

    def is_open(self):
        return self.channel and self.channel.get_property("ready-state") == \
            GstWebRTC.WebRTCDataChannelState.OPEN

    def say(self, message):
        """Sends a message, or counts it as dropped; nothing waits."""
        text = json.dumps(dict(message, dropped=self.dropped), allow_nan=False)
        if not self.is_open():
            return
        if len(text) > LONGEST or self.channel.get_property("buffered-amount") > FULL:
            self.dropped += 1
            return
        self.channel.emit("send-string", text)

    def is_gone(self):
        return time.monotonic() - self.last_heard > SILENT

    def remove(self):
        """The pipeline plays on."""
        self.pad.add_probe(Gst.PadProbeType.IDLE, self.part)

    def part(self, pad, _info):
        """Between two frames."""
        pad.unlink(self.bin.get_static_pad("sink"))
        GLib.idle_add(self.free)
        return Gst.PadProbeReturn.REMOVE

    def free(self):
        self.pipeline.get_by_name("tee").release_request_pad(self.pad)
        self.bin.set_state(Gst.State.NULL)
        self.pipeline.remove(self.bin)
        self.bin = self.peer = self.channel = self.pad = None  # and with them sockets
