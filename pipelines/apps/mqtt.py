#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Publishes each line of the standard input by MQTT, at least once:

    … ! visionjson ! fakesink | mqtt.py HOST[:PORT] TOPIC [KEEP]

While the broker is away it tries again and again, and KEEP lines wait (10000); what
comes beyond them is lost.  At the end of the input, or at Ctrl-C, lines that wait have
PATIENCE seconds (30; a variable of the environment) to leave; then what was lost is
counted.  Needs python3-paho-mqtt."""
import os
import sys
import threading
import time

import paho.mqtt.client as mqtt

# Seconds in which lines that wait in the end must leave.
PATIENCE = float(os.environ.get("PATIENCE", 30))

if not 3 <= len(sys.argv) <= 4:
    sys.exit(__doc__)
if len(sys.argv) > 3 and not (sys.argv[3].isdecimal() and int(sys.argv[3]) > 0):
    sys.exit(f"KEEP must be a number from 1 on, not {sys.argv[3]}")
host, _, port = sys.argv[1].partition(":")
topic, keep = sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 10000
version = getattr(mqtt, "CallbackAPIVersion", None)  # since 2.0
client = mqtt.Client(*([version.VERSION2] if version else []))
client.max_queued_messages_set(keep)
client.reconnect_delay_set(1, 8)
client.connect_async(host, int(port or 1883))
arrived = threading.Semaphore(0)  # counts the broker's answers
client.on_publish = lambda *_: arrived.release()
client.loop_start()  # a thread, which also connects again

kept = lost = 0
try:
    for line in sys.stdin:
        told = client.publish(topic, line.rstrip("\n"), qos=1)
        if told.rc == mqtt.MQTT_ERR_QUEUE_SIZE:
            lost += 1
        else:
            kept += 1
except KeyboardInterrupt:
    pass  # what waits may still leave
end = time.monotonic() + PATIENCE
while kept and arrived.acquire(timeout=max(end - time.monotonic(), 0)):
    kept -= 1
client.disconnect()
client.loop_stop()
if lost + kept:
    sys.exit(f"{lost + kept} lines were lost: the broker {sys.argv[1]} was away for "
             "too long")
