"""The official client over the Unix socket. On TCP it is tried in tests/clients, among others."""

from __future__ import annotations

import asyncio

import httpx
import ollama
import pytest
from fakes.http_house import MODEL, House, user

KEY = user("The spare key is under the blue pot.")
WHERE = user("Where is the spare key?")


@pytest.fixture
def client(house: House) -> ollama.AsyncClient:
    return ollama.AsyncClient("http://daemon", transport=httpx.AsyncHTTPTransport(uds=house.socket))


async def test_the_async_client_chats_with_memory(house: House, client: ollama.AsyncClient) -> None:
    async with client:
        whole = await client.chat(MODEL, [KEY])
        pieces = [part async for part in await client.chat(MODEL, [WHERE], stream=True)]
    assert whole.message.content == "It is kept."
    assert "".join(part.message.content or "" for part in pieces) == "It is kept."
    assert pieces[-1].done
    assert "blue pot" in house.fake.asked[-1].json["messages"][-1]["content"]
    assert house.sessions.scopes() == ("default",)


async def test_the_sync_client_chats_with_memory(house: House) -> None:
    def talk() -> tuple[str | None, list[str]]:
        with ollama.Client("http://daemon", transport=httpx.HTTPTransport(uds=house.socket)) as client:
            whole = client.chat(MODEL, [KEY]).message.content
            return whole, [part.message.content or "" for part in client.chat(MODEL, [WHERE], stream=True)]

    whole, pieces = await asyncio.to_thread(talk)
    assert (whole, "".join(pieces)) == ("It is kept.", "It is kept.")
    assert "blue pot" in house.fake.asked[-1].json["messages"][-1]["content"]


async def test_what_is_not_offered_is_an_error_it_understands(client: ollama.AsyncClient) -> None:
    async with client:
        with pytest.raises(ollama.ResponseError, match="no such route") as denied:
            await client.pull(MODEL)
    assert denied.value.status_code == 404


async def test_an_empty_chat_loads_the_model(house: House, client: ollama.AsyncClient) -> None:
    async with client:
        loaded = await client.chat(MODEL, [])
    assert loaded.done_reason == "load"
    assert house.said("user") == []
