"""An MQTT door between a real broker and real sessions over a fake language model, and a client in front of it."""

from __future__ import annotations

import json
import uuid
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fakes.house import close_models, make_sessions
from fakes.real_mosquitto import Broker, Listener, eventually

from claudemem_edge.counters import Counters
from claudemem_edge.notices import Notices
from claudemem_edge.shapes.options import MqttOptions
from claudemem_edge.transport.health import Health
from claudemem_edge.transport.mqtt import MqttDoor

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from fakes.fake_ollama import FakeOllama

    from claudemem_edge.sessions import Sessions

BASE = "claudemem/home"
PIECES = ("Your cousin ", "plays ", "the oboe.")


@dataclass
class House:
    """A door with everything behind it, and a client in front of it that hears all topics."""

    door: MqttDoor
    sessions: Sessions
    notices: Notices
    counters: Counters
    client: Listener

    async def publish(self, path: str, payload: str | bytes | dict[str, Any], **options: Any) -> None:
        data = json.dumps(payload) if isinstance(payload, dict) else payload
        await self.client.client.publish(f"{BASE}/{path}", data, **{"qos": 1, **options})

    async def request(self, path: str, payload: str | bytes | dict[str, Any] = "", answer: str = "") -> dict[str, Any]:
        """Publish a request and return the next message on the topic of its answer."""
        before = len(self.client.on(f"{BASE}/{answer}"))
        await self.publish(path, payload)
        return (await self.replies(answer, before + 1))[before]

    async def say(self, text: str, scope: str = "anna", **fields: Any) -> dict[str, Any]:
        """Ask, and return the reply."""
        asked = {"id": uuid.uuid4().hex, "text": text, **fields}
        await self.publish(f"chat/{scope}/request", asked)
        return await self.reply_to(asked["id"], scope)

    async def reply_to(self, ask_id: str, scope: str = "anna") -> dict[str, Any]:
        topic = f"{BASE}/chat/{scope}/reply"
        message = await self.client.until(lambda one: one.topic.value == topic and ask_id.encode() in one.payload)
        return decoded(message.payload)

    async def replies(self, path: str, count: int) -> list[dict[str, Any]]:
        """Return what came on a topic, once there are so many."""
        await eventually(lambda: len(self.client.on(f"{BASE}/{path}")) >= count)
        return [decoded(payload) for payload in self.client.on(f"{BASE}/{path}")]

    def on(self, path: str) -> list[dict[str, Any]]:
        return [decoded(payload) for payload in self.client.on(f"{BASE}/{path}")]

    def heard(self, scope: str = "anna") -> list[str]:
        """Return what is remembered of the user's words."""
        if scope not in self.sessions.scopes():
            return []
        rows = self.sessions.peek(scope).view(at=self.sessions.now())["statements"]
        return [row["text"] for row in rows if row["speaker"] == "user"]


def decoded(payload: bytes) -> dict[str, Any]:
    value = json.loads(payload)
    assert isinstance(value, dict)
    return value


@asynccontextmanager
async def open_house(broker: Broker, fake: FakeOllama, **changes: Any) -> AsyncIterator[House]:
    """Open a house, already connected; the keywords are options of the door."""
    fast = MqttOptions(enabled=True, port=broker.port, reconnect_first_s=0.05, reconnect_most_s=0.2)
    sessions, notices, counters = make_sessions(fake.url), Notices(), Counters()
    health = Health(sessions, sessions._model, counters)  # type: ignore[arg-type] # the client, seen as what answers
    door = MqttDoor(replace(fast, **changes), sessions, notices, health, counters=counters, deadline_s=20)
    health.mqtt = door.status
    async with Listener(broker, f"{BASE}/#") as client:
        await door.start()
        await client.until(lambda one: one.topic.value == f"{BASE}/status" and one.payload == b"online")
        try:
            yield House(door, sessions, notices, counters, client)
        finally:
            await sessions.stop()
            await door.stop()
            await close_models()
