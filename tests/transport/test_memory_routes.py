from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from fakes.http_house import House, open_house

from claudemem_edge.shapes.options import SessionOptions

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.fake_ollama import FakeOllama


async def test_say_streams_the_events_of_a_turn(house: House) -> None:
    async with house.client() as client:
        reply = await client.post("/memory/grandma/say", json={"text": "My neighbour has a green door."})
    events = [json.loads(line) for line in reply.text.splitlines()]
    assert reply.headers["content-type"] == "application/x-ndjson"
    assert [event["event"] for event in events] == ["accepted", "delta", "delta", "delta", "delta", "final"]
    assert events[-1]["text"] == "It is kept."
    assert reply.headers["x-claudemem-turn"] == str(events[0]["turn"])
    assert {event["boot_id"] for event in events} == {house.sessions.boot_id}


async def test_say_without_a_stream_gives_the_ending_alone(house: House) -> None:
    async with house.client() as client:
        reply = await client.post("/memory/grandma/say", json={"text": "Hello there.", "stream": False})
    assert reply.json()["event"] == "final"
    assert reply.json()["text"] == "It is kept."
    assert reply.headers["x-claudemem-turn"] == str(reply.json()["turn"])


async def test_what_was_said_comes_back_in_the_context_of_a_later_question(house: House) -> None:
    async with house.client() as client:
        told = await client.post("/memory/kim/observe", json={"text": "The spare key is under the blue pot."})
        block = await client.get("/memory/kim/context", params={"query": "Where is the spare key?"})
    assert told.json()["turn"] == 1
    assert told.headers["x-claudemem-turn"] == "1"
    assert "blue pot" in block.json()["text"]
    assert block.json()["lines"][0]["turns"] == [1]


async def test_a_context_keeps_to_its_limit_and_is_empty_where_nothing_was_said(house: House) -> None:
    async with house.client() as client:
        nothing = await client.get("/memory/nobody/context", params={"query": "Where is the key?"})
        await client.post("/memory/kim/observe", json={"text": "The spare key is under the blue pot."})
        short = await client.get("/memory/kim/context", params={"query": "Where is the spare key?", "limit_chars": 10})
    assert nothing.json()["text"] == ""
    assert len(short.json()["text"]) <= 10
    assert "nobody" not in house.sessions.scopes()


async def test_the_why_of_a_turn_names_its_block(house: House) -> None:
    async with house.client() as client:  # heard elsewhere: what the history shows would not stand in the block
        await client.post("/memory/kim/observe", json={"text": "The spare key is under the blue pot."})
    turn = (await house.say("Where is the spare key?", "kim"))[-1]["turn"]
    async with house.client() as client:
        why = (await client.get(f"/memory/kim/turns/{turn}")).json()
        other = await client.get("/memory/kim/turns/one")
    assert "blue pot" in why["context"]["text"]
    assert why["outcome"]["turn"] == turn
    assert other.status_code == 400


async def test_the_view_of_a_memory_holds_what_was_said(house: House) -> None:
    async with house.client() as client:
        missing = await client.get("/memory/kim")
        await client.post("/memory/kim/observe", json={"text": "The spare key is under the blue pot."})
        view = (await client.get("/memory/kim")).json()
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "unknown_scope")
    assert view["scope"] == "kim"
    assert view["statements"][0]["text"].startswith("The spare key is under the blue pot")


async def test_forgetting_everything_needs_a_confirmation(house: House) -> None:
    async with house.client() as client:
        await client.post("/memory/kim/observe", json={"text": "The spare key is under the blue pot."})
        refused = await client.post("/memory/kim/forget", json={"what": "all"})
        assert house.said("user", "kim")
        done = await client.post("/memory/kim/forget", json={"what": "all", "confirm": True})
    assert refused.json()["error"]["code"] == "bad_request"
    assert done.status_code == 200
    assert house.said("user", "kim") == []


async def test_ending_a_scope_leaves_nothing_of_it(house: House) -> None:
    async with house.client() as client:
        await client.post("/memory/visit-1/observe", json={"text": "The spare key is under the blue pot."})
        ended = await client.post("/memory/visit-1/end")
        again = await client.post("/memory/visit-1/end")
    assert ended.json()["ended"] is True
    assert again.json()["ended"] is False
    assert house.sessions.scopes() == ()


