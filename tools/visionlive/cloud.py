# SPDX-License-Identifier: LGPL-2.1-or-later
"""Points in space, in the colours of the frame: a drag turns them, the wheel makes
them larger."""
import math
import struct

import cairo
import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402

import gstvision  # noqa: E402

from .picture import SIZE, surface_of  # noqa: E402

DEGREES = .5  # a pixel of the mouse's way
DOT = 1.6     # of the mean way from a point to the next: they nearly close up
PART = .4     # of the window that the middle of the cloud fills
FOLLOW = .1   # of the way to a new frame's centre and size: a cloud stands still


def rows_of(m, size):
    """Tuples of a list's numbers, @size of them."""
    memory = bytes(m.pixels.extract_dup(0, m.pixels.get_size()))
    return struct.iter_unpack(f"<{size}f", memory)


def points_of(buffer):
    """Pairs of a point x, y, z in metres and its place in the frame; None where
    the frame has no list of points."""
    lists = {m.kind: m for m in gstvision.maps(buffer)
             if m.kind in ("matches", "points") and m.pixels}
    if "points" not in lists:
        return None
    return [(point[:3], match[:2]) for point, match in
            zip(rows_of(lists["points"], 4), rows_of(lists["matches"], 5))
            if point[2] > 0]


def middle(points):
    """Their centre, and the distance from it that four fifths of them have at
    most: a few wrong points move neither."""
    centre = [sorted(axis)[len(axis) // 2] for axis in zip(*points)]
    far = sorted(math.dist(p, centre) for p in points)
    return centre, far[len(far) * 4 // 5]


def turned(points, centre, yaw, pitch):
    """The points seen from in front, after a turn by @yaw around the vertical axis
    and then by @pitch around the horizontal one, in radians: to the right, down,
    away."""
    cy, sy, cp, sp = (math.cos(yaw), math.sin(yaw), math.cos(pitch),
                      math.sin(pitch))
    for x, y, z in points:
        x, y, z = x - centre[0], y - centre[1], z - centre[2]
        x, z = cy * x + sy * z, cy * z - sy * x
        yield x, cp * y - sp * z, cp * z + sp * y


class Cloud(Gtk.DrawingArea):
    def __init__(self):
        super().__init__(hexpand=True, vexpand=True)
        self.clear()
        self.set_size_request(*SIZE)
        self.add_events(Gdk.EventMask.BUTTON_PRESS_MASK |
                        Gdk.EventMask.BUTTON_RELEASE_MASK |
                        Gdk.EventMask.POINTER_MOTION_MASK |
                        Gdk.EventMask.SCROLL_MASK)
        self.connect("draw", self.draw_cloud)
        self.connect("button-press-event", self.press)
        self.connect("button-release-event", self.release)
        self.connect("motion-notify-event", self.move)
        self.connect("scroll-event", self.scroll)

    def clear(self):
        self.yaw = self.pitch = 0
        self.zoom, self.from_ = 1, None
        self.pairs, self.colours = [], []
        self.centre = self.size = None

    def show_sample(self, sample):
        """Whether the frame has points in space."""
        pairs = points_of(sample.get_buffer())
        self.pairs = pairs or []
        if self.pairs:
            self.colours = list(self.colours_of(surface_of(sample)))
            self.keep_in_view(*middle([point for point, _ in self.pairs]))
        self.queue_draw()
        return pairs is not None

    def colours_of(self, surface):
        surface.flush()
        memory, stride = surface.get_data(), surface.get_stride()
        for _, (x, y) in self.pairs:
            at = int(y) * stride + 4 * int(x)
            blue, green, red = memory[at:at + 3]
            yield red / 255, green / 255, blue / 255

    def keep_in_view(self, centre, size):
        if self.size is None:
            self.centre, self.size = centre, size
        self.centre = [a + FOLLOW * (b - a) for a, b in zip(self.centre, centre)]
        self.size += FOLLOW * (size - self.size)

    # ---- The mouse ----

    def press(self, _widget, event):
        if event.button == 1:
            self.from_ = event.x, event.y

    def release(self, _widget, event):
        self.move(None, event)
        self.from_ = None

    def move(self, _widget, event):
        if not self.from_:
            return
        turn = math.radians(DEGREES)
        self.yaw += turn * (event.x - self.from_[0])
        self.pitch += turn * (event.y - self.from_[1])
        self.from_ = event.x, event.y
        self.queue_draw()

    def scroll(self, _widget, event):
        if event.direction in (Gdk.ScrollDirection.UP, Gdk.ScrollDirection.DOWN):
            up = event.direction == Gdk.ScrollDirection.UP
            self.zoom *= 1.1 if up else 1 / 1.1
            self.queue_draw()

    # ---- Drawing ----

    def draw_cloud(self, _widget, cr):
        cr.set_source_rgb(.05, .05, .05)
        cr.paint()
        if not self.pairs:
            return
        area = self.get_allocation()
        scale = self.zoom * PART * min(area.width, area.height) / \
            max(self.size, 1e-6)
        dot = max(DOT * scale * self.size / math.sqrt(len(self.pairs)), 2)
        cr.set_antialias(cairo.ANTIALIAS_NONE)
        seen = turned([point for point, _ in self.pairs], self.centre, self.yaw,
                      self.pitch)
        for (x, y, _), colour in sorted(zip(seen, self.colours),
                                        key=lambda pair: -pair[0][2]):
            cr.set_source_rgb(*colour)
            cr.rectangle(area.width / 2 + scale * x - dot / 2,
                         area.height / 2 + scale * y - dot / 2, dot, dot)
            cr.fill()
