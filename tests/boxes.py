# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of tools that make their scenes themselves share: checks that
go on, and pictures of depth."""
import struct
import zlib

failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAIL", what)


def write_grey(path, rows):
    """A PNG of 16 bits."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(
            ">I", zlib.crc32(kind + data))
    pixels = b"".join(b"\0" + struct.pack(f">{len(row)}H", *row)
                      for row in rows)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(
        b"IHDR", struct.pack(">2I5B", len(rows[0]), len(rows), 16, 0, 0, 0, 0)) +
        chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b""))
