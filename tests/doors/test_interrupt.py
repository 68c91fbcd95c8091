"""An answer broken off, at every door and in every way: the model stops, nothing of the answer stays, the words do."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from fakes.http_house import MODEL
from fakes.real_mosquitto import eventually

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

    import httpx
    from fakes.doors_house import Doors

pytestmark = [pytest.mark.broker, pytest.mark.asyncio(loop_scope="module")]
WORDS = "Remind me in 2 seconds to water the figs. What does my cousin play?"
PIECES = ("Your cousin plays ", "the quahog.")
ID = "broken-off"


@dataclass
class Heard:
    """One client's answer as it comes: `rows` grows until the client is told the end."""

    rows: list[dict[str, Any]]
    reading: asyncio.Future[None]

    @property
    def told(self) -> str:
        return json.dumps(self.rows)

    async def until_begun(self) -> None:
        await eventually(lambda: PIECES[0].strip() in self.told)

    async def ending(self) -> dict[str, Any]:
        async with asyncio.timeout(20):
            await self.reading
        return self.rows[-1]


async def read(reply: httpx.Response, rows: list[dict[str, Any]]) -> None:
    async for line in reply.aiter_lines():
        rows += [json.loads(line.removeprefix("data: "))] if "{" in line else []


@asynccontextmanager
async def streamed(client: httpx.AsyncClient, path: str, body: dict[str, Any]) -> AsyncIterator[Heard]:
    rows: list[dict[str, Any]] = []
    async with client.stream("POST", path, json=body) as reply:
        heard = Heard(rows, asyncio.ensure_future(read(reply, rows)))
        try:
            yield heard
        finally:
            heard.reading.cancel()
            await asyncio.wait((heard.reading,))


def by_unix(doors: Doors, scope: str) -> AbstractAsyncContextManager[Heard]:
    return streamed(doors.unix, f"/memory/{scope}/say", {"text": WORDS, "id": ID})


def by_tcp(doors: Doors, scope: str) -> AbstractAsyncContextManager[Heard]:
    return streamed(doors.tcp, f"/memory/{scope}/say", {"text": WORDS, "id": ID})


def by_chat(doors: Doors, scope: str) -> AbstractAsyncContextManager[Heard]:
    return streamed(doors.tcp, f"/u/{scope}/api/chat", question(stream=True))


def by_completions(doors: Doors, scope: str) -> AbstractAsyncContextManager[Heard]:
    return streamed(doors.unix, f"/u/{scope}/v1/chat/completions", question(stream=True))


def question(**more: Any) -> dict[str, Any]:
    return {"model": MODEL, "messages": [{"role": "user", "content": WORDS}], **more}


@asynccontextmanager
async def by_mqtt(doors: Doors, scope: str) -> AsyncIterator[Heard]:
    rows: list[dict[str, Any]] = []

    async def listen() -> None:
        topics = {f"claudemem/home/chat/{scope}/{last}" for last in ("accepted", "delta", "reply")}
        while not rows or "end" not in rows[-1]:
            rows[:] = [json.loads(one.payload) for one in doors.heard.messages if one.topic.value in topics]
            await asyncio.sleep(0.01)

    await doors.publish(f"chat/{scope}/request", {"text": WORDS, "id": ID, "stream": True})
    heard = Heard(rows, asyncio.ensure_future(listen()))
    try:
        yield heard
    finally:
        heard.reading.cancel()
        await asyncio.wait((heard.reading,))


OURS = (by_unix, by_tcp, by_mqtt)
OLLAMAS = (by_chat, by_completions)


async def cancelled(doors: Doors, scope: str) -> None:
    reply = await doors.tcp.post(f"/memory/{scope}/cancel", json={"id": ID})
    assert reply.json()["cancelled"] is True


async def cancelled_by_mqtt(doors: Doors, scope: str) -> None:
    assert (await doors.request(f"chat/{scope}/cancel", {"id": ID}, f"chat/{scope}/cancelled"))["cancelled"] == 1


async def talked_over(doors: Doors, scope: str) -> None:
    ending = await doors.say("What time is it?", scope, supersede=True)
    assert ending["event"] == "final"


async def forgotten(doors: Doors, scope: str) -> None:
    await doors.unix.post(f"/memory/{scope}/observe", json={"text": "My dog is called Biscuit."})
    gone = await doors.unix.post(f"/memory/{scope}/forget", json={"what": "entity", "key": "Biscuit"})
    assert gone.json()["changed"]


