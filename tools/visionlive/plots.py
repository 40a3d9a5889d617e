# SPDX-License-Identifier: LGPL-2.1-or-later
"""The last seconds as lines: frames a second, latency, places of objects; with axes, units
and a legend."""
import collections
import math
import time

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

SECONDS = 10
NEWEST = 30  # frames of which the rate is
HEIGHT = 150
AXIS = 34  # pixels left of a plot, for its numbers
COLOURS = ((.90, .25, .20), (.20, .60, .90), (.25, .70, .30), (.90, .65, .10),
           (.60, .35, .80), (.10, .70, .70))


class Plots(Gtk.DrawingArea):
    def __init__(self):
        super().__init__()
        self.set_size_request(-1, HEIGHT)
        self.times = collections.deque()
        self.lines = {}  # (plot, name): (second, value), the oldest first
        self.connect("draw", self.draw_plots)

    def rate(self):
        """Frames a second, of the newest frames."""
        recent = list(self.times)[-NEWEST:]
        return (len(recent) - 1) / (recent[-1] - recent[0]) \
            if len(recent) > 1 else 0

    def arrived(self):
        """A frame came; any thread may tell."""
        self.times.append(time.monotonic())

    def add(self, latency, objects):
        """Of a frame that is shown: milliseconds, and the objects with a place."""
        now = time.monotonic()
        while self.times and self.times[0] < now - SECONDS:
            self.times.popleft()
        points = {("frames a second", ""): self.rate(),
                  ("latency, ms", ""): latency}
        for o in objects:
            if o.cx is not None:
                name = f"{o.label or o.element} {o.id}"
                points["x, pixels", name] = o.cx
                points["y, pixels", name] = o.cy
        for key, value in points.items():
            self.lines.setdefault(key, collections.deque()).append((now, value))
        for key, line in list(self.lines.items()):
            while line and line[0][0] < now - SECONDS:
                line.popleft()
            if not line:
                del self.lines[key]
        self.queue_draw()

    def clear(self):
        self.times.clear()
        self.lines.clear()

    def draw_plots(self, _widget, cr):
        area = self.get_allocation()
        cr.set_source_rgb(.12, .12, .12)
        cr.paint()
        titles = list(dict.fromkeys(plot for plot, _ in self.lines))
        for i, title in enumerate(titles):
            lines = {name: line for (plot, name), line in self.lines.items()
                     if plot == title}
            width = area.width / len(titles)
            self.draw_one(cr, title, lines, i * width + 4, width - 8, area.height)

    def draw_one(self, cr, title, lines, left, width, height):
        """One plot, from 0, or the least value, to the greatest one of its lines."""
        values = [value for line in lines.values() for _, value in line]
        low, high = min(values + [0]), rounded_up(max(values + [1e-3]))
        box = x0, top, x1, bottom = box_of(left, width, height)
        cr.set_font_size(11)
        cr.set_source_rgb(.85, .85, .85)
        newest = next(iter(lines.values()))[-1][1]
        cr.move_to(left, 12)
        cr.show_text(f"{title}: {newest:.4g}" if len(lines) == 1 else title)
        self.draw_axes(cr, low, high, box)
        cr.set_line_width(1.2)
        now = time.monotonic()
        for i, line in enumerate(lines.values()):
            cr.set_source_rgb(*COLOURS[i % len(COLOURS)])
            for t, value in line:
                cr.line_to(x0 + (x1 - x0) * (1 - (now - t) / SECONDS),
                           bottom - (bottom - top) * (value - low) / (high - low))
            cr.stroke()
        if any(lines):
            self.draw_legend(cr, list(lines), box)

    def draw_axes(self, cr, low, high, box):
        """Values at the left, seconds at the bottom."""
        x0, top, x1, bottom = box
        cr.set_line_width(1)
        cr.set_font_size(10)
        for part in 0, .5, 1:
            y = round(bottom - part * (bottom - top)) + .5
            cr.set_source_rgb(.3, .3, .3)
            cr.move_to(x0, y)
            cr.line_to(x1, y)
            cr.stroke()
            cr.set_source_rgb(.7, .7, .7)
            text = f"{low + part * (high - low):.4g}"
            cr.move_to(x0 - 4 - cr.text_extents(text).x_advance, y + 3)
            cr.show_text(text)
        for text, x in ((f"-{SECONDS} s", x0), ("now", x1)):
            cr.move_to(x - (x == x1) * cr.text_extents(text).x_advance, bottom + 12)
            cr.show_text(text)
        cr.new_path()

    def draw_legend(self, cr, names, box):
        """As many names as there is room for, in the colours of their lines."""
        x, top, x1, _ = box
        for i, name in enumerate(names):
            length = cr.text_extents(name).x_advance
            if x + length > x1 - 12 * (i < len(names) - 1):
                cr.set_source_rgb(.7, .7, .7)
                name = "…"
            else:
                cr.set_source_rgb(*COLOURS[i % len(COLOURS)])
            cr.move_to(x, top - 3)
            cr.show_text(name)
            if name == "…":
                break
            x += length + 8
        cr.new_path()


def rounded_up(value):
    """The next number of one or two digits that an axis can end at."""
    step = 10 ** math.floor(math.log10(value)) / 2
    return step * math.ceil(value / step)


def box_of(left, width, height):
    """Where the lines are in a plot: left, top, right, bottom."""
    return left + AXIS, 30, left + width - 2, height - 16
