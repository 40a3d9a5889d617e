# SPDX-License-Identifier: LGPL-2.1-or-later
"""The frame on the screen, as large as fits at the upper left; what the mouse
does there, and what is under it."""
import struct

import cairo
import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import Gdk, GstVideo, Gtk  # noqa: E402

import gstvision  # noqa: E402

SIZE = 640, 480
LISTS = "matches", "points"  # maps that are no pictures
CODES = {"u8": "B", "u16": "H", "u32": "I", "f32": "f"}
UNITS = {"disparity": " px", "sigma": " px", "depth": " m"}


def surface_of(sample):
    """A cairo picture of a BGRx sample, and the memory that it lies in."""
    info = GstVideo.VideoInfo.new_from_caps(sample.get_caps())
    buffer = sample.get_buffer()
    memory = bytearray(buffer.extract_dup(0, buffer.get_size()))
    return cairo.ImageSurface.create_for_data(
        memory, cairo.FORMAT_RGB24, info.width, info.height, info.stride[0])


def raw_at(m, column, row):
    """The numbers of a map at one pixel."""
    code = f"<{m.channels}{CODES[m.format]}"
    size = struct.calcsize(code)
    data = m.pixels.extract_dup(row * m.stride + column * size, size)
    return struct.unpack(code, bytes(data))


def told(m, raw):
    """One number of a map, in words."""
    if m.invalid is not None and raw == m.invalid:
        return "none"
    if m.kind == "labels" and m.names:
        return m.names[raw - 1] if 0 < raw <= len(m.names) else "none"
    return f"{raw * m.scale + m.offset:.6g}{UNITS.get(m.kind, '')}"


def readings(buffer, x, y, width, height):
    """What maps and objects of @buffer say about pixel @x, @y of @width times
    @height: pairs of words."""
    found = []
    for m in gstvision.maps(buffer):
        if m.kind in LISTS or not m.pixels:
            continue
        raw = raw_at(m, x * m.width // width, y * m.height // height)
        found.append((m.kind, ", ".join(told(m, number) for number in raw)))
    for o in gstvision.objects(buffer):
        if o.x is not None and 0 <= x - o.x < o.width and 0 <= y - o.y < o.height:
            found.append(("object", f"{o.label or o.element} {o.id}"))
    return found


class Picture(Gtk.DrawingArea):
    """@on_point gets `press` or `release` and a place in the frame; @on_hover a
    place."""

    def __init__(self, on_point, on_hover):
        super().__init__(hexpand=True, vexpand=True)
        self.on_point, self.on_hover = on_point, on_hover
        self.sample = self.surface = self.start = self.end = None
        self.set_size_request(*SIZE)
        self.add_events(Gdk.EventMask.BUTTON_PRESS_MASK |
                        Gdk.EventMask.BUTTON_RELEASE_MASK |
                        Gdk.EventMask.POINTER_MOTION_MASK)
        self.connect("draw", self.draw_frame)
        self.connect("button-press-event", self.press)
        self.connect("button-release-event", self.release)
        self.connect("motion-notify-event", self.move)

    def show_sample(self, sample):
        self.sample, self.surface = sample, surface_of(sample)
        self.queue_draw()

    def scale(self):
        area = self.get_allocation()
        return min(area.width / self.surface.get_width(),
                   area.height / self.surface.get_height())

    def place(self, event):
        """Where in the frame the mouse is, or None."""
        if not self.surface:
            return None
        x, y = event.x / self.scale(), event.y / self.scale()
        inside = 0 <= x < self.surface.get_width() and \
            0 <= y < self.surface.get_height()
        return (x, y) if inside else None

    def press(self, _widget, event):
        if event.button == 1 and (place := self.place(event)):
            self.start = self.end = place
            self.on_point("press", *place)

    def move(self, _widget, event):
        if place := self.place(event):
            self.end = place
            self.on_hover(*place)

    def release(self, _widget, event):
        if event.button == 1 and self.start:
            self.on_point("release", *(self.place(event) or self.end))
            self.start = None

    def readings(self, x, y):
        return readings(self.sample.get_buffer(), int(x), int(y),
                        self.surface.get_width(), self.surface.get_height())

    def second(self):
        """The time of the frame."""
        return self.sample.get_buffer().pts / 1e9

    def draw_frame(self, _widget, cr):
        cr.set_source_rgb(0, 0, 0)
        cr.paint()
        if not self.surface:
            return
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