async def ended(doors: Doors, scope: str) -> None:
    assert (await doors.unix.post(f"/memory/{scope}/end")).json()["ended"] is True


Begin: TypeAlias = "Callable[[Doors, str], AbstractAsyncContextManager[Heard]]"
Interrupt: TypeAlias = "Callable[[Doors, str], Awaitable[None]]"


def how_it_ended(row: dict[str, Any]) -> str:
    """Return the reason of a cancelled answer, or the code of the error in which Ollama's routes tell it."""
    error = row.get("error", {})
    return str(row.get("reason") or row.get("code") or (error["code"] if isinstance(error, dict) else ""))


WAYS = [
    *((begin, interrupt, "client") for begin in OURS for interrupt in (cancelled, cancelled_by_mqtt)),
    *((begin, talked_over, "superseded") for begin in OURS),
    *((begin, forgotten, "forgotten") for begin in OURS),
    *((begin, forgotten, "expired") for begin in OLLAMAS),
]


@pytest.mark.parametrize(
    ("begin", "interrupt", "reason"), WAYS, ids=[f"{begin.__name__}-{how.__name__}" for begin, how, _ in WAYS]
)
async def test_an_answer_that_is_broken_off(doors: Doors, begin: Begin, interrupt: Interrupt, reason: str) -> None:
    scope = f"{begin.__name__}-{interrupt.__name__}"
    closes = len(doors.fake.closes)
    doors.fake.next("stall", pieces=PIECES, after=1)
    async with begin(doors, scope) as heard:
        await heard.until_begun()
        await interrupt(doors, scope)
        close = await doors.fake.wait_closed(closes + 1)
        assert how_it_ended(await heard.ending()) == reason
        assert close.pieces == 1
        await nothing_stays(doors, scope, heard)


@pytest.mark.parametrize("begin", [by_unix, by_tcp, *OLLAMAS])
async def test_a_client_that_leaves(doors: Doors, begin: Begin) -> None:
    scope = f"{begin.__name__}-left"
    closes = len(doors.fake.closes)
    doors.fake.next("stall", pieces=PIECES, after=1)
    async with begin(doors, scope) as heard:
        await heard.until_begun()
    await doors.fake.wait_closed(closes + 1)
    await nothing_stays(doors, scope, heard)
    await doors.heard.until(
        lambda one: one.topic.value == f"claudemem/home/event/{scope}/due" and b"water the figs" in one.payload
    )


async def nothing_stays(doors: Doors, scope: str, heard: Heard) -> None:
    """See that the next answer is whole, that none of the old one is left, and that the user's words are."""
    told = len(heard.rows)
    doors.fake.next("normal", pieces=("All is well.",))
    ending = await doors.say("How is everything?", scope, id="the-next")
    assert (ending["event"], ending["text"]) == ("final", "All is well.")
    assert "quahog" not in heard.told
    assert len(heard.rows) == told
    left = await doors.view(scope) + doors.fake.asked[-1].text
    assert PIECES[0].strip() not in left
    assert "water the figs" in left
    (item,) = (await doors.unix.get(f"/memory/{scope}/pending")).json()["items"]
    assert item["text"] == "water the figs"


@pytest.mark.parametrize("begin", [*OURS, *OLLAMAS])
async def test_the_end_of_a_scope_ends_its_answers(doors: Doors, begin: Begin) -> None:
    scope = f"{begin.__name__}-ended"
    closes = len(doors.fake.closes)
    doors.fake.next("stall", pieces=PIECES, after=1)
    async with begin(doors, scope) as heard:
        await heard.until_begun()
        await ended(doors, scope)
        await doors.fake.wait_closed(closes + 1)
        assert how_it_ended(await heard.ending()) in {"ended", "expired"}
    assert (await doors.unix.get(f"/memory/{scope}")).status_code == 404


@pytest.mark.parametrize("begin", [*OURS, *OLLAMAS])
async def test_what_is_forgotten_elsewhere_ends_no_answer(doors: Doors, begin: Begin) -> None:
    scope = f"{begin.__name__}-alone"
    doors.fake.next("gated", pieces=PIECES)
    doors.fake.release()
    async with begin(doors, scope) as heard:
        await heard.until_begun()
        await forgotten(doors, f"{scope}-not")
        doors.fake.release()
        await heard.ending()
        assert "quahog" in heard.told
    assert "quahog" in await doors.view(scope)