async def test_a_running_turn_is_cancelled_by_its_id(house: House) -> None:
    house.fake.next("gated")
    async with house.client() as client, asyncio.TaskGroup() as group:
        body = {"text": "Tell me a long story.", "id": "r-1"}
        asked = group.create_task(client.post("/memory/kim/say", json=body))
        await house.fake.wait_asked()
        cancelled = await client.post("/memory/kim/cancel", json={"id": "r-1"})
        again = await client.post("/memory/kim/cancel", json={"id": "r-1"})
        events = [json.loads(line) for line in (await asked).text.splitlines()]
    assert (cancelled.json()["cancelled"], again.json()["cancelled"]) == (True, False)
    assert (events[-1]["event"], events[-1]["reason"]) == ("cancelled", "client")


async def test_hanging_up_stops_the_model(house: House) -> None:
    house.fake.next("gated")
    house.fake.release(1)
    async with house.client() as client:
        async with client.stream("POST", "/memory/kim/say", json={"text": "Tell me a long story."}) as reply:
            async for line in reply.aiter_lines():
                if json.loads(line)["event"] == "delta":
                    break
        close = await house.fake.wait_closed()
        assert close.pieces == 1
        assert house.said("user", "kim") == ["Tell me a long story"]
        assert house.said("assistant", "kim") == []
        assert (await client.get("/health")).status_code == 200


@pytest.mark.parametrize("stream", [True, False])
async def test_a_model_that_fails_ends_the_turn_with_a_typed_error(house: House, *, stream: bool) -> None:
    house.fake.next("500")
    house.fake.next("500")  # before a word is heard, a turn asks once more
    async with house.client() as client:
        reply = await client.post("/memory/kim/say", json={"text": "Where am I?", "stream": stream})
    ending = json.loads(reply.text.splitlines()[-1])
    assert reply.status_code == (200 if stream else 502)
    assert (ending["event"], ending["error"]["code"]) == ("failed", "backend_unreachable")
    assert ending["error"]["heard"] is True


async def test_a_scope_too_many_is_refused_with_the_code_full(tmp_path: Path, fake: FakeOllama) -> None:
    async with open_house(tmp_path, fake, session=SessionOptions(max_scopes=1)) as house, house.client() as client:
        house.fake.next("gated")
        asked = asyncio.ensure_future(client.post("/memory/kim/say", json={"text": "Tell me a long story."}))
        await house.fake.wait_asked()
        refused = await client.post("/memory/ann/observe", json={"text": "Hello."})
        house.fake.release(4)
        await asked
        later = await client.post("/memory/ann/observe", json={"text": "Hello."})
    assert (refused.status_code, refused.json()["error"]["code"]) == (507, "full")
    assert later.status_code == 200


async def test_health_and_metrics_hold_numbers_and_no_words(house: House) -> None:
    await house.say("The spare key is under the blue pot.", "kim")
    async with house.client() as client:
        health = await client.get("/health")
        metrics = await client.get("/metrics")
    found: dict[str, Any] = health.json()
    assert (found["status"], found["boot_id"], found["scopes"]) == ("ok", house.sessions.boot_id, 1)
    assert "claudemem_scopes 1" in metrics.text
    assert "blue pot" not in health.text + metrics.text


async def test_days_are_summed_up(house: House) -> None:
    async with house.client() as client:
        nobody = await client.get("/memory/kim/digest")
        await client.post("/memory/kim/observe", json={"text": "My daughter lives in Leeds."})
        today = await client.get("/memory/kim/digest")
        chinese = await client.get("/memory/kim/digest", params={"language": "zh"})
        long_ago = await client.get("/memory/kim/digest", params={"day": "2020-01-01", "days": "7"})
        wrong = [await client.get("/memory/kim/digest", params={"day": day}) for day in ("today", "2026-02-31")]
    assert nobody.json()["error"]["code"] == "unknown_scope"
    assert "Leeds" in today.json()["text"]
    assert "您的女儿住在Leeds" in chinese.json()["text"].replace("daughter", "女儿")
    assert "Leeds" not in long_ago.json()["text"]
    assert [one.status_code for one in wrong] == [400, 400]
