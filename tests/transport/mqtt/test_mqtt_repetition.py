"""The same request twice: one effect, and the same reply each time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from fakes.mqtt_house import BASE, House, open_house
from fakes.real_mosquitto import Broker, Gate, Listener, eventually

from claudemem_edge.shapes.turn import Notice

if TYPE_CHECKING:
    from fakes.fake_ollama import FakeOllama

pytestmark = pytest.mark.broker
WORDS = "My cousin plays the oboe in Leeds"
REMINDER = "提醒我明天上午10点测血压"


async def test_the_same_id_again_has_no_effect_and_gets_the_same_reply(house: House, fake: FakeOllama) -> None:
    for _ in range(2):
        await house.publish("chat/anna/request", {"id": "r-1", "text": WORDS})
    await house.reply_to("r-1")
    assert len(house.on("chat/anna/reply")) == 1, "one that comes during the turn is answered with it"
    await house.publish("chat/anna/request", {"id": "r-1", "text": WORDS})
    first, second = await house.replies("chat/anna/reply", 2)
    assert first == second
    assert house.heard() == [WORDS]
    assert len(fake.asked) == 1
    assert house.counters.count("repeated") == 2


async def test_a_repeat_during_the_turn_is_answered_where_it_asks_to_be(
    house: House, broker: Broker, fake: FakeOllama
) -> None:
    fake.next("gated")
    await house.publish("chat/anna/request", {"id": "r-1", "text": WORDS})
    await fake.wait_asked()
    broker.run(
        "mosquitto_pub", "-V", "5", "-D", "publish", "response-topic", f"{BASE}/reply/me",
        "-t", f"{BASE}/chat/anna/request", "-m", f'{{"id": "r-1", "text": "{WORDS}"}}',
    )  # fmt: skip
    await eventually(lambda: house.counters.count("repeated") == 1)
    fake.release(9)
    assert await house.replies("reply/me", 1) == await house.replies("chat/anna/reply", 1)
    assert house.heard() == [WORDS]


async def test_the_same_id_after_a_lost_connection_gets_the_same_reply(broker: Broker, fake: FakeOllama) -> None:
    async with Gate(broker) as gate, open_house(broker, fake, port=gate.port) as house:
        first = await house.say(REMINDER, id="r-1")
        await gate.shut()
        await eventually(lambda: not house.door.status()["connected"])
        await gate.open()
        await eventually(lambda: house.door.status()["connected"] is True)
        await house.publish("chat/anna/request", {"id": "r-1", "text": REMINDER})
        assert (await house.replies("chat/anna/reply", 2))[1] == first
        assert len(house.sessions.peek("anna").pending()) == 1


async def test_the_same_id_in_another_scope_is_another_request(house: House) -> None:
    await house.say(REMINDER, "anna", id="r-1")
    await house.say(REMINDER, "bert", id="r-1")
    assert len(house.sessions.peek("anna").pending()) == len(house.sessions.peek("bert").pending()) == 1


async def test_a_window_that_is_over_makes_it_a_new_request(broker: Broker, fake: FakeOllama) -> None:
    async with open_house(broker, fake, deduplicate_s=0.05) as house:
        await house.say(REMINDER, id="r-1")
        await asyncio.sleep(0.1)
        await house.publish("chat/anna/request", {"id": "r-1", "text": REMINDER})
        await house.replies("chat/anna/reply", 2)
        assert len(house.on("chat/anna/accepted")) == 2


async def test_what_was_forgotten_is_not_repeated(house: House) -> None:
    await house.say(REMINDER, id="r-1")
    house.sessions.command("anna", "forget_all", "confirmed")
    await house.publish("chat/anna/request", {"id": "r-1", "text": REMINDER})
    second = (await house.replies("chat/anna/reply", 2))[1]
    assert second["error"]["code"] == "expired"
    assert "测血压" not in str(second)
    assert house.heard() == []


async def test_what_one_visitor_was_told_is_not_repeated_to_the_next(house: House) -> None:
    await house.say(REMINDER, "visit-1", id="r-1")
    house.sessions.end("visit-1")
    house.sessions.observe("visit-1", "user", WORDS)
    await house.publish("chat/visit-1/request", {"id": "r-1", "text": WORDS})
    second = (await house.replies("chat/visit-1/reply", 2))[1]
    assert second["error"]["code"] == "expired"
    assert "测血压" not in str(second)


async def test_what_waited_for_the_broker_is_not_told_to_the_next_visitor(broker: Broker, fake: FakeOllama) -> None:
    async with Gate(broker) as gate, open_house(broker, fake, port=gate.port) as house:
        fake.next("gated", pieces=[WORDS])
        await house.publish("chat/visit-1/request", {"id": "r-1", "text": WORDS})
        await fake.wait_asked()
        await gate.shut()
        await eventually(lambda: not house.door.status()["connected"])
        fake.release(9)
        await eventually(lambda: house.door.status()["waiting"] == 1)
        house.sessions.end("visit-1")
        house.sessions.observe("visit-1", "user", "Hello.")
        await gate.open()
        reply = await house.reply_to("r-1", "visit-1")
        assert (reply["ok"], reply["error"]["code"]) == (False, "expired")


async def test_stored_requests_are_never_carried_out(broker: Broker, fake: FakeOllama) -> None:
    broker.publish(f"{BASE}/chat/anna/request", REMINDER, "-r", "-q", "1")
    for _ in range(3):
        async with open_house(broker, fake) as house:
            assert (await house.say(WORDS, "bert"))["ok"], "the door is open, and has seen what there is"
            assert house.heard("anna") == []
            assert house.on("chat/anna/reply") == []


async def test_a_request_that_asks_to_be_stored_is_refused(house: House) -> None:
    await house.publish("chat/anna/request", {"id": "r-1", "text": REMINDER}, retain=True)
    error = (await house.reply_to("r-1"))["error"]
    assert (error["code"], "retain" in error["hint"]) == ("bad_request", True)
    await house.publish("chat/anna/request", b"", retain=True)
    await eventually(lambda: house.counters.count("retained_ignored") == 2)
    assert len(house.on("chat/anna/reply")) == 1, "clearing it is no request"
    assert house.heard() == []


async def test_an_unread_reply_is_not_stored(house: House, broker: Broker) -> None:
    await house.say(REMINDER)
    async with Listener(broker, f"{BASE}/#") as late:
        await late.until(lambda message: message.topic.value == f"{BASE}/status")
        await late.client.publish(f"{BASE}/memory/bert/observe", WORDS, qos=1)
        await late.until(lambda message: message.topic.value.endswith("/observed"))
        stored = [message.topic.value for message in late.messages if message.retain]
        assert set(stored) == {f"{BASE}/{name}" for name in ("status", "info", "health", "state")}


async def test_what_waited_for_the_broker_is_not_told_once_it_is_forgotten(broker: Broker, fake: FakeOllama) -> None:
    async with Gate(broker) as gate, open_house(broker, fake, port=gate.port) as house:
        fake.next("gated", pieces=[WORDS])
        await house.publish("chat/anna/request", {"id": "r-1", "text": WORDS})
        await fake.wait_asked()
        await gate.shut()
        await eventually(lambda: not house.door.status()["connected"])
        fake.release(9)
        house.sessions.observe("anna", "user", REMINDER)
        notice = Notice("anna", "p1", "due", "测血压", "2030-01-01T10:00:00+08:00")
        house.notices.publish(notice)
        await eventually(lambda: house.door.status()["waiting"] == 2)
        house.sessions.command("anna", "forget_all", "confirmed")
        await gate.open()
        reply = await house.reply_to("r-1")
        assert (reply["ok"], reply["error"]["code"]) == (False, "expired")
        assert (await house.say(REMINDER, "bert"))["ok"], "what comes later is told"
        assert house.on("event/anna/due") == []
