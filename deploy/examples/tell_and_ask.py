#!/usr/bin/env python3
"""Tells the daemon something over its Unix socket, asks about it, and sets a reminder. Needs nothing but Python.

deploy/examples/tell_and_ask.py [SCOPE]
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

SOCKET = os.environ.get("CLAUDEMEM_SOCKET", "/run/claudemem-edge/api.sock")


class UnixConnection(http.client.HTTPConnection):
    """HTTP over the daemon's socket."""

    def connect(self) -> None:
        """Open the socket instead of a port."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(SOCKET)


def lines(method: str, path: str, body: dict[str, Any] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of an answer as they come. Exits with the daemon's own sentence when it refuses."""
    connection = UnixConnection("localhost")
    try:
        payload = json.dumps(body) if body is not None else None
        connection.request(method, path, payload, {"Content-Type": "application/json"})
        with connection.getresponse() as reply:
            for line in reply:
                row = json.loads(line)
                if "error" in row:
                    sys.exit(f"{row['error']['text']} {row['error']['hint']}".strip())
                yield row
    finally:
        connection.close()


def main(scope: str) -> None:
    """Play the conversation."""
    memory = f"/memory/{scope}"
    (learned,) = lines("POST", f"{memory}/observe", {"text": "My doctor put me on amlodipine 5 mg."})
    print("learned:", ", ".join(change["kind"] + " " + change["record"] for change in learned["changed"]))

    for event in lines("POST", f"{memory}/say", {"text": "Which medicine do I take?"}):
        if event["event"] == "delta":
            print(event["text"], end="", flush=True)
        elif event["event"] == "final":
            print("\nthe model had read:", event["context"]["text"])

    reminder = "Remind me tomorrow at 10 am to measure my blood pressure."
    (said,) = lines("POST", f"{memory}/say", {"text": reminder, "stream": False})
    print(said["text"])
    (pending,) = lines("GET", f"{memory}/pending")
    for item in pending["items"]:
        print(item["id"], item["due"], item["text"])


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "kim")
