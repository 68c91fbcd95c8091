"""What goes wrong inside, and what MQTT cannot carry: each request has its reply, and the link lives on."""

from __future__ import annotations

import asyncio
import logging
import socket
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import aiomqtt
import pytest
from fakes.mqtt_house import BASE, House, open_house
from fakes.real_mosquitto import Broker, Gate, Listener, eventually

from claudemem_edge.counters import Counters
from claudemem_edge.shapes.options import MqttOptions
from claudemem_edge.shapes.turn import Ask, Said
from claudemem_edge.transport import mqtt, mqtt_link
from claudemem_edge.transport.mqtt_client import BrokerClient
from claudemem_edge.transport.mqtt_link import MqttLink
from claudemem_edge.transport.mqtt_messages import Letter
from claudemem_edge.transport.mqtt_outbox import Outbox
from claudemem_edge.transport.mqtt_topics import Topics

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from fakes.fake_ollama import FakeOllama

    from claudemem_edge.shapes.turn import TurnEvent

pytestmark = pytest.mark.broker
WORDS = "zanzibarix"
HERE = f"{BASE}/chat/anna/reply"


def broken(*_: object, **__: object) -> None:
    raise RuntimeError(WORDS)


def told_of(house: House, scopes: int) -> bool:
    return any(state["scopes"] == scopes for state in house.on("state"))


def link_to(port: int, **options: str) -> MqttLink:
    options_ = replace(MqttOptions(port=port, reconnect_first_s=0.05, reconnect_most_s=0.2), **options)  # type: ignore[arg-type]
    return MqttLink(options_, Topics("home"), Counters(), receive=broken, greet=list)


@pytest.mark.parametrize(
    ("fault", "path", "answer"),
    [
        ("observe", "memory/anna/observe", "memory/anna/observed"),
        ("context", "memory/anna/context", "memory/anna/context/result"),
    ],
)
async def test_a_request_that_fails_inside_has_its_reply(
    house: House,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: str,
    path: str,
    answer: str,
) -> None:
    house.sessions.observe("anna", "user", "Hello.")
    monkeypatch.setattr(house.sessions, fault, broken)
    reply = await house.request(path, {"text" if fault == "observe" else "query": "Hello.", "id": "r-1"}, answer)
    assert (reply["id"], reply["error"]["code"]) == ("r-1", "internal")
    assert WORDS not in f"{reply}{caplog.text}"


@pytest.mark.parametrize("ends", [True, False])
async def test_a_turn_that_fails_inside_or_has_no_ending_has_its_reply(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, *, ends: bool
) -> None:
    async def turn(ask: Ask) -> AsyncIterator[TurnEvent]:
        yield Said(ask.id, "Hello.")
        if not ends:
            broken()

    monkeypatch.setattr(house.sessions, "turn", turn)
    reply = await house.say("Hello.")
    assert reply["error"]["code"] == "internal"
    assert WORDS not in f"{reply}{caplog.text}"


