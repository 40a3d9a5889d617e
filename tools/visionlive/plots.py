# SPDX-License-Identifier: LGPL-2.1-or-later
"""The last seconds as lines: frames a second, latency, places of objects."""
import collections
import time

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

SECONDS = 10
NEWEST = 30  # frames of which the rate is
HEIGHT = 150
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
        """One plot, from the least to the greatest value of its lines."""
        now = time.monotonic()
        values = [value for line in lines.values() for _, value in line]
        low, high = min(values + [0]), max(values + [1e-3])
        top, bottom = 18, height - 4
        cr.set_source_rgb(.8, .8, .8)
        cr.set_font_size(11)
        cr.move_to(left, 12)
        newest = next(iter(lines.values()))[-1][1]
        cr.show_text(f"{title}: {newest:.4g}" if len(lines) == 1 else
                     f"{title}: 0 to {high:.4g}")
        cr.new_path()
        cr.set_line_width(1.2)
        for i, line in enumerate(lines.values()):
            cr.set_source_rgb(*COLOURS[i % len(COLOURS)])
            for t, value in line:
                cr.line_to(left + width * (1 - (now - t) / SECONDS),
                           bottom - (bottom - top) * (value - low) / (high - low))
            cr.stroke()
