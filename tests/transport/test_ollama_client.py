"""The official client, as people use it: over the Unix socket and over TCP, sync and async."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import httpx
import ollama
import pytest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from fakes.http_house import House

MODEL = "llama3.2:1b"
KEY = {"role": "user", "content": "The spare key is under the blue pot."}
WHERE = {"role": "user", "content": "Where is the spare key?"}


def _ways(house: House, way: str) -> dict[str, Any]:
    if way == "tcp":
        return {"host": house.url, "trust_env": False}
    if way == "scoped":
        return {"host": f"{house.url}/u/kim", "trust_env": False}
    return {"host": "http://daemon"}


@contextlib.asynccontextmanager
async def _client(house: House, way: str) -> AsyncIterator[ollama.AsyncClient]:
    more: dict[str, Any] = {"transport": httpx.AsyncHTTPTransport(uds=house.socket)} if way == "socket" else {}
    async with ollama.AsyncClient(**_ways(house, way), **more) as client:
        yield client


@pytest.mark.parametrize("way", ["socket", "tcp", "scoped"])
async def test_the_async_client_chats_with_memory(house: House, way: str) -> None:
    async with _client(house, way) as client:
        whole = await client.chat(MODEL, [KEY])
        pieces = [part async for part in await client.chat(MODEL, [WHERE], stream=True)]
    assert whole.message.content == "It is kept."
    assert "".join(part.message.content or "" for part in pieces) == "It is kept."
    assert pieces[-1].done
    assert "blue pot" in house.fake.asked[-1].json["messages"][-1]["content"]
    assert house.sessions.scopes() == (("kim",) if way == "scoped" else ("default",))


@pytest.mark.parametrize("way", ["socket", "tcp", "scoped"])
async def test_the_sync_client_chats_with_memory(house: House, way: str) -> None:
    def talk() -> tuple[str | None, list[str]]:
        more: dict[str, Any] = {"transport": httpx.HTTPTransport(uds=house.socket)} if way == "socket" else {}
        with ollama.Client(**_ways(house, way), **more) as client:
            whole = client.chat(MODEL, [KEY]).message.content
            return whole, [part.message.content or "" for part in client.chat(MODEL, [WHERE], stream=True)]

    whole, pieces = await asyncio.to_thread(talk)
    assert (whole, "".join(pieces)) == ("It is kept.", "It is kept.")
    assert "blue pot" in house.fake.asked[-1].json["messages"][-1]["content"]


@pytest.mark.parametrize("way", ["socket", "tcp"])
async def test_the_client_generates_lists_shows_and_embeds(house: House, way: str) -> None:
    async with _client(house, way) as client:
        generated = await client.generate(MODEL, KEY["content"])
        pieces = [part.response or "" async for part in await client.generate(MODEL, WHERE["content"], stream=True)]
        listed = await client.list()
        shown = await client.show(MODEL)
        running = await client.ps()
        embedded = await client.embed(MODEL, "x")
    assert (generated.response, "".join(pieces)) == ("It is kept.", "It is kept.")
    assert [model.model for model in listed.models] == [MODEL]
    assert shown.capabilities == ["completion"]
    assert running.models == []
    assert embedded.embeddings == [[0.1, 0.2]]


async def test_a_tool_call_comes_back_and_its_round_teaches_nothing(house: House) -> None:
    def look(room: str) -> str:
        """Look into a room.

        Args:
            room: its name
        """
        return room

    call = {"function": {"name": "look", "arguments": {"room": "hall"}}}
    house.fake.next("normal", pieces=[{"content": "", "tool_calls": [call]}])
    messages: list[Any] = [WHERE]
    async with _client(house, "tcp") as client:
        first = await client.chat(MODEL, messages, tools=[look])
        assert first.message.tool_calls is not None
        assert first.message.tool_calls[0].function.arguments == {"room": "hall"}
        messages += [first.message, {"role": "tool", "tool_name": "look", "content": "It is here."}]
        second = await client.chat(MODEL, messages, tools=[look])
    assert second.message.content == "It is kept."
    assert house.fake.asked[0].json["messages"][0] == house.fake.asked[1].json["messages"][0]
    assert len(house.said("user")) == 1
    assert house.said("assistant") == ["It is kept"]


async def test_errors_are_what_the_client_expects(house: House) -> None:
    async with _client(house, "socket") as client:
        with pytest.raises(ollama.ResponseError, match="nobody:7b") as missing:
            await client.chat("nobody:7b", [KEY])
        with pytest.raises(ollama.ResponseError, match="no such route") as denied:
            await client.pull(MODEL)
        assert (missing.value.status_code, denied.value.status_code) == (404, 404)
        for mode in ("error_line", "reset", "no_done"):
            house.fake.next(mode)
            with pytest.raises(ollama.ResponseError):
                [part async for part in await client.chat(MODEL, [KEY], stream=True)]


async def test_leaving_in_the_middle_stops_the_model(house: House) -> None:
    house.fake.next("gated")
    house.fake.release(1)
    async with _client(house, "socket") as client:
        async for _ in await client.chat(MODEL, [KEY], stream=True):
            break
    assert (await house.fake.wait_closed()).pieces == 1
    assert house.said("assistant") == []


async def test_an_empty_chat_loads_the_model(house: House) -> None:
    async with _client(house, "socket") as client:
        loaded = await client.chat(MODEL, [])
    assert loaded.done_reason == "load"
    assert house.said("user") == []
