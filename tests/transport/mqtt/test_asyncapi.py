"""The topics are described, and what goes over them is as described."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from fakes.documents import Document
from fakes.mqtt_house import BASE, House
from fakes.real_mosquitto import eventually

from claudemem_edge.shapes.turn import Notice
from claudemem_edge.transport.describe.asyncapi import CALLS, asyncapi
from claudemem_edge.transport.describe.shapes import document_text
from claudemem_edge.transport.mqtt_topics import REPLY_TO
from claudemem_edge.transport.schema import schema_bytes

if TYPE_CHECKING:
    from fakes.fake_ollama import FakeOllama

pytestmark = pytest.mark.broker
DOCUMENT = Document("asyncapi")
REFERENCE = re.compile(r'"\$ref": "#/([^"]+)"')
TO_OURSELVES = f"{BASE}/echo/"
"""The way through the broker and back; of use to nobody else."""


def test_the_document_is_that_of_the_code() -> None:
    assert schema_bytes("asyncapi").decode() == document_text(asyncapi()), (
        "the shapes changed: run python -m claudemem_edge.transport.describe, and say in CHANGELOG.md what is new"
    )


def test_every_kind_of_request_is_described() -> None:
    assert CALLS.keys() == REPLY_TO.keys()


def test_every_reference_leads_somewhere() -> None:
    text = schema_bytes("asyncapi").decode()
    document = json.loads(text)
    for reference in set(REFERENCE.findall(text)):
        found: Any = document
        for level in reference.split("/"):
            found = found[level]
        assert found


def channel_of(topic: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the description of the channel a topic belongs to."""
    (found,) = (
        (name, channel)
        for name, channel in DOCUMENT.content["channels"].items()
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", channel["address"]), topic)
    )
    return found


def check(topic: str, payload: bytes) -> tuple[str, str]:
    """Hold a payload against its channel; return channel and message. Raises AssertionError when it is none of them."""
    name, channel = channel_of(topic)
    plain = any(message.get("contentType") == "text/plain" for message in channel["messages"].values())
    value = payload.decode() if plain else json.loads(payload)
    fitting = [title for title, message in channel["messages"].items() if DOCUMENT.admits(message["payload"], value)]
    assert len(fitting) == 1, f"{name}: {payload.decode()} is {fitting or 'nothing that is described'}"
    return name, fitting[0]


async def test_every_message_is_as_described(house: House, fake: FakeOllama) -> None:
    await house.request("memory/anna/get", {"id": "g-0"}, "memory/anna/state")
    words = {"text": "My cousin plays the oboe.", "id": "o-1"}
    await house.request("memory/anna/observe", words, "memory/anna/observed")
    assert (await house.say("Who plays the oboe?"))["ok"]
    assert (await house.say("Remind me tomorrow at ten am to call Ann."))["ok"]
    assert (await house.say("Hello.", stream=False))["ok"]
    await house.request("memory/anna/context", {"query": "oboe?", "limit_chars": 90}, "memory/anna/context/result")
    await house.request("memory/anna/get", {"id": "g-1"}, "memory/anna/state")
    await house.request("pending/anna/set", {"op": "cancel", "id": "p1"}, "pending/anna/result")
    await house.request("pending/anna/set", {"op": "done", "id": "p77"}, "pending/anna/result")
    fake.next("gated")
    before = len(fake.asked)
    await house.publish("chat/anna/request", {"id": "r-1", "text": "Tell me a long story."})
    await fake.wait_asked(before + 1)
    await house.request("chat/anna/cancel", {"id": "r-1"}, "chat/anna/cancelled")
    assert (await house.reply_to("r-1"))["end"] == "cancelled"
    fake.next("400")
    assert (await house.say("Tell me another."))["end"] == "failed"
    await house.request("memory/anna/forget", {"what": "all"}, "memory/anna/forgotten")
    await house.request("memory/anna/forget", {"what": "all", "confirm": True}, "memory/anna/forgotten")
    house.notices.publish(Notice("anna", "p1", "due", "call Ann", "2030-01-01T10:00:00+08:00", "en", "mqtt:hall"))
    await house.replies("event/anna/due", 1)
    await house.publish("chat/Not A Scope/request", {"text": "x"})
    await house.replies("error", 1)
    wanted = set(DOCUMENT.content["channels"])

    def seen() -> set[tuple[str, str]]:
        heard = [(one.topic.value, one.payload) for one in house.client.messages]
        return {check(topic, bytes(payload)) for topic, payload in heard if not topic.startswith(TO_OURSELVES)}

    await eventually(lambda: {name for name, _ in seen()} == wanted)
    replies = {message for name, message in seen() if name == "chat_request_reply"}
    assert replies == {"ChatReply", "FailedReply", "CancelledReply"}