async def test_health_that_cannot_be_told_is_told_later(
    broker: Broker, fake: FakeOllama, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(mqtt, "LOOK_EVERY_S", 0.02)
    async with open_house(broker, fake) as house:
        with monkeypatch.context() as change:
            change.setattr(house.door._health, "report", broken)
            await eventually(lambda: "health could not be told: RuntimeError" in caplog.text)
        for count, scope in enumerate(("anna", "bert"), 1):
            house.sessions.observe(scope, "user", "Hello.")
            await eventually(partial(told_of, house, count))
    assert WORDS not in caplog.text


async def test_a_door_that_has_stopped_says_nothing_more(house: House) -> None:
    await house.door.stop()
    await house.door.stop()
    before = len(house.client.messages)
    house.door._send(Letter(HERE, b"late", qos=1, keep=True))
    await house.publish("chat/anna/reply", b"mine")
    await eventually(lambda: len(house.client.messages) > before)
    assert [one.payload for one in house.client.messages[before:]] == [b"mine"]
    assert house.door.status() == mqtt.NOT_STARTED


async def test_a_letter_that_mqtt_cannot_carry_holds_up_no_other(broker: Broker) -> None:
    link = link_to(broker.port)
    async with Listener(broker, HERE) as listener:
        link.start()
        await eventually(lambda: link.connected)
        link.send(Letter(f"{BASE}/#", b"to all", qos=1, keep=True))
        link.send(Letter(HERE, b"passing", correlation=b"c-1"))
        passing = await listener.until(lambda one: one.payload == b"passing")
        assert getattr(passing.properties, "CorrelationData", b"") == b"c-1"
        assert link._counters.count("dropped") == 1
        await link.stop(Letter(HERE, b"bye", qos=1))


async def test_a_letter_that_finds_the_connection_gone_goes_over_the_next(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> None:
        raise aiomqtt.MqttError("not yet noticed")

    link = link_to(broker.port)
    async with Listener(broker, HERE) as listener:
        link.start()
        await eventually(lambda: link.connected)
        assert link._client is not None
        its_socket = link._client._client.socket()
        assert isinstance(its_socket, socket.socket)
        monkeypatch.setattr(link._client, "post", gone)
        link.send(Letter(HERE, b"words", qos=1, keep=True))
        await eventually(lambda: link.status()["waiting"] == 1 and not link._pumping)
        its_socket.shutdown(socket.SHUT_RDWR)
        await listener.until(lambda one: one.payload == b"words")
        await link.stop(Letter(HERE, b"bye", qos=1))


async def test_a_broker_that_acknowledges_nothing_is_left(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mqtt_link, "WATCH_EVERY_S", 0.02)
    async with Gate(broker) as gate:
        link = link_to(gate.port)
        link.start()
        await eventually(lambda: link.status()["echo_ms"] is not None)
        monkeypatch.setattr(mqtt_link, "ANSWER_TIMEOUT_S", 0.1)
        gate.swallow(everything=True)
        link.send(Letter(HERE, b"words", qos=1, keep=True))
        await eventually(lambda: link.status()["problem"] == "it does not acknowledge what we publish")
        gate.swallow(everything=False)
        monkeypatch.setattr(mqtt_link, "ANSWER_TIMEOUT_S", 20.0)
        await eventually(lambda: link.connected and link.status()["waiting"] == 0)
        await link.stop(Letter(HERE, b"bye", qos=1))


async def test_somebody_elses_echo_changes_nothing(broker: Broker) -> None:
    link = link_to(broker.port)
    async with Listener(broker, f"{BASE}/#") as other:
        link.start()
        await eventually(lambda: link.status()["echo_ms"] is not None)
        told = link.status()["echo_ms"]
        await other.client.publish(link._echo_topic, b"", qos=1)
        await other.client.publish(f"{BASE}/memory/anna/get", b"{}", qos=1)
        await eventually(lambda: link._counters.errors() == {"internal": 1})  # which was taken after it
        assert (link.status()["echo_ms"], link.status()["connects"]) == (told, 1)
        await link.stop(Letter(HERE, b"bye", qos=1))


async def test_a_password_file_that_is_not_there_is_told(broker: Broker, tmp_path: Path) -> None:
    link = link_to(broker.port, username="edge", password_file=str(tmp_path / "none"))
    link.start()
    await eventually(lambda: link.status()["problem"] == "the password file is not there")
    await link.stop(Letter(HERE, b"bye", qos=1))


async def test_a_link_that_never_started_can_be_stopped() -> None:
    await link_to(1).stop(Letter(HERE, b"bye", qos=1))


def test_a_topic_that_is_refused_each_time_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    link = link_to(1)
    for _ in range(2):
        link._look_at(("a/b",))
    assert caplog.text.count("does not let us subscribe to a/b") == 1
    assert link.status()["refused"] == ["a/b"]


async def test_publishing_without_a_connection_raises() -> None:
    client = BrokerClient(MqttOptions(), "edge", Letter(HERE, b"offline"), broken, modern=True)
    with pytest.raises(aiomqtt.MqttCodeError):
        client.post(Letter(HERE, b"words", qos=1))


def test_a_letter_acknowledged_twice_is_let_go_once() -> None:
    outbox = Outbox(8, Counters())
    outbox.away = False
    outbox.put(Letter(HERE, b"words", qos=1, keep=True))
    posting = outbox.take(0)
    assert posting is not None
    outbox.done(posting)
    outbox.done(posting)
    assert len(outbox) == 0


async def test_giving_up_before_there_is_a_socket_leaves_nothing_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        options = MqttOptions(port=silent.getsockname()[1])
        client = BrokerClient(options, "edge", Letter(HERE, b"offline"), broken, modern=True)
        entering = asyncio.create_task(client.enter())
        await asyncio.sleep(0)
        entering.cancel()
        await asyncio.wait((entering,))
        assert entering.cancelled()
        await client.leave()
