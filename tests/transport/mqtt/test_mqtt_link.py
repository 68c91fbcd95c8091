"""The link alone, against a real mosquitto that is killed, started again, and says no."""

from __future__ import annotations

import asyncio
import logging
import socket
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from fakes.real_mosquitto import Broker, Gate, Listener, eventually, free_port

from claudemem_edge.counters import Counters
from claudemem_edge.shapes.options import MqttOptions
from claudemem_edge.transport.mqtt_client import read_password
from claudemem_edge.transport.mqtt_link import MqttLink
from claudemem_edge.transport.mqtt_messages import Arrival, Letter
from claudemem_edge.transport.mqtt_topics import Topics

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

pytestmark = pytest.mark.broker
TOPICS = Topics("home")
REQUEST = "claudemem/home/chat/kitchen/request"
REPLY = "claudemem/home/chat/kitchen/reply"
ONLINE = Letter(TOPICS.status, b"online", qos=1, retain=True)
OFFLINE = Letter(TOPICS.status, b"offline", qos=1, retain=True)


class Linked:
    """A link, and what came in over it."""

    def __init__(self, options: MqttOptions) -> None:
        self.arrivals: list[Arrival] = []
        self.counters = Counters()
        self.link = MqttLink(options, TOPICS, self.counters, receive=self.arrivals.append, greet=lambda: [ONLINE])

    @property
    def payloads(self) -> list[bytes]:
        return [arrival.payload for arrival in self.arrivals]


def options_for(broker: Broker) -> MqttOptions:
    return MqttOptions(enabled=True, port=broker.port, reconnect_first_s=0.05, reconnect_most_s=0.2)


@asynccontextmanager
async def linked(options: MqttOptions) -> AsyncIterator[Linked]:
    made = Linked(options)
    made.link.start()
    yield made
    await made.link.stop(OFFLINE)


def reply(text: bytes, loop_s: float, **changes: object) -> Letter:
    return replace(Letter(REPLY, text, qos=1, keep=True, expires_s=loop_s + 60), **changes)  # type: ignore[arg-type]


async def test_what_arrives_is_handed_on_and_what_is_sent_arrives(broker: Broker) -> None:
    async with linked(options_for(broker)) as made, Listener(broker, REPLY) as listener:
        await eventually(lambda: made.link.connected)
        await listener.client.publish(REQUEST, "你好", qos=1)
        await eventually(lambda: made.payloads == ["你好".encode()])
        made.link.send(reply(b"hello", asyncio.get_running_loop().time()))
        answer = await listener.until(lambda message: message.payload == b"hello")
        assert 0 < getattr(answer.properties, "MessageExpiryInterval", 0) <= 60


async def test_a_broken_connection_is_told_by_the_will_and_made_again(broker: Broker) -> None:
    async with linked(options_for(broker)) as made, Listener(broker, TOPICS.status) as listener:
        await listener.until(lambda message: message.payload == b"online")
        broker_side_only(made.link)
        await listener.until(lambda message: message.payload == b"offline")
        await eventually(lambda: made.link.connected and made.link.status()["connects"] == 2)
        await eventually(lambda: listener.on(TOPICS.status)[-1] == b"online")


