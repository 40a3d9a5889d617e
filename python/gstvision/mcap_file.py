# SPDX-License-Identifier: LGPL-2.1-or-later
"""An MCAP file that is written while frames come."""
import os

# A chunk is what a process that is killed may lose.
CHUNK = 512 * 1024


def open_new(path):
    """A new file, or a device or FIFO.  A regular file that exists is refused."""
    if os.path.isfile(path):
        raise FileExistsError(f"{path} exists already: remove it, or name another file")
    return open(path, "wb")


class McapFile:
    """@register makes a schema: it gets the writer and a message, and returns the
    schema's number and the bytes' encoding."""

    def __init__(self, path, profile):
        from mcap.writer import CompressionType, Writer
        self.file = open_new(path)
        # frames are compressed already, so the faster of the two is enough
        self.writer = Writer(self.file, chunk_size=CHUNK, compression=CompressionType.LZ4)
        self.writer.start(profile, "gstvision")
        self.channels, self.schemas, self.count = {}, {}, 0

    def add(self, topic, schema, encoding, stamp, data):
        """@schema: name, encoding, text; those of each name are equal."""
        key = topic, schema[0]
        if key not in self.channels:
            if schema[0] not in self.schemas:
                self.schemas[schema[0]] = self.writer.register_schema(*schema)
            self.channels[key] = self.writer.register_channel(
                topic, encoding, self.schemas[schema[0]])
        self.writer.add_message(channel_id=self.channels[key], log_time=stamp,
                                publish_time=stamp, data=data, sequence=self.count)
        self.count = (self.count + 1) & 0xffffffff
        self.file.flush()

    def close(self):
        try:
            self.writer.finish()
        finally:
            self.file.close()
