# SPDX-License-Identifier: LGPL-2.1-or-later
"""Gives browsers the page, and makes viewers of them: a viewer asks for an offer,
and answers it.  Nobody else is let in: no page of another site, not even under a name
that leads here (DNS rebinding), and nobody who does not know the token.

    GET    /            the page
    POST   /viewers     {"id": …, "offer": SDP}
    POST   /viewers/ID  the answer's SDP
    DELETE /viewers/ID

Each request has a thread of its own, and is worked on in the main loop."""
import concurrent.futures
import errno
import hmac
import http.server
import ipaddress
import json
import secrets
import socket
import sys
import threading
import urllib.parse
from pathlib import Path

from gi.repository import GLib

PAGE = Path(__file__).with_name("web.html")
LONGEST = 1 << 16  # bytes of an answer
PATIENCE = 10      # seconds
MOST = 64          # requests at a time
POLICY = "default-src 'none'; script-src 'nonce-{0}'; style-src 'nonce-{0}'; " \
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


class Denied(Exception):
    """A status of HTTP, and a sentence."""


def is_own_name(name):
    """Whether @name cannot lead here by another site's choice: an address, or a name
    that this machine itself has."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name in ("localhost", socket.gethostname().lower())
    return True


def in_main_loop(function, *arguments):
    """What @function of the main loop hands to the Future that it gets first."""
    future = concurrent.futures.Future()
    GLib.idle_add(function, future, *arguments)
    try:
        return future.result(PATIENCE)
    except concurrent.futures.TimeoutError:
        raise Denied(503, "GStreamer does not answer.") from None
    except LookupError as error:
        raise Denied(404, str(error.args[0])) from None
    except ValueError as error:
        raise Denied(400, str(error)) from None
    except RuntimeError as error:
        raise Denied(503, str(error)) from None


class Handler(http.server.BaseHTTPRequestHandler):
    timeout = PATIENCE
    server_version, sys_version = "web.py", ""

    def do_GET(self):
        self.answer(self.page)

    def do_POST(self):
        self.answer(self.viewer)

    def do_DELETE(self):
        self.answer(self.end)

    def log_message(self, *_):
        pass

    def answer(self, act):
        """@act returns a body and headers."""
        try:
            self.check_site()
            body, headers = act()
            self.send(200, body, headers)
        except Denied as denied:
            status, sentence = denied.args
            self.send(status, sentence + "\n", {"Content-Type": "text/plain"})
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def send(self, status, body, headers):
        body = body.encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": len(body),
                            "Cache-Control": "no-store",
                            "X-Content-Type-Options": "nosniff"}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def check_site(self):
        host = self.headers.get("Host", "")
        origin = self.headers.get("Origin", f"http://{host}")
        try:
            name = urllib.parse.urlsplit(f"//{host}").hostname
        except ValueError:
            name = None
        if not is_own_name(name or "") or origin != f"http://{host}":
            raise Denied(403, "This is not the site that the browser thinks it is.")

    def check_token(self):
        token = self.server.token
        said = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if token and not hmac.compare_digest(urllib.parse.unquote_to_bytes(said),
                                             token.encode()):
            raise Denied(403, "The token is wrong.")

    def page(self):
        if self.path.partition("?")[0] != "/":
            raise Denied(404, "There is only one page, /.")
        nonce = secrets.token_urlsafe(16)
        return PAGE.read_text(encoding="utf-8").replace("NONCE", nonce), {
            "Content-Type": "text/html; charset=utf-8",
            "Content-Security-Policy": POLICY.format(nonce),
            "Referrer-Policy": "no-referrer"}

    def named(self):
        """The id of a viewer in the path."""
        self.check_token()
        head, _, name = self.path.rpartition("/")
        if head != "/viewers":
            raise Denied(404, "Viewers are at /viewers.")
        return name

    def viewer(self):
        self.check_token()
        body = self.body()
        kind = {"Content-Type": "application/json"}
        if self.path == "/viewers":
            return json.dumps(in_main_loop(self.server.stage.join)), kind
        return json.dumps(in_main_loop(self.server.stage.answer, self.named(), body)), kind

    def end(self):
        return json.dumps(in_main_loop(self.server.stage.leave, self.named())), {}

    def body(self):
        length = self.headers.get("Content-Length", "0")
        if not length.isdecimal() or len(length) > 9 or int(length) > LONGEST:
            raise Denied(413, f"An answer has at most {LONGEST} bytes.")
        try:
            return self.rfile.read(int(length)).decode()
        except UnicodeDecodeError:
            raise Denied(400, "An answer is UTF-8.") from None


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = MOST

    def __init__(self, address, port, token, stage):
        self.address_family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
        self.address, self.token, self.stage = address, token, stage
        self.free = threading.BoundedSemaphore(MOST)
        super().__init__((str(address), port), Handler)

    def server_bind(self):
        """Without asking who this machine is, which may take a while."""
        http.server.socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.address), self.server_address[1]

    def verify_request(self, request, client_address):
        """Beyond MOST, a connection is closed at once."""
        return self.free.acquire(blocking=False)

    def process_request_thread(self, request, client_address):
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.free.release()

    def handle_error(self, request, client_address):
        """A browser that goes away is no error."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)

    def link(self):
        """What to open in a browser."""
        host = socket.gethostname() if self.address.is_unspecified else \
            f"[{self.address}]" if self.address.version == 6 else str(self.address)
        token = f"#{urllib.parse.quote(self.token)}" if self.token else ""
        return f"http://{host}:{self.server_port}/{token}"


def serve(address, port, token, stage):
    """A Server that runs in a thread of its own."""
    try:
        server = Server(address, port, token, stage)
    except (OSError, OverflowError) as error:
        why = {errno.EADDRINUSE: "the port is in use: choose another one by --port",
               errno.EADDRNOTAVAIL: "this is no address of this machine",
               errno.EACCES: "ports below 1024 are for root"}.get(
                   getattr(error, "errno", None), str(error))
        raise OSError(f"{address}, port {port}: {why}") from None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
