from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

import httpx
import ollama
import pytest
from fakes.fake_ollama import FakeModel, FakeOllama

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = [{"role": "user", "content": "What did I say?"}]


def official(fake: FakeOllama) -> ollama.AsyncClient:
    if fake.socket is None:
        return ollama.AsyncClient(host=fake.url, trust_env=False)
    return ollama.AsyncClient(host="http://ollama", transport=httpx.AsyncHTTPTransport(uds=str(fake.socket)))


@pytest.mark.parametrize("way", ["tcp", "unix"])
async def test_the_official_client_is_content(way: str, tmp_path: Path) -> None:
    models = [FakeModel("llama3.2:1b"), FakeModel("nomic-embed-text:latest", capabilities=("embedding",))]
    async with FakeOllama(tmp_path / "o.sock" if way == "unix" else None, models=models) as fake:
        async with official(fake) as client:
            assert [row.model for row in (await client.list()).models] == ["llama3.2:1b", "nomic-embed-text:latest"]
            assert (await client.show("llama3.2:1b")).capabilities == ["completion"]
            assert (await client.ps()).models == []
            answer = await client.chat("llama3.2:1b", QUESTION)
            assert answer.message.content == "It is kept."
            parts = [part async for part in await client.chat("llama3.2:1b", QUESTION, stream=True)]
            assert "".join(part.message.content or "" for part in parts) == "It is kept."
            assert parts[-1].done
            assert (await client.generate("llama3.2:1b", "Well?")).response == "It is kept."
            assert (await client.embed("nomic-embed-text", "text")).embeddings == [[0.1, 0.2]]
            await client.chat("llama3.2:1b", [])
            assert [row.model for row in (await client.ps()).models] == ["llama3.2:1b"]
            with pytest.raises(ollama.ResponseError, match="model 'nobody' not found") as refused:
                await client.chat("nobody", QUESTION)
            assert refused.value.status_code == 404
        assert fake.asked[0].json["messages"] == QUESTION
        assert fake.asked[0].text == "What did I say?"


async def test_the_openai_route_streams_events() -> None:
    async with FakeOllama() as fake, httpx.AsyncClient(base_url=fake.url, trust_env=False) as client:
        body = {"model": "llama3.2:1b", "messages": QUESTION, "stream": True}
        lines = [line for line in (await client.post("/v1/chat/completions", json=body)).text.split("\n\n") if line]
        assert lines[-1] == "data: [DONE]"
        assert len(lines) == 5


async def test_characters_split_over_chunks_are_whole_again() -> None:
    async with FakeOllama(pieces=("血压", "要量"), split_bytes=1) as fake:
        async with official(fake) as client:
            parts = [part async for part in await client.chat("llama3.2:1b", QUESTION, stream=True)]
        assert "".join(part.message.content or "" for part in parts) == "血压要量"


@pytest.mark.parametrize("way", ["tcp", "unix"])
@pytest.mark.parametrize("mode", ["stall", "gated", "endless", "silent"])
async def test_it_sees_that_the_caller_left(mode: str, way: str, tmp_path: Path) -> None:
    async with FakeOllama(tmp_path / "o.sock" if way == "unix" else None) as fake:
        fake.next(mode, after=2)
        fake.release()
        async with official(fake) as client:
            read = ollama.AsyncClient.chat(client, "llama3.2:1b", QUESTION, stream=True)
            if mode == "silent":
                client._client.timeout = httpx.Timeout(0.2)
                with pytest.raises(httpx.ReadTimeout):
                    _ = [part async for part in await read]
            else:
                parts = await read
                await anext(parts)
                assert isinstance(parts, AsyncGenerator)
                await parts.aclose()
            close = await fake.wait_closed()
        assert close.request is fake.asked[0]
        assert close.pieces >= (0 if mode == "silent" else 1)


@pytest.mark.parametrize(
    ("mode", "error"),
    [
        ("reset", httpx.RemoteProtocolError | httpx.ReadError),
        ("half_line", ValueError),
        ("bad_line", ValueError),
        ("error_line", ollama.ResponseError),
        ("500", ollama.ResponseError),
        ("503", ollama.ResponseError),
        ("not_json", ollama.ResponseError),
    ],
)
async def test_each_failure_looks_as_it_does_with_a_real_server(mode: str, error: type[Exception]) -> None:
    async with FakeOllama() as fake, official(fake) as client:
        fake.next(mode)
        with pytest.raises(Exception) as failed:  # noqa: PT011  the class is the parameter below, here a union
            _ = [part async for part in await client.chat("llama3.2:1b", QUESTION, stream=True)]
        assert isinstance(failed.value, error)
        assert (await client.chat("llama3.2:1b", QUESTION)).message.content == "It is kept."


async def test_plans_queue_up_and_may_be_for_one_route() -> None:
    async with FakeOllama() as fake, httpx.AsyncClient(base_url=fake.url, trust_env=False) as client:
        fake.next("500", path="/api/tags")
        fake.next("503")
        fake.next("429")
        body = {"model": "llama3.2:1b", "messages": QUESTION}
        assert [(await client.get("/api/tags")).status_code for _ in range(2)] == [500, 200]
        assert [(await client.post("/api/chat", json=body)).status_code for _ in range(3)] == [503, 429, 200]


async def test_it_comes_back_on_the_same_port() -> None:
    async with FakeOllama() as fake, httpx.AsyncClient(base_url=fake.url, trust_env=False) as client:
        assert (await client.get("/api/version")).status_code == 200
        await fake.stop()
        with pytest.raises(httpx.TransportError):
            await client.get("/api/version")
        await fake.start()
        assert (await client.get("/api/version")).status_code == 200


async def test_a_redirect_names_the_other_listener() -> None:
    async with FakeOllama() as fake, httpx.AsyncClient(base_url=fake.url, trust_env=False) as client:
        fake.next("redirect", to="http://127.0.0.1:9")
        answer = await client.post("/api/chat", json={"model": "llama3.2:1b", "messages": QUESTION})
        assert (answer.status_code, answer.headers["location"]) == (307, "http://127.0.0.1:9/api/chat")
