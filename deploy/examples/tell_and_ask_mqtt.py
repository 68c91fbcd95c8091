#!/usr/bin/env python3
"""Tells the daemon something over MQTT, asks about it, and prints the answer as it comes. Needs paho-mqtt 2.

deploy/examples/tell_and_ask_mqtt.py [SCOPE]
"""

from __future__ import annotations

import json
import os
import queue
import sys
import uuid
from typing import Any

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

HOST, PORT = os.environ.get("MQTT_HOST", "127.0.0.1"), int(os.environ.get("MQTT_PORT", "1883"))
BASE = f"claudemem/{os.environ.get('MQTT_INSTANCE', 'home')}"
PATIENCE_S = 60


class Daemon:
    """Requests over one connection. Replies are told apart by the id that each request brings along."""

    def __init__(self, scope: str) -> None:
        self._scope = scope
        self._arrived: queue.Queue[tuple[str, dict[str, Any]]] = queue.Queue()
        self._client = Client(CallbackAPIVersion.VERSION2)
        self._client.on_connect = self._on_connect
        self._client.on_message = self._on_message
        self._client.connect(HOST, PORT)
        self._client.loop_start()
        self._arrived.get(timeout=PATIENCE_S)  # connected

    def _on_connect(self, *_: Any) -> None:
        # Here and not once: after a broker's restart the subscriptions are gone.
        for kind in ("chat", "memory"):
            self._client.subscribe(f"{BASE}/{kind}/{self._scope}/#", qos=1)
        self._arrived.put(("", {}))

    def _on_message(self, _client: Client, _userdata: object, message: MQTTMessage) -> None:
        try:
            body = json.loads(message.payload)
        except ValueError:
            return  # an exception here would end the client's thread
        self._arrived.put((message.topic.rpartition("/")[2], body))

    def ask(self, kind: str, ends: str, **body: Any) -> dict[str, Any]:
        """Send a request, print what comes on the way, and return its reply, which comes on the level `ends`."""
        first, last = kind.split("/")
        request = {"id": uuid.uuid4().hex, **body}
        self._client.publish(f"{BASE}/{first}/{self._scope}/{last}", json.dumps(request), qos=1)
        while True:
            level, news = self._arrived.get(timeout=PATIENCE_S)
            if news.get("id") != request["id"]:
                continue
            if level == "delta":
                print(news["text"], end="", flush=True)
            elif level == ends:
                if not news["ok"]:
                    sys.exit(news["error"]["text"])
                return news

    def close(self) -> None:
        """Hang up."""
        self._client.disconnect()
        self._client.loop_stop()


def main(scope: str) -> None:
    """Play the conversation."""
    daemon = Daemon(scope)
    learned = daemon.ask("memory/observe", "observed", text="My doctor put me on amlodipine 5 mg.")
    print("learned:", ", ".join(change["kind"] + " " + change["record"] for change in learned["changed"]))
    daemon.ask("chat/request", "reply", text="Which medicine do I take?")
    reminder = "Remind me tomorrow at 10 am to measure my blood pressure."
    print("\n" + daemon.ask("chat/request", "reply", text=reminder, stream=False)["text"])
    daemon.close()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "kim")
