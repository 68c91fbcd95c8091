"""Questions at every door while neighbours die, and what became of each."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fakes.child_daemon import WAIT_S
from fakes.child_ollama import LONG, LONG_WORDS, WORDS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import httpx
    from neighbours.house import House

SHORT = "Is it kept?"
ANSWERS = {"".join(WORDS).strip(), "".join(LONG_WORDS).strip()}
"""The only whole answers of the fake Ollama."""
ENDINGS = frozenset({"final", "failed", "cancelled"})


@dataclass
class Answer:
    """What a client was told. `endings` must be one in the end."""

    door: str
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    endings: list[str] = field(default_factory=list)
    text: str = ""

    def wrong(self, *, known: bool) -> list[str]:
        """Return which promises this answer breaks; `known` says that the whole answers are known."""
        if len(self.endings) != 1:
            return [f"{self.door}: {len(self.endings)} endings"]
        partial = known and self.endings == ["final"] and self.text.strip() not in ANSWERS
        return [f"{self.door}: a part was called the whole"] if partial else []


async def by_say(house: House, scope: str, text: str, answer: Answer) -> None:
    """Ask over the Unix socket."""
    async for row in rows(house.unix, f"/memory/{scope}/say", {"text": text}):
        match row.get("event", "failed"):
            case "delta":
                answer.begun.set()
            case kind if kind in ENDINGS:
                answer.endings.append(kind)
                answer.text = str(row.get("text", ""))


async def by_chat(house: House, scope: str, text: str, answer: Answer) -> None:
    """Ask over TCP as a client of Ollama does."""
    body = {"model": house.model.model, "messages": [{"role": "user", "content": text}]}
    async for row in rows(house.tcp, f"/u/{scope}/api/chat", body):
        if "error" in row:
            answer.endings.append("failed")
        else:
            answer.text += row["message"]["content"]
            answer.begun.set()
            answer.endings += ["final"] if row["done"] else []


async def by_mqtt(house: House, scope: str, text: str, answer: Answer) -> None:
    """Ask at the broker. A reply may come twice, but never two replies."""
    await house.publish(f"chat/{scope}/request", {"id": scope, "text": text, "stream": True})
    replies: dict[str, dict[str, Any]] = {}
    async with asyncio.timeout(WAIT_S):
        while not replies:
            if any(row["id"] == scope for row in house.heard(f"chat/{scope}/delta")):
                answer.begun.set()
            replies = {json.dumps(row): row for row in house.heard(f"chat/{scope}/reply") if row["id"] == scope}
            await asyncio.sleep(0.01)
    answer.endings += [row["end"] for row in replies.values()]
    answer.text = str(next(iter(replies.values())).get("text", ""))


async def rows(client: httpx.AsyncClient, path: str, body: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
    async with client.stream("POST", path, json=body) as reply:
        async for line in reply.aiter_lines():
            if line.strip():
                yield json.loads(line)


WAYS = {"say": by_say, "chat": by_chat, "mqtt": by_mqtt}
LONG_QUESTION = f"Tell me {LONG}, please."


class Asking:
    """Questions under way at several doors, each in a scope of its own."""

    def __init__(self, house: House, name: str, text: str, doors: tuple[str, ...]) -> None:
        self.answers = [Answer(door) for door in doors]
        self._tasks = [
            asyncio.ensure_future(WAYS[one.door](house, f"{name}-{one.door}", text, one)) for one in self.answers
        ]

    async def begins(self) -> bool:
        """Tell whether one of them is answered, once it is, or all have ended."""
        waits = [asyncio.ensure_future(one.begun.wait()) for one in self.answers]
        ended = asyncio.ensure_future(asyncio.wait(self._tasks))
        watched: list[asyncio.Future[Any]] = [*waits, ended]
        async with asyncio.timeout(WAIT_S):
            await asyncio.wait(watched, return_when=asyncio.FIRST_COMPLETED)
        for one in watched:
            one.cancel()
        return any(one.begun.is_set() for one in self.answers)

    async def leave(self) -> None:
        """Hang up."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def all(self) -> list[Answer]:
        """Wait until each was told what became of it."""
        for answer, ended in zip(self.answers, await asyncio.gather(*self._tasks, return_exceptions=True), strict=True):
            if isinstance(ended, BaseException):
                answer.endings.append(f"none ({type(ended).__name__})")
        return self.answers
