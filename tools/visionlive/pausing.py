# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pausing a pipeline so that what the user points at counts for the frame that is
seen: frames are held in front of the element while the rest of the pipeline plays on,
and the newest frames that the element got are kept, to be given to it once more."""
import collections
import threading

from gi.repository import Gst

KEPT = 6  # frames: as many as are between the element and the window


class Pause:
    """Of @element in @pipeline, which plays; with @keeps it is given frames again."""

    def __init__(self, pipeline, element, keeps):
        self.pipeline = pipeline
        self.sinks = element.sinkpads
        self.probes = []
        self.kept = collections.deque(maxlen=KEPT)
        self.began = None
        if keeps:
            self.sinks[0].add_probe(Gst.PadProbeType.BUFFER, self._keep)

    def _keep(self, _pad, info):
        self.kept.append(info.get_buffer())
        return Gst.PadProbeReturn.OK

    def is_on(self):
        return bool(self.probes)

    def hold(self):
        """Nothing before the pipeline plays, when there is no frame to hold."""
        if not (clock := self.pipeline.get_clock()):
            return
        self.began = clock.get_time() - self.pipeline.get_base_time()
        for sink in self.sinks:
            pad = sink.get_peer()
            self.probes.append((pad, pad.add_probe(
                Gst.PadProbeType.BLOCK_DOWNSTREAM,
                lambda pad, info: Gst.PadProbeReturn.OK)))

    def release(self):
        """Time goes on from when it was stopped: otherwise all frames would be late."""
        self.pipeline.set_state(Gst.State.PAUSED)
        self.pipeline.set_start_time(self.began)
        for pad, probe in self.probes:
            pad.remove_probe(probe)
        self.probes = []
        self.pipeline.set_state(Gst.State.PLAYING)

    def again(self, pts):
        """Gives the element the frame of that time once more."""
        buffer = next((b for b in self.kept if b.pts == pts), None)
        if buffer:
            threading.Thread(target=self.sinks[0].chain, args=(buffer,),
                             daemon=True).start()
