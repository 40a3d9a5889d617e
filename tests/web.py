#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""pipelines/apps/web.py, on loopback:

    client   a webrtcbin gets video, and in the data channel boxes where the truth of
             their frame is, and what is under its mouse; it sets properties, learns a
             colour by a click, pauses; viewers that go away, stall or talk nonsense
             disturb no other one; a clip begins anew at its end
    refused  ports, packages and files that are missing; foreign sites, wrong tokens,
             too many viewers
    browser  Chromium plays it and draws the boxes where the truth of the frame is that
             it shows; a click learns a colour; names are drawn, whatever is in them.  A
             picture stays in BUILD/web-pictures

Each is skipped, with 77, without what it needs.  Run it as a test of Meson, which sets
the environment."""
import base64
import contextlib
import importlib.util
import json
import math
import os
import re
import select
import socket
import subprocess
import sys
import tempfile
import time
import types
import unittest.mock
import urllib.error
from pathlib import Path

sys.dont_write_bytecode = True
import chromium  # noqa: E402
import pipelines_inputs as screens  # noqa: E402
from commands import ROOT, make  # noqa: E402

APP = ROOT / "pipelines/apps/web.py"
PICTURES = Path(os.environ.get("BUILD", ROOT / "build")) / "web-pictures"
RED = "objects=red:#c70d0d~22"
NEAR = 3  # pixels
SEEN = {"new", "tracking"}


@contextlib.contextmanager
def served(*arguments):
    """A server, with its address, which ends well."""
    with subprocess.Popen([APP, "--port", "0", *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as server:
        try:
            line = server.stdout.readline().strip()
            assert line.startswith("http://127.0.0.1:"), (line, server.stderr.read())
            server.link, server.address = line, line.partition("#")[0].rstrip("/")
            yield server
            server.terminate()
            said = server.stderr.read()
            assert server.wait(60) == 0, said
            assert not re.search("CRITICAL|WARNING|Traceback", said), said
        finally:
            server.kill()


def truth(nanoseconds, label="red"):
    """The box and the centre of an object of the generated scene at that time."""
    import gstvision
    from gi.repository import Gst
    pipeline = Gst.parse_launch("visiontestsrc ! appsink name=sink sync=false")
    pipeline.set_state(Gst.State.PAUSED)
    pipeline.get_state(Gst.CLOCK_TIME_NONE)
    pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE,
                         nanoseconds)
    buffer = pipeline.get_by_name("sink").emit("pull-preroll").get_buffer()
    assert buffer.pts == nanoseconds, (buffer.pts, nanoseconds)
    found = next(o for o in gstvision.objects(buffer, truth=True) if o.label == label)
    pipeline.set_state(Gst.State.NULL)
    return (found.x, found.y, found.width, found.height), (found.cx, found.cy)


def is_whole(box):
    """Whether nothing hides the disc, whose diameter is 73."""
    return None not in box and min(box[2:]) > 70


def off(box, other):
    return max(abs(a - b) for a, b in zip(box, other))


# ---- Without a browser ----

def boxes(client):
    """The box of red is where the truth of its frame is, in each of some frames."""
    assert client.until(lambda m: m.get("objects")), client.messages
    time.sleep(2)
    seen = [m for m in client.frames() if SEEN & {o["state"] for o in m["objects"]}][:40:4]
    assert len(seen) > 3, client.frames()
    worst = 0
    for message in seen:
        assert message["size"] == [640, 480], message
        box, _ = truth(message["frame"])
        found = [o for o in message["objects"] if o["state"] in SEEN]
        worst = max(worst, min(off(o["box"], box) for o in found))
    assert worst <= NEAR, worst
    named = {m["rtp"] for m in client.frames()}
    video = {stamp for stamp in client.stamps if stamp >= min(named)}
    both = len(video & named) / len(video)
    assert len(video) > 3 and both > .9, (len(video), both)
    print(f"ok   boxes: {len(seen)}, at most {worst:g} pixels off the truth; {both:.2f} of "
          f"{len(video)} frames of the video have a message")


def whole(message):
    """Objects that nothing hides: the middle of the box is the centre."""
    for o in message["objects"]:
        x, y, width, height = o["box"]
        middle = x + (width - 1) / 2, y + (height - 1) / 2
        if is_whole(o["box"]) and math.dist(middle, o["centre"]) < 2:
            yield o


def mouse(client):
    """A map's value: red on the disc, and none far from it."""
    values = []
    for _ in range(60):
        client.say(mouse=None)
        message = client.until(lambda m: m.get("under") == [] and any(whole(m)))
        place = next(whole(message))["centre"]
        client.say(mouse=place)
        message = client.until(lambda m: m.get("under"))
        if not (o := next(whole(message), None)):
            continue
        value, far = dict(message["under"])["labels"], math.dist(o["centre"], place)
        assert value == "red" if far < 20 else far < 60 or value == "none", message
        values.append(value)
        if len(values) > 9:
            break
    client.say(mouse=None)
    assert values.count("red") > 3, values
    assert client.until(lambda m: m.get("under") == [])
    print("ok   mouse")


