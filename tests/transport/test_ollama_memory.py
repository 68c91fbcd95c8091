from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from fakes.house import fill
from fakes.http_house import MODEL, House, chat, plain, rows, user

from claudemem_edge.model.client import ModelClient, Relay

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from fakes.fake_ollama_modes import Piece

KEY = "The spare key is under the blue pot."
WHERE = "Where is the spare key?"


async def test_a_chat_is_learned_and_a_later_one_gets_its_block(house: House) -> None:
    async with house.client() as client:
        first = await client.post("/api/chat", json=chat(user(KEY)))
        second = await client.post("/api/chat", json=chat(user(WHERE)))
    assert [row["done"] for row in rows(first)] == [False] * 4 + [True]
    assert first.headers["content-type"] == "application/x-ndjson"
    assert (first.headers["x-claudemem-turn"], second.headers["x-claudemem-boot-id"]) == ("1", house.sessions.boot_id)
    asked = house.fake.asked[-1].json["messages"][-1]["content"]
    assert "blue pot" in asked
    assert WHERE in asked
    assert house.said("user") == [plain(KEY), plain(WHERE)]
    assert house.said("assistant") == ["It is kept", "It is kept"]


async def test_the_block_leaves_out_what_the_client_shows_the_model_anyway(house: House) -> None:
    history = [user(KEY), {"role": "assistant", "content": "I see."}]
    async with house.client() as client:
        await client.post("/api/chat", json=chat(user(KEY)))
        await client.post("/api/chat", json=chat(*history, user(WHERE)))
    assert "blue pot" not in house.fake.asked[-1].json["messages"][-1]["content"]


async def test_a_request_without_a_block_goes_on_byte_for_byte(house: House) -> None:
    body = (
        b'{"model":"llama3.2:1b" ,"options":{"num_ctx":4096.0},"keep_alive":"-1.0s","x_new":[1E2],\n'
        b'"messages":[{"role":"user","content":"\\u4f60\\u597d"}]}'
    )
    async with house.client() as client:
        await client.post("/api/chat", content=body)
    assert house.fake.asked[-1].body == body


async def test_a_memory_that_is_full_stops_no_conversation(house: House) -> None:
    house.sessions.observe("default", "user", "Good morning to you.")
    fill(house.sessions, "default")
    reminder = "Remind me tomorrow at 10 am to call Bob."
    async with house.client() as client:
        reply = await client.post("/api/chat", json=chat(user(reminder)))
        house.fake.next("500")
        failed = await client.post("/api/chat", json=chat(user("I like figs.")))
        for number in range(1, 9):
            await client.patch(f"/memory/default/pending/p{number}", json={"op": "done"})
        await client.post("/api/chat", json=chat(user(reminder)))
    assert rows(reply)[-1]["done"] is True
    asked = house.fake.asked[0].json["messages"][-1]["content"]
    assert asked.startswith("There is no room to remember anything more here.")
    assert reminder in asked
    assert "heard" not in failed.json()
    assert house.fake.asked[-1].json["messages"][-1]["content"].startswith("OK, I'll remind you")
    assert house.said("user") == ["Good morning to you", plain(reminder)]


STRANGE: list[Piece] = [
    {"content": "", "thinking": "hm", "weird": [1, 2.50, {"a": None}]},
    {"content": "你好\n", "tool_calls": [{"id": "call_7", "index": 3, "function": {"name": "look", "arguments": {}}}]},
    '\u2028 \\ " 🙂',
]


@pytest.mark.parametrize("path", ["/api/chat", "/v1/chat/completions"])
@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("split_bytes", [0, 1, 7])
async def test_an_answer_comes_back_byte_for_byte(house: House, path: str, *, stream: bool, split_bytes: int) -> None:
    house.fake.split_bytes = split_bytes
    house.fake.next("normal", pieces=STRANGE)
    house.fake.next("normal", pieces=STRANGE)
    async with house.client() as client, httpx.AsyncClient(base_url=house.fake.url, trust_env=False) as direct:
        there = await direct.post(path, json=chat(user(KEY), stream=stream))
        here = await client.post(path, json=chat(user(KEY), stream=stream))
    assert here.content == there.content
    assert here.headers["content-type"] == there.headers["content-type"]


async def test_a_long_history_is_compared_from_its_end(house: House) -> None:
    history = [{"role": "assistant", "content": "long " * 5000}, user(KEY), {"role": "assistant", "content": "I see."}]
    async with house.client() as client:
        await client.post("/api/chat", json=chat(user(KEY)))
        await client.post("/api/chat", json=chat(*history, user(WHERE)))
        shown = house.fake.asked[-1].json["messages"][-1]["content"]
        await client.post(
            "/api/chat", json=chat(user(KEY), {"role": "assistant", "content": "x " * 10000}, user(WHERE))
        )
    assert "blue pot" not in shown, "the history says so already"
    assert "blue pot" in house.fake.asked[-1].json["messages"][-1]["content"], "what lies further back is not looked at"


