#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results that leave the machine:

    schema      lines of every element are as docs/visionjson.schema.json says
    broker      what is published by mosquitto_pub, or by mqtt.py, is what a
                subscriber gets, also where the broker restarts meanwhile
    away        what mqtt.py cannot keep for a broker that is away is counted,
                also after Ctrl-C; that it is to keep none is refused

Each is skipped where python3-jsonschema, or mosquitto with its clients, is
missing.  Run it as a test of Meson, which sets the environment."""
import getpass
import json
import os
import re
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
import schema  # noqa: E402
from commands import ROOT, run  # noqa: E402

APP = ROOT / "pipelines/apps/mqtt.py"
LINES = {
    "moct": "visiontestsrc num-buffers=20 label-map=true ! moct "
            "objects='red:#c70d0d~22;blue:#3864d2~20' trajectory=full "
            "label-map=true",
    "gpuccl": "visiontestsrc pattern=rgbd path=towards speed=3 motion-start=2 "
              "num-buffers=20 ! gpuccl label-map=true",
    "emdtrack": "visiontestsrc pattern=multispectral channels=8 num-buffers=5 ! "
                "emdtrack targets='target:58,76,74,74' emd-map=true",
    "points": "visiontestsrc pattern=stereo view=side-by-side num-buffers=2 ! "
              "pocstereo mode=points max-disparity=64 "
              "intrinsics=700,700,319.5,239.5 baseline=0.06",
    "dense": "visiontestsrc pattern=stereo view=side-by-side num-buffers=1 ! "
             "video/x-raw,width=640,height=240 ! pocstereo max-disparity=32",
    "clutter": "visiontestsrc pattern=clutter view=color num-buffers=1 ! "
               "visionmeta intrinsics=500,500,320,240",
}


def check_schema():
    for name, line in LINES.items():
        text = run(["gst-launch-1.0", "-q", *shlex.split(
            f"{line} ! visionjson stream={name} utc=true lists=true ! fakesink")])
        n = schema.check_lines(text.splitlines())
        if n is None:
            print("SKIP schema: python3-jsonschema is missing")
            return
        first = json.loads(text.splitlines()[0])
        assert first["stream"] == name and first["utc"].endswith("Z"), first
        print(f"ok   {name}: {n} lines")
    wrong = json.dumps(dict(first, pts=-1))
    try:
        schema.check_lines([wrong])
    except AssertionError:
        return
    raise AssertionError("the schema takes a negative time")


def wait_for(port):
    for _ in range(600):
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(.05)
    raise AssertionError(f"nothing answers at port {port}")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def cookbook_line():
    """The line with mosquitto_pub in the cookbook."""
    text = (ROOT / "docs/cookbook.md").read_text().replace("\\\n", " ")
    line, = [part for part in text.splitlines()
             if "mosquitto_pub" in part and "gst-launch-1.0" in part]
    return line.strip()


def start(broker, folder, port):
    config = Path(folder) / "broker.conf"
    config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\n"
                      f"persistence true\npersistence_location {folder}/\n"
                      f"user {getpass.getuser()}\n")
    server = subprocess.Popen([broker, "-c", config], stderr=subprocess.DEVNULL)
    wait_for(port)
    return server


def until_subscribed(subscriber, port, topic):
    """Words are published until one arrives; some may be left."""
    while not select.select([subscriber.stdout], [], [], .2)[0]:
        subprocess.run(["mosquitto_pub", "-h", "127.0.0.1", "-p", str(port),
                        "-t", topic, "-m", "word"], check=True)


def check_broker():
    broker = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
    if not os.path.exists(broker) or not shutil.which("mosquitto_pub"):
        print("SKIP broker: mosquitto or its clients are missing")
        return
    for restart in False, True:
        with tempfile.TemporaryDirectory() as folder:
            publish(broker, folder, free_port(), "mosquitto_pub -p {port} ", restart)
    if subprocess.run([APP, "--help"], capture_output=True, text=True,
                      check=False).stderr.startswith("Publishes"):
        with tempfile.TemporaryDirectory() as folder:
            publish(broker, folder, free_port(), f"{APP} 127.0.0.1:{{port}} "
                    "vision/door # ", True)
            away()
            interrupted()
            keeping_nothing()
    else:
        print("SKIP mqtt.py: python3-paho-mqtt is missing")


def away():
    """Nothing answers at the port, and two lines may wait."""
    done = subprocess.run(
        ["bash", "-c", f"seq 10 | PATIENCE=1 {APP} 127.0.0.1:{free_port()} topic 2"],
        capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and done.stderr.startswith("10 lines were lost"), done
    print("ok   a broker that does not come")


def interrupted():
    """Ctrl-C while the input goes on: what waits is counted.  The first lines were
    published once all were read, because a reader takes 8 KiB at a time."""
    read, write = os.pipe()
    with subprocess.Popen([APP, f"127.0.0.1:{free_port()}", "topic"], stdin=read,
                          stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "PATIENCE": "1"}) as process:
        os.write(write, b"line\n" * 4000)
        while select.select([read], [], [], 0)[0]:
            time.sleep(.05)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
    os.close(read)
    os.close(write)
    found = re.match(r"(\d+) lines were lost", said)
    assert process.returncode == 1 and found and int(found[1]) <= 4000, said
    print("ok   Ctrl-C")


def keeping_nothing():
    for keep in "0", "-1", "few":
        done = subprocess.run([APP, "127.0.0.1", "topic", keep], capture_output=True,
                              text=True, timeout=60, check=False)
        assert done.returncode == 1 and done.stderr.startswith("KEEP must be"), done
    print("ok   KEEP below 1 is refused")


def publish(broker, folder, port, publisher, restart):
    """The cookbook's line, with @publisher in the place of its own; with @restart,
    the broker is away for a while."""
    kept, n = f"{folder}/kept.json", 90 if restart else 30
    line = cookbook_line().replace(
        "mosquitto_pub ", publisher.format(port=port)).replace(
        "visionjson ", f"visionjson location={kept} ! visionjson ", 1).replace(
        "num-buffers=30", f"num-buffers={n}")
    server = start(broker, folder, port)
    with subprocess.Popen(
            ["mosquitto_sub", "-h", "127.0.0.1", "-p", str(port), "-t",
             "vision/door", "-q", "1", "-W", "100", "-i", "test", "-c"],
            stdout=subprocess.PIPE, text=True) as subscriber:
        until_subscribed(subscriber, port, "vision/door")
        with subprocess.Popen(["bash", "-c", line],
                              stderr=subprocess.DEVNULL) as running:
            if restart:
                time.sleep(1.5)
                server.terminate()
                server.wait()
                time.sleep(.5)
                server = start(broker, folder, port)
            got = {}  # QoS 1: at least once
            while len(got) < n and (text := subscriber.stdout.readline()):
                if text == "word\n":
                    continue
                frame = json.loads(text)
                got[frame["frame"]] = frame
            assert running.wait(timeout=60) == 0
        subscriber.terminate()
    server.terminate()
    server.wait()
    sent = [json.loads(text) for text in Path(kept).read_text().splitlines()]
    got = [got[number] for number in sorted(got)]
    for frame in got:
        assert frame.pop("stream") == "door" and frame.pop("utc"), frame
    assert len(sent) == n and got == sent, (len(got), len(sent))
    print(f"ok   {n} lines by {publisher.split()[0].rpartition('/')[2]} and a broker"
          f"{', which restarted' * restart}")


if __name__ == "__main__":
    check_schema()
    check_broker()
