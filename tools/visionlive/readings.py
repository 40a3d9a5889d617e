# SPDX-License-Identifier: LGPL-2.1-or-later
"""What maps and objects of a frame say about one of its pixels."""
import struct

import gstvision

LISTS = "matches", "points"  # maps that are no pictures
CODES = {"u8": "B", "u16": "H", "u32": "I", "f32": "f"}
UNITS = {"disparity": " px", "sigma": " px", "depth": " m"}


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
