#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the two PNGs that pipelines/scopedetect.sh takes, colour and depth in
millimetres, of a compressed PCD file of x, y, z, rgba that a depth camera took:

    docs/plots/pcd_frame.py CLOUD.pcd COLOR.png DEPTH.png"""
import re
import struct
import sys
import zlib


def inflate(data, size):
    """LZF, by which the Point Cloud Library compresses."""
    out, at = bytearray(), 0
    while at < len(data):
        control = data[at]
        at += 1
        if control < 32:
            out += data[at:at + control + 1]
            at += control + 1
            continue
        length = control >> 5
        if length == 7:
            length += data[at]
            at += 1
        start = len(out) - ((control & 31) << 8) - data[at] - 1
        at += 1
        for k in range(start, start + length + 2):
            out.append(out[k])
    assert len(out) == size, (len(out), size)
    return bytes(out)


def write_png(path, width, height, bits, kind, pixels):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + \
            struct.pack(">I", zlib.crc32(name + data))

    row = len(pixels) // height
    lines = b"".join(b"\0" + pixels[k * row:(k + 1) * row] for k in range(height))
    head = struct.pack(">IIBBBBB", width, height, bits, kind, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) +
                   chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def main(cloud, color, depth):
    with open(cloud, "rb") as file:
        data = file.read()
    head = data[:data.index(b"DATA binary_compressed\n")].decode()
    assert "FIELDS x y z rgba\n" in head, head
    width, height = (int(re.search(rf"{word} (\d+)", head)[1])
                     for word in ("WIDTH", "HEIGHT"))
    at, n = len(head) + len("DATA binary_compressed\n"), width * height
    packed, size = struct.unpack_from("<II", data, at)
    numbers = inflate(data[at + 8:at + 8 + packed], size)
    z = struct.unpack_from(f"<{n}f", numbers, 8 * n)
    write_png(depth, width, height, 16, 0, b"".join(
        struct.pack(">H", round(1000 * v) if v == v else 0) for v in z))
    bgra = numbers[12 * n:]
    rgb = bytearray(3 * n)
    rgb[0::3], rgb[1::3], rgb[2::3] = bgra[2::4], bgra[1::4], bgra[0::4]
    write_png(color, width, height, 8, 2, bytes(rgb))


if len(sys.argv) != 4:
    sys.exit(__doc__)
main(*sys.argv[1:])
