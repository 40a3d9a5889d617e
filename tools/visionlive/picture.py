# SPDX-License-Identifier: LGPL-2.1-or-later
"""The frame on the screen, as large as fits, in the middle; what the mouse does there;
and what the colours of a map mean."""
import math
import struct

import cairo
import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import Gdk, GstVideo, Gtk  # noqa: E402

import gstvision  # noqa: E402

from .readings import CODES, UNITS, readings  # noqa: E402

SIZE = 640, 480
ORDERED = "disparity", "depth", "emd", "sigma", "confidence"
STEPS = 64  # of a bar of colours


def surface_of(sample):
    """A cairo picture of a BGRx sample, and the memory that it lies in."""
    info = GstVideo.VideoInfo.new_from_caps(sample.get_caps())
    buffer = sample.get_buffer()
    memory = bytearray(buffer.extract_dup(0, buffer.get_size()))
    return cairo.ImageSurface.create_for_data(
        memory, cairo.FORMAT_RGB24, info.width, info.height, info.stride[0])


def bar_of(buffer, surface, kind):
    """What the colours of the newest map of @kind mean: pairs of a value and the colour
    in which @surface shows it, from the least to the greatest, and the unit; None for
    maps whose numbers have no order."""
    m = next((m for m in reversed(gstvision.maps(buffer)) if m.kind == kind), None)
    if not m or kind not in ORDERED or m.channels != 1:
        return None
    pixels, stride = surface.get_data(), surface.get_stride()
    width, height = surface.get_width(), surface.get_height()
    found = {}
    for row in range(m.height // 32, m.height, max(m.height // 16, 1)):
        size = struct.calcsize(CODES[m.format])
        memory = bytes(m.pixels.extract_dup(row * m.stride, m.width * size))
        numbers = struct.unpack(f"<{m.width}{CODES[m.format]}", memory)
        for column in range(0, m.width, max(m.width // 64, 1)):
            raw = numbers[column]
            if raw == m.invalid or not math.isfinite(raw):
                continue
            at = row * height // m.height * stride + 4 * (column * width // m.width)
            found.setdefault(raw * m.scale + m.offset, tuple(
                c / 255 for c in pixels[at + 2:at - 1 if at else None:-1]))
    values = sorted(found.items())
    return ([values[i * (len(values) - 1) // (STEPS - 1)] for i in range(STEPS)],
            UNITS.get(kind, "")) if len(values) > 1 else None


class Picture(Gtk.DrawingArea):
    """@on_point gets `press` or `release`, a place in the frame, and the keys that were
    held; @on_hover a place."""

    def __init__(self, on_point, on_hover):
        super().__init__(hexpand=True, vexpand=True, can_focus=True)
        self.on_point, self.on_hover = on_point, on_hover
        self.sample = self.surface = self.start = self.end = self.bar = None
        self.set_size_request(*SIZE)
        self.add_events(Gdk.EventMask.BUTTON_PRESS_MASK |
                        Gdk.EventMask.BUTTON_RELEASE_MASK |
                        Gdk.EventMask.POINTER_MOTION_MASK)
        self.connect("draw", self.draw_frame)
        self.connect("button-press-event", self.press)
        self.connect("button-release-event", self.release)
        self.connect("motion-notify-event", self.move)

    def show_sample(self, sample, kind=""):
        """@kind: of the map whose colours are shown."""
        self.sample, self.surface = sample, surface_of(sample)
        self.bar = bar_of(sample.get_buffer(), self.surface, kind) if kind else None
        self.queue_draw()

    def scale(self):
        area = self.get_allocation()
        return min(area.width / self.surface.get_width(),
                   area.height / self.surface.get_height())

    def corner(self):
        """Where the upper left corner of the frame is shown."""
        area, scale = self.get_allocation(), self.scale()
        return ((area.width - scale * self.surface.get_width()) // 2,
                (area.height - scale * self.surface.get_height()) // 2)

    def place(self, event):
        """Where in the frame the mouse is, or None."""
        if not self.surface:
            return None
        left, top = self.corner()
        x, y = (event.x - left) / self.scale(), (event.y - top) / self.scale()
        inside = 0 <= x < self.surface.get_width() and \
            0 <= y < self.surface.get_height()
        return (x, y) if inside else None

    def press(self, _widget, event):
        self.grab_focus()
        if event.button == 1 and (place := self.place(event)):
            self.start = self.end = place
            self.on_point("press", *place, event.state)

    def move(self, _widget, event):
        if place := self.place(event):
            self.end = place
            self.on_hover(*place)

    def release(self, _widget, event):
        if event.button == 1 and self.start:
            self.on_point("release", *(self.place(event) or self.end), event.state)
            self.start = None

    def readings(self, x, y):
        return readings(self.sample.get_buffer(), int(x), int(y),
                        self.surface.get_width(), self.surface.get_height())

    def pts(self):
        """The time of the frame, nanoseconds."""
        return self.sample.get_buffer().pts

    def second(self):
        return self.pts() / 1e9

    def draw_frame(self, _widget, cr):
        cr.set_source_rgb(0, 0, 0)
        cr.paint()
        if not self.surface:
            return
        cr.save()
        cr.translate(*self.corner())
        cr.scale(self.scale(), self.scale())
        cr.set_source_surface(self.surface, 0, 0)
        if self.scale() == 1:
            cr.get_source().set_filter(cairo.FILTER_NEAREST)
        cr.paint()
        if self.start:
            (x0, y0), (x1, y1) = self.start, self.end
            cr.set_source_rgb(1, 1, 1)
            cr.set_line_width(1 / self.scale())
            cr.rectangle(x0, y0, x1 - x0, y1 - y0)
            cr.stroke()
        cr.restore()
        if self.bar:
            self.draw_bar(cr)

    def draw_bar(self, cr):
        """The colours of a map at the right, with their numbers."""
        area = self.get_allocation()
        values, unit = self.bar
        low, high = values[0][0], values[-1][0]
        left, top, height = area.width - 80, 16, area.height // 2
        cr.set_source_rgba(0, 0, 0, .6)
        cr.rectangle(left - 6, top - 12, 80, height + 24)
        cr.fill()
        for row in range(height):
            value = high - (high - low) * row / max(height - 1, 1)
            _, colour = min(values, key=lambda pair: abs(pair[0] - value))
            cr.set_source_rgb(*colour)
            cr.rectangle(left, top + row, 12, 1.5)
            cr.fill()
        cr.set_source_rgb(1, 1, 1)
        cr.set_font_size(12)
        for part in 0, .5, 1:
            cr.move_to(left + 18, top + part * height + 4)
            cr.show_text(f"{high - part * (high - low):.4g}{unit}")
        cr.new_path()