async def test_a_connection_that_only_looks_alive_is_made_anew(
    broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    async with Gate(broker) as gate, linked(replace(options_for(broker), port=gate.port, health_every_s=0.05)) as made:
        await eventually(lambda: made.link.status()["echo_ms"] is not None)
        gate.swallow(everything=True)
        await eventually(lambda: "does not send us our own messages" in caplog.text)
        gate.swallow(everything=False)
        await eventually(lambda: made.link.status()["connects"] == 2)
        broker.publish(REQUEST, "hello")
        await eventually(lambda: made.payloads == [b"hello"])


async def test_a_broker_that_answers_late_is_tried_again(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("claudemem_edge.transport.mqtt_client.ANSWER_TIMEOUT_S", 0.5)
    async with Gate(broker) as gate:
        gate.swallow(everything=True)
        async with linked(replace(options_for(broker), port=gate.port)) as made:
            await eventually(lambda: "imed out" in str(made.link.status()["problem"]))
            gate.swallow(everything=False)
            await eventually(lambda: made.link.connected)


async def test_farewell_is_offline(broker: Broker) -> None:
    async with linked(options_for(broker)) as made:
        await eventually(lambda: made.link.connected)
    assert broker.run("mosquitto_sub", "-t", TOPICS.status, "-C", "1", "-W", "10") == b"offline\n"


@pytest.mark.parametrize("attempt", range(5))
async def test_a_killed_broker_gets_its_subscriptions_and_the_replies_that_waited(broker: Broker, attempt: int) -> None:
    async with linked(options_for(broker)) as made:
        await eventually(lambda: made.link.connected)
        broker.kill()
        await eventually(lambda: not made.link.connected)
        made.link.send(Letter("claudemem/home/chat/kitchen/delta", b"passing"))
        now_s = asyncio.get_running_loop().time()
        made.link.send(reply(b"too late", now_s, expires_s=now_s))
        made.link.send(reply(b"waited", now_s))
        made.link.send(reply(b"waited too", now_s))
        broker.start()
        async with Listener(broker, "claudemem/home/chat/#") as listener:
            await eventually(lambda: made.link.connected)
            await listener.client.publish(REQUEST, b"again", qos=1)
            await eventually(lambda: made.payloads == [b"again"])
        await eventually(lambda: made.link.status()["waiting"] == 0)
        assert made.counters.count("dropped") == 1


async def test_a_full_outbox_loses_the_oldest_and_counts_it(broker: Broker) -> None:
    options = replace(options_for(broker), port=free_port(), outbox=2)
    async with linked(options) as made:
        now_s = asyncio.get_running_loop().time()
        for text in (b"1", b"2", b"3"):
            made.link.send(reply(text, now_s))
        assert made.link.status()["waiting"] == 2
        assert made.counters.count("dropped") == 1


async def test_a_refused_password_is_told_once_and_tried_again(
    guarded_broker: Broker, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("wrong\n")
    options = replace(options_for(guarded_broker), username="edge", password_file=str(secret))
    log = guarded_broker.folder / "mosquitto.log"
    with caplog.at_level(logging.DEBUG):
        async with linked(options) as made:
            await eventually(lambda: log.read_text("utf-8").count("not authorised") >= 4)
            assert made.link.status()["problem"] == "it refuses our user name or password"
            assert caplog.text.count("refuses our user name or password") == 1
            assert "wrong" not in caplog.text
            secret.write_text("right\n")
            await eventually(lambda: made.link.connected)


@asynccontextmanager
async def old_broker() -> AsyncIterator[tuple[int, list[int]]]:
    """A broker that knows MQTT 3.1.1 alone and grants no subscription: its port, and the versions it was asked for."""
    versions: list[int] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readexactly(9)
        versions.append(head[8])
        writer.write(b"\x20\x02\x00\x01" if head[8] == 5 else b"\x20\x02\x00\x00")
        await reader.readexactly(head[1] - 7)
        packet = await reader.read(4096)
        if packet:
            writer.write(b"\x90\x0a" + packet[3:5] + b"\x80" * 8)
            await reader.read()
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], versions


async def test_a_broker_that_knows_only_the_old_version_is_spoken_to_in_it(caplog: pytest.LogCaptureFixture) -> None:
    async with (
        old_broker() as (port, versions),
        linked(MqttOptions(port=port, reconnect_first_s=0.01, reconnect_most_s=0.02)) as made,
    ):
        await eventually(lambda: made.link.connected)
        assert versions == [5, 4]
        assert made.link.status()["protocol"] == "3.1.1"
        assert len(made.link.status()["refused"]) == 8
        assert caplog.text.count("does not let us subscribe to claudemem/home/chat/+/request") == 1


async def test_what_the_old_version_had_stored_says_so(broker: Broker) -> None:
    broker.publish(REQUEST, "stored", "-r")
    made = Linked(options_for(broker))
    made.link._modern = False
    made.link.start()
    await eventually(lambda: len(made.arrivals) == 1)
    broker.publish(REQUEST, "live", "-r")
    await eventually(lambda: len(made.arrivals) == 2)
    assert [(one.payload, one.stored) for one in made.arrivals] == [(b"stored", True), (b"live", False)]
    await made.link.stop(OFFLINE)


async def test_a_unix_listener_needs_no_port(broker: Broker) -> None:
    async with linked(replace(options_for(broker), port=1, socket=broker.socket)) as made:
        await eventually(lambda: made.link.status()["echo_ms"] is not None)
        broker.publish(REQUEST, "hello")
        await eventually(lambda: made.payloads == [b"hello"])


async def test_small_packets_are_not_held_back(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Held back, a QoS 1 round trip costs 88 ms; the option on the socket is what is looked at here."""
    async with linked(options_for(broker)) as made:
        await eventually(lambda: made.link.connected)
        connection = made.link._client
        assert connection is not None
        its_socket = connection._client.socket()
        assert isinstance(its_socket, socket.socket)
        assert its_socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1


async def test_a_rule_against_echoes_does_not_keep_us_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rules = tmp_path / "rules"
    rules.write_text("topic readwrite claudemem/home/chat/#\ntopic readwrite claudemem/home/status\n")
    broker = Broker(tmp_path, extra=(f"acl_file {rules}",))
    broker.start()
    try:
        async with linked(options_for(broker)) as made:
            await eventually(lambda: "does not give us back" in caplog.text)
            broker.publish(REQUEST, "hello")
            await eventually(lambda: made.payloads == [b"hello"])
            assert made.link.status()["connects"] == 1
            assert made.link.status()["echo_ms"] is None
    finally:
        broker.kill()


async def test_a_message_that_cannot_be_taken_does_not_end_the_connection(
    broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    def receive(arrival: Arrival) -> None:
        raise ValueError(arrival.payload.decode())

    counters = Counters()
    link = MqttLink(options_for(broker), TOPICS, counters, receive=receive, greet=list)
    link.start()
    await eventually(lambda: link.connected)
    broker.publish(REQUEST, "my secret")
    await eventually(lambda: counters.errors() == {"internal": 1})
    assert link.status()["connects"] == 1
    assert "secret" not in caplog.text
    await link.stop(OFFLINE)


async def test_a_letter_that_breaks_the_connection_is_given_up(tmp_path: Path) -> None:
    small = Broker(tmp_path, extra=("max_packet_size 2000",))
    small.start()
    try:
        async with linked(options_for(small)) as made:
            await eventually(lambda: made.link.connected)
            now_s = asyncio.get_running_loop().time()
            made.link.send(reply(b"x" * 4000, now_s))
            made.link.send(reply(b"small", now_s))
            await eventually(lambda: made.link.connected and made.link.status()["waiting"] == 0)
            assert made.counters.count("dropped") == 1
    finally:
        small.kill()


async def test_stopping_while_connecting_leaves_nothing_open() -> None:
    silent = socket.create_server(("127.0.0.1", 0))
    with silent:
        options = MqttOptions(port=silent.getsockname()[1])
        async with linked(options):
            accepted, _ = await asyncio.to_thread(silent.accept)
        with accepted:
            accepted.settimeout(10)
            while await asyncio.to_thread(accepted.recv, 100):
                pass  # until it is closed from the other side


@pytest.mark.parametrize(
    ("content", "expected"), [("geheim\n", "geheim"), ("geheim\r\n", "geheim"), (" geheim ", " geheim "), ("", "")]
)
def test_a_password_is_what_stands_in_its_file(tmp_path: Path, content: str, expected: str) -> None:
    file = tmp_path / "mqtt-password"
    file.write_text(content, "utf-8", newline="")
    assert read_password(str(file), {}) == expected
    assert read_password("mqtt-password", {"CREDENTIALS_DIRECTORY": str(tmp_path)}) == expected
    assert read_password("", {}) is None


def broker_side_only(link: MqttLink) -> None:
    """Break the connection without a word of ours, as a killed process would."""
    assert link._client is not None
    its_socket = link._client._client.socket()
    assert isinstance(its_socket, socket.socket)
    its_socket.shutdown(socket.SHUT_RDWR)