def setting(client, other):
    """A property is set, and the other viewer is told; others are refused."""
    assert client.until(lambda m: True)
    rows = [row for m in client.messages if "controls" in m
            for _, group in m["controls"] for row in group]
    kinds = {row["name"]: row["kind"] for row in rows}
    assert kinds["min-area"] in ("slider", "number") and kinds["blobs"] == "switch", kinds
    assert kinds["method"] == "choice" and "objects-file" not in kinds, kinds
    client.say(set=["min-area", "300000"])
    assert client.until(lambda m: m.get("objects") == [])
    assert screens.wait_until(lambda: any(
        m.get("values", {}).get("min-area") == "300000" for m in other.messages))
    client.say(set=["min-area", "50"])
    assert client.until(lambda m: m.get("objects"))
    for name, text in ("objects-file", "/etc/passwd"), ("min-area", "x"), \
            ("name", "x"), (["min-area"], "1"), ("min-area", 5), ("label-map", "false"):
        client.say(set=[name, text])
        assert client.until(lambda m: "cannot be" in m.get("say", "") or
                            "unhashable" in m.get("say", "")), (name, text)
    print("ok   setting")


def nonsense(client):
    for text in ("no JSON", "[]", "1", "null", '"set"', '{"set": 1}', '{"set": ["x"]}',
                 '{"point": ["press", NaN, 1, 0, 0]}', '{"point": ["click", 1, 1, 0, 0]}',
                 '{"point": ["press", 1e999, 1, 0, 0]}', '{"point": ["press", {}, 1, 0, 0]}',
                 '{"point": ["release", 1, 1, "x", "y"]}', '{"mouse": [NaN, 1]}',
                 '{"mouse": [-1, 1e9]}', '{"mouse": "xy"}', '{"mouse": [1]}',
                 "[" * 5000, "x" * 50000):
        client.channel.emit("send-string", text)
    assert client.until(lambda m: m.get("say"))
    assert client.until(lambda m: m.get("objects"))
    print("ok   nonsense")


def files_of(server):
    return len(os.listdir(f"/proc/{server.pid}/fd"))


def leaving(server, stays):
    """One goes with a word, one without, one says no more: the other one plays on, and
    their sockets are closed."""
    from web_client import Client
    before_them = files_of(server)
    silent, gone, quits = (Client(server.address) for _ in range(3))
    assert files_of(server) > before_them
    gone.stop()
    quits.leave()
    assert silent.until(lambda m: m.get("objects")), "the server has stopped"
    silent.silent.set()
    end, before, at = time.monotonic() + 40, len(stays.frames()), -1
    while len(silent.frames()) > at:
        at = len(silent.frames())
        assert stays.until(lambda m: "frame" in m, 10), "the one that stays gets nothing"
        stays.until(lambda m: False, 2)
        assert time.monotonic() < end, "who says nothing is served for ever"
    assert len(stays.frames()) > before + 20, (before, len(stays.frames()))
    silent.stop()
    assert screens.wait_until(lambda: files_of(server) <= before_them, 20), \
        (before_them, files_of(server))
    print("ok   leaving")


def paused_whole(viewer):
    """Pauses at a frame in which nothing hides red: its time, and red's truth."""
    for _ in range(20):
        viewer.say(pause=True)
        while viewer.until(lambda m: "frame" in m, 2):
            pass
        frame = viewer.frames()[-1]["frame"]
        box, centre = truth(frame)
        if is_whole(box):
            return frame, box, centre
        viewer.say(pause=True)
        viewer.until(lambda m: False, 1)
    raise AssertionError("red is always hidden")


