"""What health knows of the model: as it is now, also while nobody asks anything."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from fakes.real_mosquitto import eventually

from claudemem_edge.errors import BackendUnreachable, ModelMissing
from claudemem_edge.model.watch import watch

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakes.fake_ollama import FakeOllama

    from claudemem_edge.model.client import ModelClient

    Clients = Callable[..., ModelClient]

QUESTION = b'{"model":"llama3.2:1b","messages":[{"role":"user","content":"Where are my slippers?"}]}'


async def relayed(client: ModelClient) -> bytes:
    relay = await client.relay("POST", "/api/chat", QUESTION, {})
    try:
        return b"".join([chunk async for chunk in relay.chunks])
    finally:
        await relay.aclose()


def problem(client: ModelClient) -> str:
    return client.status()["last_error"]


async def test_a_server_that_goes_and_comes_is_seen_without_a_question(fake: FakeOllama, client_for: Clients) -> None:
    client = client_for(fake.url)
    assert (await client.look()).name == "llama3.2:1b"
    await fake.stop()
    for _ in range(2):
        with pytest.raises(BackendUnreachable):
            await client.look()
        assert problem(client) == "backend_unreachable"
    await fake.start()
    await client.look()
    assert problem(client) == ""


async def test_a_model_that_was_missing_and_has_come_is_seen(fake: FakeOllama, client_for: Clients) -> None:
    client, models = client_for(fake.url), fake.models
    fake.models = []
    with pytest.raises(ModelMissing):
        await client.look()
    assert problem(client) == "model_missing"
    fake.models = models
    await client.look()
    assert problem(client) == ""


@pytest.mark.parametrize(("mode", "stays"), [("reset", False), ("500", True)])
async def test_a_server_that_is_there_and_fails_is_not_well_because_it_is_there(
    fake: FakeOllama, client_for: Clients, mode: str, *, stays: bool
) -> None:
    client = client_for(fake.url)
    chosen = await client.chosen()
    fake.next(mode)
    with pytest.raises(BackendUnreachable):
        async for _ in client.stream([{"role": "user", "content": "Hello"}], chosen, _soon_s()):
            pass
    assert problem(client) == "backend_unreachable"
    await client.look()
    assert problem(client) == ("backend_unreachable" if stays else "")
    await relayed(client)
    assert problem(client) == ""


async def test_a_reply_that_breaks_off_while_it_is_passed_on_is_noted(fake: FakeOllama, client_for: Clients) -> None:
    client = client_for(fake.url)
    fake.next("reset", after=2)
    with pytest.raises(BackendUnreachable):
        await relayed(client)
    assert problem(client) == "backend_unreachable"
    await relayed(client)
    assert problem(client) == ""


async def test_the_watch_looks_unless_an_answer_proves_enough_and_says_once_what_is_wrong(
    fake: FakeOllama, client_for: Clients, caplog: pytest.LogCaptureFixture
) -> None:
    client, busy = client_for(fake.url), True
    watching = asyncio.create_task(watch(client, 0.01, lambda: busy))
    try:
        await asyncio.sleep(0.05)
        assert fake.requests == []
        busy = False
        await eventually(lambda: len(fake.requests) > 5)
        for times in (1, 2):
            await fake.stop()
            await eventually(lambda: problem(client) == "backend_unreachable")
            await eventually(lambda times=times: caplog.text.count("no language model: ") == times)  # type: ignore[misc]
            await asyncio.sleep(0.05)
            await fake.start()
            await eventually(lambda: problem(client) == "")
        assert caplog.text.count("no language model: ") == 2
    finally:
        watching.cancel()
        await asyncio.wait((watching,))


async def test_the_watch_may_be_told_to_look_once(fake: FakeOllama, client_for: Clients) -> None:
    await watch(client_for(fake.url), 0, lambda: False)
    assert [request.path for request in fake.requests] == ["/api/version", "/api/tags", "/api/ps"]


def _soon_s() -> float:
    return asyncio.get_running_loop().time() + 20
