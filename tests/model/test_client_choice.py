from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from fakes.fake_ollama import FakeModel, FakeOllama

from claudemem_edge.errors import BackendUnreachable, ModelMissing, PackError
from claudemem_edge.model import client as client_module

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from claudemem_edge.model.client import ModelClient

    Clients = Callable[..., ModelClient]

NOWHERE = "unix:/nowhere/at/all.sock"
QUESTION = [{"role": "user", "content": "Well?"}]
BODY = json.dumps({"model": "llama3.2:1b", "messages": QUESTION, "shift": True, "unknown_field": [1]}).encode()


def soon_s() -> float:
    return asyncio.get_running_loop().time() + 60


async def test_the_first_server_that_answers_serves(fake: FakeOllama, client_for: Clients) -> None:
    async with FakeOllama() as later:
        assert (await client_for(NOWHERE, fake.url, later.url).chosen()).url == fake.url
        assert later.requests == []


async def test_a_server_without_a_chat_model_is_passed_over(client_for: Clients) -> None:
    async with FakeOllama(models=[]) as empty, FakeOllama() as engine:
        assert (await client_for(empty.url, engine.url).chosen()).url == engine.url


async def test_without_any_server_it_says_so(client_for: Clients) -> None:
    client = client_for(NOWHERE)
    with pytest.raises(BackendUnreachable, match="no server of language models answers"):
        await client.chosen()
    assert client.status()["last_error"] == "backend_unreachable"


@pytest.mark.parametrize(("name", "words"), [("", "chat model"), ("qwen3:1.7b", "model qwen3:1.7b")])
async def test_a_missing_model_is_named(name: str, words: str, client_for: Clients) -> None:
    async with FakeOllama(models=[FakeModel("nomic-embed-text:latest", capabilities=("embedding",))]) as fake:
        for urls in ((fake.url, NOWHERE), (NOWHERE, fake.url)):
            with pytest.raises(ModelMissing, match=words):
                await client_for(*urls, name=name).chosen()


async def test_a_profile_may_be_named(fake: FakeOllama, client_for: Clients) -> None:
    assert (await client_for(fake.url, profile="qwen").chosen()).profile.name == "qwen"
    with pytest.raises(PackError, match="no profile qwem"):
        await client_for(fake.url, profile="qwem").chosen()


async def test_the_choice_is_kept_until_something_fails(fake: FakeOllama, client_for: Clients) -> None:
    client = client_for(fake.url)
    await client.chosen()
    before = len(fake.requests)
    await asyncio.gather(*(client.chosen() for _ in range(5)))
    assert len(fake.requests) == before
    fake.next("500")
    with pytest.raises(BackendUnreachable):
        _ = [piece async for piece in client.stream(QUESTION, await client.chosen(), soon_s())]
    fake.models.append(FakeModel("tiny:1b", size=5))
    assert (await client.chosen()).name == "tiny:1b"


async def test_the_choice_is_looked_at_again_in_time(
    fake: FakeOllama, client_for: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "CHOICE_HOLDS_S", 0.0)
    client = client_for(fake.url)
    await client.chosen()
    fake.models.append(FakeModel("bigger:8b", size=10**10))
    fake.loaded.append("bigger:8b")
    assert (await client.chosen()).name == "bigger:8b"


async def test_when_the_first_server_dies_the_next_one_serves(client_for: Clients, tmp_path: Path) -> None:
    async with FakeOllama() as ollama, FakeOllama(tmp_path / "engine.sock") as engine:
        client = client_for(ollama.url, engine.url)
        chosen = await client.chosen()
        await ollama.stop()
        with pytest.raises(BackendUnreachable):
            _ = [piece async for piece in client.stream(QUESTION, chosen, soon_s())]
        chosen = await client.chosen()
        assert chosen.url == engine.url
        assert [piece async for piece in client.stream(QUESTION, chosen, soon_s())]


async def test_a_relayed_request_goes_through_byte_for_byte(fake: FakeOllama, client_for: Clients) -> None:
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "someone/1.0",
        "Authorization": "Bearer of-our-own-door",
        "Cookie": "a=b",
        "Origin": "http://kiosk",
        "X-Claudemem-Scope": "grandma",
        "Host": "our-own-door",
    }
    relay = await client_for(fake.url).relay("POST", "/api/chat", BODY, headers, soon_s())
    lines = b"".join([chunk async for chunk in relay.chunks]).splitlines()
    await relay.aclose()
    assert (relay.status, relay.headers) == (200, {"content-type": "application/x-ndjson"})
    assert json.loads(lines[-1])["done"] is True
    asked = fake.asked[0]
    assert asked.body == BODY
    assert asked.headers["user-agent"] == "someone/1.0"
    assert asked.headers["host"] == fake.url.removeprefix("http://")
    assert not asked.headers.keys() & {"authorization", "cookie", "origin", "x-claudemem-scope"}


async def test_refusals_and_listings_are_relayed_as_they_are(client_for: Clients) -> None:
    async with FakeOllama(models=[]) as fake:
        client = client_for(fake.url)
        refused = await client.relay("POST", "/api/chat", BODY, {}, soon_s())
        assert refused.status == 404
        assert b"".join([chunk async for chunk in refused.chunks]) == b'{"error": "model \'llama3.2:1b\' not found"}'
        await refused.aclose()
        listed = await client.relay("HEAD", "/api/tags", b"", {}, soon_s())
        assert (listed.status, listed.headers["content-type"]) == (200, "application/json")
        await listed.aclose()


async def test_leaving_a_relayed_reply_closes_the_connection(fake: FakeOllama, client_for: Clients) -> None:
    for read in (0, 1):
        fake.next("stall", after=1)
        relay = await client_for(fake.url).relay("POST", "/api/chat", BODY, {}, soon_s())
        for _ in range(read):
            await anext(relay.chunks)
        await relay.aclose()
        await fake.wait_closed(read + 1)


async def test_a_relay_goes_to_the_next_server_when_the_chosen_one_died(client_for: Clients) -> None:
    async with FakeOllama() as ollama, FakeOllama() as engine:
        client = client_for(ollama.url, engine.url)
        await client.chosen()
        await ollama.stop()
        relay = await client.relay("POST", "/api/chat", BODY, {}, soon_s())
        assert relay.status == 200
        await relay.aclose()
        assert engine.asked


async def test_a_relay_without_any_server_fails_with_our_error(client_for: Clients) -> None:
    with pytest.raises(BackendUnreachable):
        await client_for(NOWHERE).relay("GET", "/api/tags", b"", {}, soon_s())