def pausing(name, drags, near):
    """A click, or a box that is drawn, while it is paused counts for the frame that is
    seen, and is taken back."""
    from web_client import Client
    with served("chromatic", name) as server:
        viewer = Client(server.address)
        assert viewer.until(lambda m: "frame" in m)
        frame, box, centre = paused_whole(viewer)
        x, y, width, height = box
        places = [(x, y), (x + width, y + height)] if drags else [centre, centre]
        for kind, place in zip(("press", "release"), places):
            viewer.say(point=[kind, *place, 0, frame])
        message = viewer.until(lambda m: m.get("objects"))
        assert message and message["frame"] == frame, viewer.frames()[-2:]
        viewer.say(mouse=centre)
        assert viewer.until(lambda m: "frame" not in m and m.get("under"))
        assert min(off(o["box"], box) for o in message["objects"]) <= near, (message, box)
        viewer.say(back=True)
        assert viewer.until(lambda m: m.get("objects") == [])
        viewer.say(pause=True)
        assert viewer.until(lambda m: m.get("frame", 0) > frame)
        viewer.leave()
    print(f"ok   pausing, {name}")


def disparity():
    """Of a map that is shown in the place of the frame."""
    from web_client import Client
    with served("stereo", "pocstereo") as server:
        viewer = Client(server.address)
        viewer.say(mouse=[160, 120])
        message = viewer.until(lambda m: "px" in dict(m.get("under", ())).get(
            "disparity", ""))
        assert message, viewer.frames()[-1]
        viewer.leave()
    print(f"ok   disparity: {dict(message['under'])['disparity']}")


def looping(folder):
    """A clip begins anew, while the video goes on."""
    from web_client import Client
    clip = f"{folder}/clip.avi"
    make("visiontestsrc num-buffers=20 ! videoconvert ! jpegenc ! avimux ! "
         f"filesink location={clip}")
    with served(clip, "moct", RED) as server:
        viewer = Client(server.address)
        assert viewer.until(lambda m: len(viewer.frames()) > 60), len(viewer.frames())
        frames = viewer.frames()
        assert sum(a["frame"] > b["frame"] for a, b in zip(frames, frames[1:])) > 1
        assert all(a["rtp"] < b["rtp"] for a, b in zip(frames, frames[1:]))
        viewer.leave()
    print("ok   looping")


def full_channel():
    """What finds the channel full, or is too long, is dropped and counted; what is sent is
    JSON, whatever metadata has."""
    import web_viewer
    sent = []
    full = {"buffered-amount": web_viewer.FULL + 1}
    channel = types.SimpleNamespace(get_property=full.get,
                                    emit=lambda _, text: sent.append(json.loads(text)))
    viewer = types.SimpleNamespace(channel=channel, dropped=0, is_open=lambda: True)
    web_viewer.Viewer.say(viewer, {"frame": 1})
    full["buffered-amount"] = 0
    web_viewer.Viewer.say(viewer, {"frame": 2, "name": "x" * web_viewer.LONGEST})
    web_viewer.Viewer.say(viewer, {"frame": 3})
    assert sent == [{"frame": 3, "dropped": 2}], sent
    print("ok   full channel")


def many_objects():
    """Of more objects than a message has room for, some are drawn."""
    import web_stage
    import web_viewer
    o = types.SimpleNamespace(label="x" * 200, element="moct0", state="new", id=1, x=1.5,
                              y=1.5, width=9.5, height=9.5, cx=6.25, cy=6.25)
    with unittest.mock.patch("gstvision.objects", return_value=[o] * 2000):
        text = json.dumps(web_stage.all_drawn(None))
    assert web_stage.ROOM * .9 < len(text) < web_viewer.LONGEST, len(text)
    print("ok   many objects")


def early():
    """A page that pauses before the pipeline plays pauses nothing."""
    from gi.repository import Gst
    from visionlive.pausing import Pause
    pipeline = Gst.parse_launch("fakesrc ! identity name=element ! fakesink")
    pause = Pause(pipeline, pipeline.get_by_name("element"), False)
    pause.hold()
    assert not pause.is_on()
    print("ok   early")


