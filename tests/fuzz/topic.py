"""An MQTT message made of bytes, taken by the real requests over real sessions."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from fakes.house import make_sessions

from claudemem_edge.counters import Counters
from claudemem_edge.shapes.options import MqttOptions
from claudemem_edge.transport.mqtt_messages import Arrival
from claudemem_edge.transport.mqtt_requests import Requests
from claudemem_edge.transport.mqtt_topics import REPLY_TO, Topics

if TYPE_CHECKING:
    from claudemem_edge.transport.mqtt_messages import Letter

TOPICS = Topics("home")
KINDS = (*(f"{first}/anna/{last}" for first, last in REPLY_TO), "")
NOWHERE = "http://127.0.0.1:9"
FRESH_AFTER = 200
"""Messages after which the memories are made anew: an input must not need a thousand others to be seen again."""


class Broker:
    """Hands messages over: a byte chooses topic and flags, a line feed ends the rest of the topic, payload follows."""

    def __init__(self) -> None:
        self._letters: list[Letter] = []
        self._taken = 0
        self._requests = self._fresh()

    def _fresh(self) -> Requests:
        options = MqttOptions()
        return Requests(options, TOPICS, make_sessions(NOWHERE), Counters(), send=self._letters.append, deadline_s=1)

    def take(self, data: bytes) -> None:
        """Every request has one answer, which is no request; nothing else has any. None fails inside."""
        asyncio.run(self._take(data))

    async def _take(self, data: bytes) -> None:
        self._taken += 1
        if self._taken % FRESH_AFTER == 0:
            self._requests = self._fresh()
        first, rest = (data[0], data[1:]) if data else (0, b"")
        written, _, payload = rest.partition(b"\n")
        kind = KINDS[first % len(KINDS)]
        topic = f"{TOPICS.base}/{kind or written.decode('utf-8', 'replace')}"
        respond_to = written.decode("utf-8", "replace") if kind else ""
        retained = first >= 0xF0
        arrival = Arrival(topic, payload, retained=retained, stored=first >= 0xF8, respond_to=respond_to)
        self._letters.clear()
        self._requests.take(arrival)
        await self._requests.stop(within_s=1.0)
        self._check(arrival)

    def _check(self, arrival: Arrival) -> None:
        answers = [letter for letter in self._letters if not letter.topic.endswith(("/accepted", "/delta"))]
        silent = TOPICS.call(arrival.topic) is None or arrival.stored or (arrival.retained and not arrival.payload)
        assert len(answers) == (0 if silent else 1), answers
        for letter in self._letters:
            assert TOPICS.call(letter.topic) is None
            assert not letter.retain
            assert json.loads(letter.payload).get("error", {}).get("code") != "internal"
