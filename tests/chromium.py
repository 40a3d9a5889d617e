# SPDX-License-Identifier: LGPL-2.1-or-later
"""A page in Chromium without a screen, by the browser's protocol for debuggers over a
pair of pipes."""
import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE = 60  # seconds


def browser():
    """The path of Chromium, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Page:
    """Of the process whose pipes are @write and @read."""

    def __init__(self, write, read):
        self.write, self.read, self.rest = write, read, b""
        self.number, self.said, self.session = 0, [], None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target,
                                flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log":
            self.ask(f"{domain}.enable")

    def ask(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            for answer in self.messages(end - time.monotonic()):
                if answer.get("id") == self.number:
                    assert "error" not in answer, (method, answer)
                    return answer["result"]
        raise AssertionError(f"Chromium does not answer {method}")

    def messages(self, seconds):
        """What has come; errors on the page's console are kept in `said`."""
        if not select.select([self.read], [], [], seconds)[0]:
            return
        data = os.read(self.read, 1 << 20)
        assert data, "Chromium has ended"
        *whole, self.rest = (self.rest + data).split(b"\0")
        for text in whole:
            message = json.loads(text)
            if message.get("method") == "Runtime.exceptionThrown" or \
                    message.get("method") == "Log.entryAdded" and \
                    message["params"]["entry"]["level"] == "error":
                self.said.append(message["params"])
            yield message

    def open(self, address):
        self.ask("Page.navigate", url=address)

    def value(self, script):
        """Of an expression of JavaScript."""
        found = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        for kind in "mousePressed", "mouseReleased":
            self.mouse(kind, x, y, button="left", clickCount=1)

    def picture(self, path):
        """A JPEG of what is seen."""
        shot = self.ask("Page.captureScreenshot", format="jpeg", quality=70)
        path.write_bytes(base64.b64decode(shot["data"]))


@contextlib.contextmanager
def page(width, height):
    to_read, to_write = os.pipe(), os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{to_read[0]} 4>&{to_write[1]}', "bash", browser(),
             "--headless", "--disable-gpu", "--remote-debugging-pipe",
             f"--user-data-dir={home}", f"--window-size={width},{height}",
             *(["--no-sandbox"] if os.geteuid() == 0 else [])],
            pass_fds=(to_read[0], to_write[1]), stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL)
        os.close(to_read[0])
        os.close(to_write[1])
        try:
            yield Page(to_read[1], to_write[0])
        finally:
            os.close(to_read[1])  # it ends where its pipe does
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            os.close(to_write[0])