def hostile_metadata():
    import gi
    import gstvision
    import web_stage
    from gi.repository import Gst
    try:
        gi.require_version("GstVisionMeta", "1.0")
    except ValueError:
        print("SKIP hostile metadata: this build has no typelib")
        return
    buffer = Gst.Buffer.new_allocate(None, 16, None)
    nan, name = float("nan"), "<img src=x onerror=alert(1)>\u202e\x00"[:-1]
    gstvision.add_objects(buffer, 640, 480, [
        gstvision.Object(label=name, x=nan, y=math.inf, width=3, height=-1e308, cx=nan),
        gstvision.Object(label="n" * 5000, id=(1 << 64) - 1)])
    drawn = [web_stage.drawn(o) for o in gstvision.objects(buffer)]
    text = json.dumps(drawn, allow_nan=False)
    assert drawn[0]["name"] == name and len(drawn[1]["name"]) == web_stage.NAMES, drawn
    assert drawn[0]["box"][:2] == [None, None], text
    print("ok   hostile metadata")


def client():
    from web_client import Client
    full_channel()
    many_objects()
    early()
    hostile_metadata()
    with served("chromatic", "moct", RED, "label-map=true") as server:
        one, other = Client(server.address), Client(server.address)
        boxes(one)
        mouse(one)
        setting(one, other)
        other.stop()
        nonsense(one)
        leaving(server, one)
        one.leave()
    pausing("moct", False, NEAR)
    pausing("emdtrack", True, 2 * NEAR)
    disparity()
    with tempfile.TemporaryDirectory() as folder:
        looping(folder)


# ---- Refused ----

def fails(words, *arguments, **env):
    done = subprocess.run([APP, *arguments], env={**os.environ, **env}, timeout=120,
                          capture_output=True, text=True, check=False)
    assert done.returncode in (1, 2) and words in done.stderr, done
    assert "Traceback" not in done.stderr and not done.stdout, done


def status(address, path="/viewers", body="", method="POST", **headers):
    from web_client import ask
    try:
        ask(address, path, body, method, **{k.replace("_", "-"): v
                                            for k, v in headers.items()})
    except urllib.error.HTTPError as error:
        error.close()
        return error.code
    except json.JSONDecodeError:
        pass
    return 200


