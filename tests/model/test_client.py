from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from typing import TYPE_CHECKING

import pytest
from fakes.fake_ollama import FakeModel, FakeOllama

from claudemem_edge.errors import BackendUnreachable, BadRequest, Busy, EdgeError, ModelMissing, TimedOut
from claudemem_edge.model.prompt import messages_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from claudemem_edge.model.choice import ChosenModel
    from claudemem_edge.model.client import ModelClient

    Clients = Callable[..., ModelClient]

QUESTION = [{"role": "user", "content": "Where are my purple slippers?"}]


def soon_s() -> float:
    return asyncio.get_running_loop().time() + 60


async def whole(client: ModelClient, chosen: ChosenModel | None = None, deadline_s: float = 0) -> str:
    chosen = chosen or await client.chosen()
    return "".join([piece async for piece in client.stream(QUESTION, chosen, deadline_s or soon_s())])


@pytest.mark.parametrize("way", ["tcp", "unix"])
async def test_an_answer_comes_whole_and_in_pieces(way: str, client_for: Clients, tmp_path: Path) -> None:
    pieces = ("床", "底下", "。")
    async with FakeOllama(tmp_path / "o.sock" if way == "unix" else None, pieces=pieces, split_bytes=1) as fake:
        client = client_for(fake.url)
        chosen = await client.chosen()
        assert [piece async for piece in client.stream(QUESTION, chosen, soon_s())] == list(pieces)
        assert fake.closes == []
        assert client.status() == {
            "name": "llama3.2:1b",
            "digest": fake.models[0].digest,
            "url": fake.url,
            "profile": "llama",
            "last_error": "",
            "last_answer": {"prompt_tokens": 26, "answer_tokens": 3, "prompt_ms": 2, "answer_ms": 2},
        }


@pytest.mark.parametrize("wish", ["", "30m"])
async def test_the_server_is_told_how_long_to_keep_the_model(wish: str, fake: FakeOllama, client_for: Clients) -> None:
    client = client_for(fake.url, keep_alive=wish)
    await whole(client)
    assert fake.asked[-1].json.get("keep_alive", "") == wish


@pytest.mark.parametrize(
    ("mode", "error"),
    [
        ("stall", BackendUnreachable),
        ("silent", BackendUnreachable),
        ("no_done", BackendUnreachable),
        ("reset", BackendUnreachable),
        ("half_line", BackendUnreachable),
        ("bad_line", BackendUnreachable),
        ("long_line", BackendUnreachable),
        ("error_line", BackendUnreachable),
        ("500", BackendUnreachable),
        ("not_json", BackendUnreachable),
        ("400", BadRequest),
        ("404", ModelMissing),
        ("429", Busy),
        ("503", Busy),
    ],
)
async def test_an_answer_that_is_not_whole_never_looks_whole(
    mode: str, error: type[EdgeError], fake: FakeOllama, client_for: Clients
) -> None:
    client = client_for(fake.url, first_token_timeout_s=0.3, token_timeout_s=0.3)
    fake.next(mode)
    with pytest.raises(error) as failed:
        await whole(client)
    assert client.status()["last_error"] == failed.value.code
    assert "slippers" not in f"{failed.value.message} {failed.value.hint} {failed.value!r}"
    assert await whole(client) == "It is kept."
    assert client.status()["last_error"] == ""


@pytest.mark.parametrize("mode", ["silent", "stall", "slow"])
async def test_the_deadline_ends_an_answer_at_any_point(mode: str, fake: FakeOllama, client_for: Clients) -> None:
    client = client_for(fake.url)
    chosen = await client.chosen()
    fake.next(mode, token_s=5)
    with pytest.raises(TimedOut):
        await whole(client, chosen, asyncio.get_running_loop().time() + 0.3)
    await fake.wait_closed()


async def test_closing_the_stream_closes_the_connection(fake: FakeOllama, client_for: Clients) -> None:
    client = client_for(fake.url)
    fake.next("endless")
    async with aclosing(client.stream(QUESTION, await client.chosen(), soon_s())) as stream:
        assert await anext(stream) == "It"
        assert fake.closes == []
    assert (await fake.wait_closed()).request is fake.asked[0]


@pytest.mark.parametrize("mode", ["silent", "stall"])
async def test_cancelling_the_task_closes_the_connection(mode: str, fake: FakeOllama, client_for: Clients) -> None:
    client = client_for(fake.url)
    fake.next(mode)
    task = asyncio.create_task(whole(client))
    await fake.wait_asked()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await fake.wait_closed()


async def test_a_redirect_takes_the_words_nowhere(fake: FakeOllama, client_for: Clients) -> None:
    async with FakeOllama() as elsewhere:
        client = client_for(fake.url)
        fake.next("redirect", to=elsewhere.url)
        with pytest.raises(BackendUnreachable, match="redirect"):
            await whole(client)
        fake.next("redirect", to=elsewhere.url)
        with pytest.raises(BackendUnreachable, match="redirect"):
            await client.relay(
                "POST", "/api/chat", json.dumps({"model": "x", "messages": QUESTION}).encode(), {}, soon_s()
            )
        assert elsewhere.requests == []


async def test_proxy_variables_take_the_words_nowhere(
    fake: FakeOllama, client_for: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with FakeOllama() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        assert await whole(client_for(fake.url)) == "It is kept."
        assert proxy.requests == []


async def test_no_option_that_loads_the_model_anew_is_sent(fake: FakeOllama, client_for: Clients) -> None:
    await whole(client_for(fake.url))
    body = fake.asked[0].json
    assert set(body) == {"model", "stream", "keep_alive", "messages", "options"}  # keep_alive moves an expiry alone
    assert set(body["options"]) <= {"num_predict", "temperature", "stop"}


async def test_a_plain_profile_asks_with_a_raw_prompt(client_for: Clients) -> None:
    async with FakeOllama(models=[FakeModel("gemma3:270m-base", family="gemma3")]) as fake:
        client = client_for(fake.url)
        chosen = await client.chosen()
        messages = messages_for(chosen.profile, "zh", "姓名：王芳", "我叫什么？")
        answer = [piece async for piece in client.stream(messages, chosen, soon_s())]
        assert "".join(answer) == "It is kept."
        asked = fake.asked[0]
        assert asked.path == "/api/generate"
        assert asked.json["raw"] is True
        assert asked.json["prompt"].endswith("姓名：王芳\n问题：我叫什么？\n回答：")
        assert asked.json["options"]["stop"] == ["\n"]


async def test_what_no_encoding_can_hold_is_sent_as_a_question_mark(fake: FakeOllama, client_for: Clients) -> None:
    client = client_for(fake.url)
    messages = [{"role": "user", "content": "lone \ud800 surrogate"}]
    assert [_ async for _ in client.stream(messages, await client.chosen(), soon_s())]
    assert fake.asked[0].json["messages"][0]["content"] == "lone ? surrogate"
