"""What the daemon answers itself, and where: on a path that names a scope, to a client without tools."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from fakes.http_house import MODEL, chat, rows, user

if TYPE_CHECKING:
    from fakes.http_house import House

REMIND = {"en": "Remind me to call Tom tomorrow at 10 am.", "zh": "提醒我明天上午10点测血压"}
ABOUT = {"en": "call Tom", "zh": "测血压"}
TOOLS = [{"type": "function", "function": {"name": "light"}}]


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_a_reminder_is_answered_without_a_model(house: House, language: str) -> None:
    async with house.client() as client:
        streamed = await client.post("/u/kim/api/chat", json=chat(user(REMIND[language])))
    first, last = rows(streamed)
    assert house.fake.requests == []
    assert ABOUT[language] in first["message"]["content"]
    assert (first["done"], last["done"], last["message"]["content"]) == (False, True, "")
    assert (first["model"], streamed.headers["x-claudemem-turn"]) == (MODEL, "1")
    assert len(house.sessions.peek("kim").pending()) == 1


async def test_without_a_stream_it_is_one_document(house: House) -> None:
    async with house.client() as client:
        answered = await client.post("/u/kim/api/chat", json=chat(user(REMIND["en"]), stream=False))
        generated = await client.post(
            "/u/ann/api/generate", json={"model": MODEL, "prompt": REMIND["en"], "stream": False}
        )
    assert ABOUT["en"] in answered.json()["message"]["content"]
    assert answered.json()["done"] is True
    assert ABOUT["en"] in generated.json()["response"]
    assert house.fake.requests == []


@pytest.mark.parametrize("stream", [True, False])
async def test_openais_clients_are_answered_in_their_own_shape(house: House, *, stream: bool) -> None:
    async with house.client() as client:
        reply = await client.post("/u/kim/v1/chat/completions", json=chat(user(REMIND["en"]), stream=stream))
    events = [line.removeprefix("data: ") for line in reply.text.split("\n\n") if line]
    assert house.fake.requests == []
    assert len(house.sessions.peek("kim").pending()) == 1
    told = json.loads(events[0])["choices"][0]
    assert ABOUT["en"] in told["delta" if stream else "message"]["content"]
    if stream:
        assert (json.loads(events[1])["choices"][0]["finish_reason"], events[2]) == ("stop", "[DONE]")
        assert reply.headers["content-type"].startswith("text/event-stream")


async def test_it_is_the_same_when_the_model_is_down(house: House) -> None:
    await house.fake.stop()
    async with house.client() as client:
        reply = await client.post("/u/kim/api/chat", json=chat(user(REMIND["en"])))
    assert ABOUT["en"] in rows(reply)[0]["message"]["content"]


async def test_asking_again_gives_the_same_answer_and_no_second_reminder(house: House) -> None:
    async with house.client() as client:
        first = await client.post("/u/kim/api/chat", json=chat(user(REMIND["en"])))
        again = await client.post("/u/kim/api/chat", json=chat(user(REMIND["en"])))
    assert rows(first)[0]["message"] == rows(again)[0]["message"]
    assert len(house.sessions.peek("kim").pending()) == 1


@pytest.mark.parametrize(("path", "more"), [("/api/chat", {}), ("/u/kim/api/chat", {"tools": TOOLS})])
async def test_elsewhere_it_stands_first_in_the_block(house: House, path: str, more: dict[str, Any]) -> None:
    async with house.client() as client:
        reply = await client.post(path, json=chat(user(REMIND["en"]), **more))
    asked = house.fake.asked[-1].json["messages"][-1]["content"]
    said = house.sessions.peek("kim" if "kim" in path else "default").pending()[0].text
    assert rows(reply)[-1]["done"] is True
    assert said in asked.splitlines()[0]
    assert "10" in asked.splitlines()[0]
    assert REMIND["en"] in asked
    assert len(asked) <= 220 + len(REMIND["en"]) + 60, "one block within its limit, the question, a closing line"


async def test_a_question_of_ours_is_answered_by_the_next_words(house: House) -> None:
    async with house.client() as client:
        asked = await client.post("/u/kim/api/chat", json=chat(user("Forget everything.")))
        history = [user("Forget everything."), {"role": "assistant", "content": rows(asked)[0]["message"]["content"]}]
        done = await client.post("/u/kim/api/chat", json=chat(*history, user("Yes.")))
    assert "?" in rows(asked)[0]["message"]["content"]
    assert rows(done)[0]["message"]["content"]
    assert house.fake.requests == []
    assert house.said("user", "kim") == []


async def test_a_mixed_utterance_goes_to_the_model(house: House) -> None:
    async with house.client() as client:
        await client.post("/u/kim/api/chat", json=chat(user("My sister has a green bicycle.")))
    assert len(house.fake.asked) == 1