def wrong_words():
    with tempfile.TemporaryDirectory() as folder:
        for module in "gi", "gstvision":
            (Path(folder) / module).mkdir()
            (Path(folder) / module / f"{module}.py").write_text(
                f"raise ImportError('no {module}', name='{module}')\n")
            fails(f"web.py: no {module}: install python3-gi",
                  PYTHONPATH=f"{folder}/{module}")
        fails("there is no webrtcbin, nicesink", GST_REGISTRY=f"{folder}/registry",
              GST_PLUGIN_SYSTEM_PATH_1_0=folder)
    fails("nowhere.mp4", "nowhere.mp4")
    fails("is none of moct", "chromatic", "edges")
    fails("min-area cannot be", "chromatic", "moct", "min-area=x")
    fails("no property minarea", "chromatic", "moct", "minarea=1")
    fails("is no NAME=VALUE", "chromatic", "moct", "min-area")
    fails("no address of this machine", "--address", "192.0.2.1")
    fails("--address", "--address", "elsewhere")
    fails("port", "--port", "70000")
    done = subprocess.run([APP, "--port", "0", "http://127.0.0.1:9/none.mp4"], timeout=120,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "web.py: " in done.stderr, done
    print("ok   words")


def answers():
    """Whatever a viewer answers, others are served."""
    from web_client import Client, ask
    session = "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n"
    with served("chromatic", "moct") as server:
        address = server.address
        offer = ask(address, "/viewers")["offer"]
        for text in ("", "\0", "v=0", "m=", "x" * 60000, offer, session,
                     offer.replace("m=video", "m=audio"),
                     session + "m=video 9 UDP/TLS/RTP/SAVPF 96\r\n" * 1000,
                     session + "a=group:BUNDLE a b\r\nm=application 9 UDP/DTLS/SCTP "
                     "webrtc-datachannel\r\na=mid:a\r\na=sctp-port:99999999\r\n"):
            path = "/viewers/" + ask(address, "/viewers")["id"]
            assert status(address, path, text) in (200, 400), text
            ask(address, path, method="DELETE")
        viewer = Client(address)
        assert viewer.until(lambda m: "frame" in m)
        viewer.leave()
    print("ok   answers")


def crowd(server):
    """Of connections that say nothing, only some are kept."""
    port, files = int(server.address.rpartition(":")[2]), []

    def settled():
        files.append(files_of(server))
        return sum(map(is_closed, silent)) >= 36

    with contextlib.ExitStack() as stack:
        silent = [stack.enter_context(socket.create_connection(("127.0.0.1", port)))
                  for _ in range(100)]
        assert screens.wait_until(settled)
    assert max(files) < 90, files
    assert screens.wait_until(lambda: files_of(server) < 30)


def is_closed(connection):
    """Whether the server has closed it; nothing was sent."""
    return bool(select.select([connection], [], [], 0)[0])


def refused():
    import gi
    gi.require_version("Gst", "1.0")
    wrong_words()
    answers()
    with served("--token", "se cret", "chromatic", "moct") as server:
        address = server.address
        port = address.rpartition(":")[2]
        fails("the port is in use", "--port", port)
        token = {"Authorization": "Bearer se cret"}
        for headers in {}, {"Authorization": "Bearer secret"}, {"Authorization": "se"}, \
                {"Authorization": "Bearer \xe9"}:
            assert status(address, **headers) == 403, headers
        for host in "evil.example", f"evil.example:{port}", "", "[", f"127.0.0.1.evil:{port}":
            for method, path in ("GET", "/"), ("POST", "/viewers"):
                assert status(address, path, method=method, Host=host, **token) == 403, host
        for origin in "http://evil.example", "null", f"https://127.0.0.1:{port}", \
                "http://127.0.0.1:1":
            assert status(address, Origin=origin, **token) == 403, origin
        own = dict(token, Origin=address)
        assert status(address, "/", method="GET") == 200
        assert status(address, "/web.html", method="GET") == 404
        assert status(address, "/viewers/nobody", "v=0", **own) == 404
        assert status(address, "/elsewhere", "v=0", **own) == 404
        for length in "70000", "9" * 5000, "-1", "x":
            assert status(address, Content_Length=length, **own) == 413, length
        assert status(address, "//[", method="GET") == 404
        crowd(server)
        many = [status(address, **own) for _ in range(9)]
        assert many == [200] * 8 + [503], many
        assert screens.wait_until(lambda: status(address, **own) == 200, 60)
    print("ok   refused")


# ---- In a browser ----

def pixels_of(page):
    """The frame that is shown, and what the canvas has: its message, width, RGB."""
    text = page.value("""(() => {
      const pixels = context.getImageData(0, 0, picture.width, picture.height).data;
      const rgb = pixels.filter((_, i) => i % 4 < 3);
      let text = "";
      for (let i = 0; i < rgb.length; i += 30000)
        text += String.fromCharCode(...rgb.subarray(i, i + 30000));
      return JSON.stringify([page.shown, picture.width]) + "\\n" + btoa(text);
    })()""")
    head, _, pixels = text.partition("\n")
    return *json.loads(head), base64.b64decode(pixels)


def red_in(pixels, width):
    """The box of the red pixels."""
    places = [divmod(i // 3, width) for i in range(0, len(pixels), 3)
              if pixels[i] > 140 and max(pixels[i + 1], pixels[i + 2]) < 50]
    rows, columns = [y for y, _ in places], [x for _, x in places]
    return min(columns), min(rows), max(columns) - min(columns) + 1, \
        max(rows) - min(rows) + 1


def is_drawn(page):
    """How far the box in the message, and the red pixels of the frame, are off the truth
    of the frame that is shown, and how much of that box is drawn; None where red is
    hidden."""
    message, width, pixels = pixels_of(page)
    box, _ = truth(message["frame"])
    if not is_whole(box):
        return None
    return min((off(o["box"], box) for o in message["objects"]), default=math.inf), \
        off(red_in(pixels, width), box), screens.outline(pixels, width, 0, 0, box)


def press_space(page):
    page.value("document.activeElement.blur()")
    for kind in "keyDown", "keyUp":
        page.ask("Input.dispatchKeyEvent", type=kind, key=" ", code="Space", text=" ")


def halted(page):
    frame = page.value("page.shown.frame")
    time.sleep(1.5)
    return page.value("page.shown.frame") == frame


def seen_at(page, place):
    """Where in the window a pixel of the frame is."""
    left, top, scale = page.value("(({x, y, width}) => [x, y, width / picture.width])"
                                  "(picture.getBoundingClientRect())")
    return left + place[0] * scale, top + place[1] * scale


def learned(page):
    """A click at red while it is paused."""
    for _ in range(20):
        press_space(page)
        assert screens.wait_until(lambda: halted(page))
        box, centre = truth(page.value("page.shown.frame"))
        if is_whole(box):
            break
        press_space(page)
        time.sleep(1)
    assert not page.value("page.shown.objects.length")
    page.click(*seen_at(page, centre))
    assert screens.wait_until(lambda: page.value("page.shown.objects.length"))
    found, red, part = is_drawn(page)
    assert page.value("page.shown.objects[0].name") == "click 1"
    assert found <= NEAR and red <= NEAR and part > .6, (found, red, part)
    print(f"ok   learned: the box is {found:g} pixels off the truth, {part:.2f} of it drawn")
    press_space(page)
    assert screens.wait_until(lambda: not halted(page))


def followed(page):
    """While it plays, the box is drawn in the frame that it belongs to."""
    seen = []
    for _ in range(60):
        seen += filter(None, [is_drawn(page)])
        if len(seen) == 8:
            break
        time.sleep(.5)
    good = [part for found, red, part in seen if found <= NEAR and red <= NEAR]
    assert len(good) > 4 and max(good) > .6, seen
    print(f"ok   followed: in {len(good)} of {len(seen)} frames box and red pixels are where "
          "the truth is")


def pointed(page):
    """What the map says under the mouse is below the frame."""
    def told():
        x, y = seen_at(page, page.value("page.shown.objects[0].centre"))
        page.mouse("mouseMoved", x, y)
        return "labels click 1" in page.value("at('under').textContent")
    assert screens.wait_until(told), page.value("at('under').textContent")
    page.picture(PICTURES / "web.jpg")
    print("ok   pointed")


def moved(page):
    """A slider sets a property; a name that is HTML is drawn as text."""
    page.value("""(() => {
      const {input} = inputs.get("min-area");
      input.value = 300000;
      input.dispatchEvent(new Event("input"));
    })()""")
    assert screens.wait_until(lambda: not page.value("page.shown.objects.length"))
    evil = "<img src=x onerror=document.title='evil'>"
    page.value("heard(" + json.dumps(json.dumps({
        "say": evil, "controls": [[evil, [{"name": evil, "text": evil, "kind": "choice",
                                           "choices": [evil]}]]],
        "values": {evil: evil}, "dropped": 0})) + ")")
    page.value("draw(" + json.dumps({
        "frame": 0, "rtp": 0, "size": [640, 480], "under": [[evil, evil]], "objects": [
            {"name": evil, "id": 1, "element": evil, "state": evil, "box": [9, 9, 9, 9],
             "centre": [None, None]}]}) + ")")
    time.sleep(1)
    assert page.value("document.title") == "Live"
    assert page.value("document.images.length") == 0
    assert page.value("document.querySelector('summary').textContent") == evil
    print("ok   moved")


def browser():
    if not chromium.browser():
        print("SKIP browser: Chromium is not installed")
        sys.exit(77)
    PICTURES.mkdir(parents=True, exist_ok=True)
    with served("--token", "se cret €%41", "chromatic", "moct", "label-map=true") as server, \
            chromium.page(1100, 720) as page:
        page.open(server.address)
        assert screens.wait_until(lambda: page.value(
            "document.body && document.body.textContent.includes('The token is wrong.')"))
        page.said.clear()  # 403
        page.open(server.link)  # the page begins anew with the token
        assert screens.wait_until(lambda: page.value("typeof page === 'object' && page.drawn > 3")), \
            page.said
        learned(page)
        followed(page)
        pointed(page)
        moved(page)
        assert not page.said, page.said
        before = files_of(server)
        page.open("about:blank")  # it goes in the middle of the stream
        assert screens.wait_until(lambda: files_of(server) < before, 30)


def need_packages():
    spec = importlib.util.spec_from_file_location("app", APP)
    app = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(app)
    try:
        app.modules()
    except SystemExit as sentence:
        print(f"SKIP {sentence}")
        sys.exit(77)


if __name__ == "__main__":
    sys.path[1:1] = [str(ROOT / "tools"), str(ROOT / "pipelines/apps")]
    need_packages()
    with unittest.mock.patch.dict(os.environ, screens.environment(), clear=True):
        {"client": client, "refused": refused, "browser": browser}[sys.argv[1]]()