async def test_tool_rounds_teach_nothing_and_get_the_same_bytes(house: House) -> None:
    call = {"role": "assistant", "content": "", "tool_calls": [{"id": "call_1", "function": {"name": "look"}}]}
    result = {"role": "tool", "tool_name": "look", "tool_call_id": "call_1", "content": "nothing there"}
    async with house.client() as client:
        await client.post("/api/chat", json=chat(user(KEY)))
        await client.post("/api/chat", json=chat(user(WHERE), tools=[{"type": "function"}]))
        first = house.fake.asked[-1].json["messages"][0]
        await house.say("Something else entirely about trains.")
        system = {"role": "system", "content": "Current time is 10:00:01."}
        await client.post("/api/chat", json=chat(system, user(WHERE), call, result))
    assert house.fake.asked[-1].json["messages"] == [system, first, call, result]
    assert house.said("user").count(plain(WHERE)) == 1


async def test_a_retry_teaches_nothing_and_gets_the_same_bytes(house: House) -> None:
    async with house.client() as client:
        await client.post("/api/chat", json=chat(user(KEY)))
        await client.post("/api/chat", json=chat(user(WHERE)))
        await client.post("/api/chat", json=chat(user(WHERE)))
    assert house.fake.asked[-1].body == house.fake.asked[-2].body
    assert house.said("user") == [plain(KEY), plain(WHERE)]
    assert house.said("assistant") == ["It is kept", "It is kept"], "the retry's answer is the same turn's"


async def test_the_same_words_after_others_are_said_anew(house: House) -> None:
    async with house.client() as client:
        for text in ("Yes.", "Now about the trains.", "Yes."):
            await client.post("/api/chat", json=chat(user(text)))
    assert house.said("user").count("Yes") == 2


async def test_a_forget_lets_go_of_the_bytes_that_were_kept(house: House) -> None:
    async with house.client() as client:
        await client.post("/api/chat", json=chat(user(KEY)))
        await client.post("/api/chat", json=chat(user(WHERE)))
        assert b"blue pot" in house.fake.asked[-1].body
        await client.post("/memory/default/end")
        await client.post("/api/chat", json=chat(user(WHERE), {"role": "assistant", "content": "Hm."}))
    assert b"blue pot" not in house.fake.asked[-1].body


@pytest.mark.parametrize(
    "body",
    [
        chat(),
        chat(user("Name three keys."), format="json"),
        chat(user("### Task:\nA title.\n<chat_history>\nUSER: hi\n</chat_history>")),
        chat(user("long " * 401)),
    ],
    ids=["empty", "format", "chore", "too long"],
)
async def test_what_is_no_question_goes_on_untouched_and_teaches_nothing(house: House, body: dict[str, Any]) -> None:
    data = json.dumps(body).encode()
    async with house.client() as client:
        reply = await client.post("/api/chat", content=data)
    assert reply.status_code == 200
    assert house.fake.asked[-1].body == data
    assert house.said("user") == []
    assert house.said("assistant") == []
    assert house.sessions.scopes() == ()


async def test_a_header_switches_the_memory_off(house: House) -> None:
    async with house.client(headers={"X-Claudemem-Memory": "off"}) as client:
        await client.post("/api/chat", json=chat(user(KEY)))
    assert house.said("user") == []


async def test_a_prompt_is_learned_and_gets_its_block(house: House) -> None:
    async with house.client() as client:
        await client.post("/api/generate", json={"model": MODEL, "prompt": KEY})
        reply = await client.post("/api/generate", json={"model": MODEL, "prompt": WHERE, "stream": False})
    assert "blue pot" in house.fake.asked[-1].json["prompt"]
    assert reply.json()["response"] == "It is kept."
    assert house.said("assistant") == ["It is kept", "It is kept"]


@pytest.mark.parametrize("stream", [True, False])
async def test_completions_are_learned_and_get_their_block(house: House, *, stream: bool) -> None:
    async with house.client() as client:
        await client.post("/v1/chat/completions", json=chat(user(KEY), stream=stream))
        reply = await client.post("/v1/chat/completions", json=chat(user(WHERE), stream=stream))
    assert "blue pot" in house.fake.asked[-1].json["messages"][-1]["content"]
    assert house.said("assistant") == ["It is kept", "It is kept"]
    assert reply.text.endswith("data: [DONE]\n\n") if stream else reply.json()["object"] == "chat.completion"


async def test_what_is_forgotten_as_the_answer_ends_is_not_answered_into_memory(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    relay = ModelClient.relay

    async def forgetting(self: ModelClient, *given: Any) -> Relay:
        """Pass the request on; between the last byte and its recording, everything is forgotten."""
        found = await relay(self, *given)

        async def chunks() -> AsyncGenerator[bytes, None]:
            async for chunk in found.chunks:
                yield chunk
            house.sessions.command("default", "forget_all", "confirmed")

        return replace(found, chunks=chunks())

    monkeypatch.setattr(ModelClient, "relay", forgetting)
    async with house.client() as client:
        await client.post("/api/chat", json=chat(user(KEY), stream=False))
    assert house.said("user") == house.said("assistant") == []
