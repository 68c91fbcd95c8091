"""Turns over MQTT: events on the way, one ending each, whatever happens meanwhile."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from fakes.mqtt_house import BASE, House, decoded, open_house
from fakes.real_mosquitto import Broker, Gate, Listener, eventually

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.fake_ollama import FakeOllama

pytestmark = pytest.mark.broker
WORDS = "My cousin plays the oboe in Leeds"
REMINDER = "提醒我明天上午10点测血压"


async def test_a_request_is_accepted_streamed_and_answered(house: House) -> None:
    reply = await house.say(WORDS, id="r-1")
    assert (reply["ok"], reply["end"], reply["text"], reply["turn"]) == (
        True,
        "final",
        "Your cousin plays the oboe.",
        1,
    )
    (accepted,) = house.on("chat/anna/accepted")
    assert (accepted["id"], accepted["turn"]) == ("r-1", 1)
    deltas = house.on("chat/anna/delta")
    assert [delta["seq"] for delta in deltas] == [0, 1, 2]
    assert "".join(delta["text"] for delta in deltas) == reply["text"]
    assert house.heard() == [WORDS]


async def test_a_client_that_wants_no_stream_gets_the_reply_alone(house: House) -> None:
    assert (await house.say(WORDS, stream=False))["ok"]
    assert house.on("chat/anna/delta") == []


async def test_a_reminder_is_answered_without_a_model(house: House, fake: FakeOllama) -> None:
    reply = await house.say(REMINDER, lang="zh-CN")
    assert "测血压" in reply["text"]
    assert not fake.asked
    assert house.on("chat/anna/delta") == []
    assert len(house.sessions.peek("anna").pending()) == 1


async def test_what_we_say_ourselves_comes_before_what_the_model_says(house: House) -> None:
    reply = await house.say(f"{REMINDER}。我表哥会什么乐器？")
    texts = [delta["text"] for delta in house.on("chat/anna/delta")]
    assert len(texts) == 4
    assert "".join(texts) == reply["text"]


async def test_plain_words_are_as_good_as_json(house: House, broker: Broker) -> None:
    broker.publish(f"{BASE}/chat/anna/request", f"{WORDS}\n")
    (reply,) = await house.replies("chat/anna/reply", 1)
    assert reply["ok"]
    assert reply["id"]
    assert house.heard() == [WORDS]


async def test_a_response_topic_gets_the_reply_and_its_correlation(house: House, broker: Broker) -> None:
    answer = await asyncio.to_thread(
        broker.run, "mosquitto_rr", "-V", "5", "-t", f"{BASE}/chat/anna/request", "-e", f"{BASE}/reply/me",
        "-D", "publish", "correlation-data", "17", "-F", "%D %p", "-m", REMINDER, "-W", "20",
    )  # fmt: skip
    correlation, _, payload = answer.partition(b" ")
    assert correlation == b"17"
    assert decoded(payload)["ok"]
    assert house.on("chat/anna/reply") == []


async def test_a_client_of_the_old_version_is_served_as_well(house: House, broker: Broker) -> None:
    async with Listener(broker, f"{BASE}/chat/anna/reply", modern=False) as old:
        await old.client.publish(f"{BASE}/chat/anna/request", json.dumps({"id": "r-1", "text": WORDS}), qos=0)
        assert decoded((await old.until(lambda _: True)).payload)["text"] == "Your cousin plays the oboe."


async def test_cancel_stops_the_model_and_ends_the_request(house: House, fake: FakeOllama) -> None:
    fake.next("gated")
    await house.publish("chat/anna/request", {"id": "r-1", "text": WORDS})
    await fake.wait_asked()
    assert (await house.request("chat/anna/cancel", {"id": "r-1"}, "chat/anna/cancelled"))["cancelled"] == 1
    await fake.wait_closed()
    reply = await house.reply_to("r-1")
    assert (reply["ok"], reply["end"], reply["reason"]) == (False, "cancelled", "client")
    assert house.heard() == [WORDS]


async def test_cancel_without_an_id_stops_all_of_that_scope(house: House, fake: FakeOllama) -> None:
    fake.default = "gated"
    for scope, ask_id in (("anna", "a-1"), ("anna", "a-2"), ("bert", "b-1")):
        await house.publish(f"chat/{scope}/request", {"id": ask_id, "text": WORDS})
    await eventually(lambda: len(house.heard("anna")) == 2 and len(house.heard("bert")) == 1)
    assert (await house.request("chat/anna/cancel", "", "chat/anna/cancelled"))["cancelled"] == 2
    assert {reply["end"] for reply in await house.replies("chat/anna/reply", 2)} == {"cancelled"}
    fake.release(9)
    assert (await house.reply_to("b-1", "bert"))["ok"]


async def test_cancelling_what_does_not_run_is_no_error(house: House) -> None:
    answer = await house.request("chat/anna/cancel", {"id": "gone"}, "chat/anna/cancelled")
    assert (answer["id"], answer["ok"], answer["cancelled"]) == ("gone", True, 0)


async def test_a_model_that_is_down_is_told_kindly(house: House, fake: FakeOllama) -> None:
    await fake.stop()
    reply = await house.say(WORDS)
    assert (reply["ok"], reply["end"], reply["error"]["code"]) == (False, "failed", "backend_unreachable")
    assert reply["error"]["text"]
    assert house.heard() == [WORDS]


async def test_what_comes_too_many_is_learned_and_told_busy(broker: Broker, fake: FakeOllama) -> None:
    fake.next("gated")
    async with open_house(broker, fake, queue=1) as house:
        await house.publish("chat/bert/request", {"id": "b-1", "text": WORDS})
        await fake.wait_asked()
        error = (await house.say(WORDS, id="a-1"))["error"]
        assert (error["code"], error["heard"]) == ("busy", True)
        assert error["retry_after_s"] > 0
        assert house.heard() == [WORDS]
        assert (await house.say(REMINDER))["ok"], "what needs no model is never busy"
        fake.release(9)
        assert (await house.reply_to("b-1", "bert"))["ok"]
        await house.publish("chat/anna/request", {"id": "a-1", "text": WORDS})
        await eventually(
            lambda: [one["ok"] for one in house.on("chat/anna/reply") if one["id"] == "a-1"] == [False, True]
        )


async def test_what_was_on_its_way_for_too_long_is_not_carried_out(house: House, fake: FakeOllama) -> None:
    old = await house.say(WORDS, ttl_s=30, sent_at="2020-01-01T00:00:00+00:00")
    assert old["error"]["code"] == "expired"
    assert house.heard() == []
    assert not fake.asked
    fresh = await house.say(WORDS, ttl_s=30, sent_at=house.sessions.now().wall.isoformat())
    assert fresh["ok"]


async def test_an_answer_that_takes_longer_than_ttl_s_times_out(house: House, fake: FakeOllama) -> None:
    fake.next("stall")
    assert (await house.say(WORDS, ttl_s=0.2))["error"]["code"] == "timeout"
    await fake.wait_closed()


async def test_a_reply_that_was_ready_while_the_broker_was_away_is_delivered_once(
    broker: Broker, fake: FakeOllama
) -> None:
    fake.next("gated")
    async with Gate(broker) as gate, open_house(broker, fake, port=gate.port) as house:
        await house.publish("chat/anna/request", {"id": "r-1", "text": WORDS})
        await fake.wait_asked()
        await gate.shut()
        await eventually(lambda: not house.door.status()["connected"])
        broker.kill()
        fake.release(9)
        await eventually(lambda: house.door.status()["waiting"] == 1)
        broker.start()
        async with Listener(broker, f"{BASE}/chat/anna/#") as listener:
            await gate.open()
            reply = decoded((await listener.until(lambda _: True)).payload)
            assert (reply["id"], reply["text"]) == ("r-1", "Your cousin plays the oboe.")
            await eventually(lambda: house.door.status()["waiting"] == 0)
            assert len(listener.messages) == 1


async def test_stopping_ends_each_request_and_says_offline(broker: Broker, fake: FakeOllama) -> None:
    fake.next("gated")
    async with Listener(broker, f"{BASE}/chat/anna/reply", f"{BASE}/status") as listener:
        async with open_house(broker, fake) as house:
            await house.publish("chat/anna/request", {"id": "r-1", "text": WORDS})
            await fake.wait_asked()
            await house.door.stop()
            assert house.door.status()["connected"] is False
        await listener.until(lambda message: message.payload == b"offline")
        (payload,) = listener.on(f"{BASE}/chat/anna/reply")
        assert decoded(payload)["reason"] == "shutdown"


@pytest.mark.parametrize("qos", ["0", "1"])
async def test_a_flood_is_answered_one_by_one(tmp_path: Path, fake: FakeOllama, qos: str) -> None:
    patient = Broker(tmp_path, extra=("max_queued_messages 0",))  # else the broker itself throws some away
    patient.start()
    names = [f"r-{number}" for number in range(1000)]
    lines = "".join(f'{{"id": "{name}", "text": "现在几点了？", "stream": false}}\n' for name in names)
    try:
        async with open_house(patient, fake) as house:
            topic = f"{BASE}/chat/anna/request"
            await asyncio.to_thread(patient.run, "mosquitto_pub", "-t", topic, "-l", "-q", qos, payload=lines.encode())
            replies = await house.replies("chat/anna/reply", len(names))
            assert Counter(reply["id"] for reply in replies) == Counter(names)
            assert house.counters.count("dropped") == 0
    finally:
        patient.kill()


async def test_requests_of_one_client_are_carried_out_in_their_order(house: House) -> None:
    await house.publish("chat/anna/request", {"text": WORDS})
    await house.publish("memory/anna/context", {"query": "Where does my cousin live?"})
    (block,) = await house.replies("memory/anna/context/result", 1)
    assert "Leeds" in block["text"]
