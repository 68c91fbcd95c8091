"""What can be asked for besides turns, and what is said to a request that makes no sense."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NoReturn

import pytest
from fakes.mqtt_house import BASE, House

from claudemem_edge.memory import Memory

if TYPE_CHECKING:
    from fakes.real_mosquitto import Broker

pytestmark = pytest.mark.broker
WORDS = "My cousin plays the oboe in Leeds"
REMINDER = "提醒我明天上午10点测血压"
SECRET = "xylophone-secret"


async def test_what_is_observed_is_learned_shown_and_chosen_from(house: House) -> None:
    learned = await house.request("memory/anna/observe", {"id": "o-1", "text": WORDS}, "memory/anna/observed")
    assert (learned["id"], learned["ok"], learned["turn"]) == ("o-1", True, 1)
    block = await house.request(
        "memory/anna/context", {"query": "Where is the oboe?", "limit_chars": 100}, "memory/anna/context/result"
    )
    assert "Leeds" in block["text"]
    assert len(block["text"]) <= 100
    shown = await house.request("memory/anna/get", {"id": "g-1"}, "memory/anna/state")
    assert (shown["id"], shown["scope"]) == ("g-1", "anna")
    assert [row["text"] for row in shown["statements"]] == [WORDS]


async def test_plain_words_can_be_observed_and_asked_for(house: House, broker: Broker) -> None:
    broker.publish(f"{BASE}/memory/anna/observe", WORDS)
    await house.replies("memory/anna/observed", 1)
    broker.publish(f"{BASE}/memory/anna/context", "oboe?")
    assert "Leeds" in (await house.replies("memory/anna/context/result", 1))[0]["text"]
    broker.run("mosquitto_pub", "-t", f"{BASE}/memory/anna/get", "-n")
    assert (await house.replies("memory/anna/state", 1))[0]["turn"] == 1


async def test_an_event_seen_elsewhere_makes_no_claim_about_the_user(house: House) -> None:
    event = {"text": "My name is Bertha", "speaker": "event"}
    assert (await house.request("memory/anna/observe", event, "memory/anna/observed"))["ok"]
    assert (await house.request("memory/anna/get", "", "memory/anna/state"))["claims"] == []


async def test_forgetting_tells_how_much_is_gone(house: House) -> None:
    await house.request("memory/anna/observe", {"text": WORDS}, "memory/anna/observed")
    refused = await house.request("memory/anna/forget", {"scope": "all"}, "memory/anna/forgotten")
    assert refused["error"]["code"] == "bad_request"
    assert house.heard() == [WORDS]
    gone = await house.request("memory/anna/forget", {"what": "all", "confirm": True}, "memory/anna/forgotten")
    assert gone["removed"] >= 1
    assert house.heard() == []


async def test_pending_items_can_be_added_and_done(house: House) -> None:
    added = {"op": "add", "id": "n-1", "text": "measure", "due": "2030-01-01T10:00:00+00:00", "device": "hall"}
    assert (await house.request("pending/anna/set", added, "pending/anna/result"))["ok"]
    await house.publish("pending/anna/set", added)
    assert (await house.replies("pending/anna/result", 2))[1]["ok"], "a repeat is answered as before"
    (item,) = house.sessions.peek("anna").pending()
    assert item.asked_at_door == "mqtt:hall"
    done = await house.request("pending/anna/set", {"op": "done", "id": item.id}, "pending/anna/result")
    assert (done["ok"], done["id"]) == (True, item.id)
    assert house.sessions.peek("anna").pending() == ()


async def test_nothing_is_made_up_where_nothing_was_said(house: House) -> None:
    block = await house.request("memory/anna/context", {"query": "oboe?"}, "memory/anna/context/result")
    assert (block["ok"], block["text"]) == (True, "")
    shown = await house.request("memory/anna/get", "", "memory/anna/state")
    assert shown["error"]["code"] == "unknown_scope"
    assert house.sessions.scopes() == ()


@pytest.mark.parametrize(
    ("payload", "code", "ask_id"),
    [
        (b"", "bad_request", ""),
        (b"   ", "bad_request", ""),
        (b"\xff\xfe" + SECRET.encode(), "bad_request", ""),
        (b'{"text": "\xff"}', "bad_request", ""),
        (f"{SECRET}\0".encode(), "bad_request", ""),
        (json.dumps({"id": "r-1", "text": f"{SECRET}\0"}).encode(), "bad_request", "r-1"),
        (b'{"id": "r-1", "text": "' + SECRET.encode(), "bad_request", ""),
        (b'["' + SECRET.encode() + b'"]', "bad_request", ""),
        (b"{}", "bad_request", ""),
        (b'{"text": null}', "bad_request", ""),
        (b'{"text": "\\ud800"}', "bad_request", ""),
        (b"[" * 16_000, "bad_request", ""),
        (b'{"id": "r-1", "texte": "hello"}', "bad_request", "r-1"),
        (b'{"id": "r-1", "text": "hello", "ttl_s": "soon"}', "bad_request", "r-1"),
        (b'{"id": "r-1", "text": "hello", "ttl_s": NaN}', "bad_request", "r-1"),
        (b'{"id": 17, "text": "hello"}', "bad_request", ""),
        (json.dumps({"id": "r-1", "text": "x" * 2001}).encode(), "too_long", "r-1"),
        (SECRET.encode() * 2000, "too_long", ""),
        (b'{"id": "r-1", "text": "' + b"x" * 20_000 + b'"}', "too_long", "r-1"),
    ],
)  # fmt: skip
async def test_a_request_that_makes_no_sense_gets_a_typed_error(
    house: House, caplog: pytest.LogCaptureFixture, payload: bytes, code: str, ask_id: str
) -> None:
    await house.publish("chat/anna/request", payload)
    (reply,) = await house.replies("chat/anna/reply", 1)
    assert (reply["ok"], reply["end"], reply["error"]["code"], reply["id"]) == (False, "failed", code, ask_id)
    assert reply["error"]["text"]
    assert SECRET not in json.dumps(reply)
    assert SECRET not in caplog.text
    assert house.heard() == []
    assert (await house.say(REMINDER))["ok"], "the next request works"


@pytest.mark.parametrize("scope", ["Anna", "anna berg", "王丽", "a" * 65, "..", "$anna"])
async def test_a_scope_that_cannot_be_one_is_told_where_it_can_be(house: House, broker: Broker, scope: str) -> None:
    await house.publish(f"chat/{scope}/request", {"id": "r-1", "text": WORDS})
    (error,) = await house.replies("error", 1)
    assert error["error"]["code"] == "unknown_scope"
    assert scope not in json.dumps(error, ensure_ascii=False) or scope in {"..", "$anna"}
    assert house.counters.count("rejected") == 1
    assert house.sessions.scopes() == ()
    broker.run(
        "mosquitto_pub", "-V", "5", "-D", "publish", "response-topic", f"{BASE}/reply/me",
        "-t", f"{BASE}/chat/{scope}/request", "-m", '{"id": "r-2", "text": "hello"}',
    )  # fmt: skip
    assert (await house.replies("reply/me", 1))[0]["id"] == "r-2"


@pytest.mark.parametrize("topic", [f"{BASE}/chat/bert/request", f"{BASE}/status", BASE, "$SYS/broker", "x" * 600])
async def test_a_response_topic_that_would_do_harm_is_not_used(house: House, broker: Broker, topic: str) -> None:
    broker.run(
        "mosquitto_pub", "-V", "5", "-D", "publish", "response-topic", topic,
        "-t", f"{BASE}/chat/anna/request", "-m", '{"id": "r-1", "text": "hello"}',
    )  # fmt: skip
    reply = await house.reply_to("r-1")
    assert reply["error"]["code"] == "bad_request"
    assert f"{BASE}/reply/" in reply["error"]["hint"]
    assert house.sessions.scopes() == ()
    assert house.door.status()["connects"] == 1


async def test_topics_of_ours_that_nobody_may_ask_on_are_left_alone(house: House) -> None:
    for path in ("chat/anna/reply", "chat/anna/more/request", "chat/request", "memory/anna/erase"):
        await house.publish(path, b"{broken")
    assert (await house.say(REMINDER))["ok"]
    assert house.on("error") == []


async def test_a_failure_inside_is_answered_and_tells_nothing(house: House, caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Memory):
        def observe(self, *words: object, **more: object) -> NoReturn:
            raise ValueError(words, more)

    await house.request("memory/anna/observe", {"text": WORDS}, "memory/anna/observed")
    house.sessions._scopes.peek("anna").desk.memory = Broken()
    observed = await house.request("memory/anna/observe", {"text": SECRET}, "memory/anna/observed")
    assert observed["error"]["code"] == "internal"
    assert (await house.say(SECRET))["error"]["code"] == "internal"
    assert SECRET not in caplog.text
    assert (await house.say(REMINDER, "bert"))["ok"]


async def test_an_error_is_counted_by_its_code(house: House) -> None:
    await house.publish("chat/anna/request", b"{")
    await house.replies("chat/anna/reply", 1)
    assert house.counters.errors() == {"bad_request": 1}
