"""A well-behaved client, and the memory of the daemon, watched while others flood it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from floods.wire import Line, code_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from neighbours.house import House

BUDGET_S = 10.0
PAUSE_S = 0.1
SAMPLE_EVERY_S = 0.02
RETRY_AFTER_S = 1.0
NO_MODEL = "What time is it?"
NEEDS_MODEL = "Is it kept?"


@dataclass
class Watch:
    """What the well-behaved client got, in seconds, and what the daemon weighed."""

    answers_s: list[float] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    before_mb: float = 0.0
    peak_mb: float = 0.0
    after_mb: float = 0.0
    ends: bool = False
    lines: list[Line] = field(default_factory=list)


def rss_mb(pid: int) -> float:
    """Return the resident memory of a process."""
    rows = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return next(int(row.split()[1]) for row in rows if row.startswith("VmRSS")) / 1024


@contextlib.asynccontextmanager
async def watched(house: House, *, asks_model: bool, settle_s: float) -> AsyncIterator[Watch]:
    """Have a well-behaved client go on as before while the flood comes, and see what it gets."""
    pid, watch = house.child.process.pid, Watch()
    watch.before_mb = watch.peak_mb = rss_mb(pid)
    calls = [_by_socket(house, watch), _by_new_connection(house, watch), _by_broker(house)]
    if asks_model:
        calls.append(_by_model(house, watch))
    tasks = [asyncio.create_task(_go_on(call, watch)) for call in calls]
    weighing = asyncio.create_task(_weigh(pid, watch))
    try:
        yield watch
    finally:
        watch.ends = True
        await asyncio.gather(*tasks)
        for line in watch.lines:
            await line.close()
        await asyncio.sleep(settle_s)
        watch.after_mb = rss_mb(pid)
        weighing.cancel()
        await asyncio.gather(weighing, return_exceptions=True)


async def _go_on(call: Callable[[], Awaitable[None]], watch: Watch) -> None:
    while not watch.ends:
        begun_s = time.monotonic()
        try:
            async with asyncio.timeout(BUDGET_S):
                await call()
        except (TimeoutError, OSError, AssertionError, asyncio.IncompleteReadError) as missed:
            watch.missed.append(f"{call.__qualname__.split('.')[0]}: {missed!r}")
        else:
            watch.answers_s.append(time.monotonic() - begun_s)
        await asyncio.sleep(PAUSE_S)


async def _weigh(pid: int, watch: Watch) -> None:
    while True:
        watch.peak_mb = max(watch.peak_mb, rss_mb(pid))
        await asyncio.sleep(SAMPLE_EVERY_S)


def _by_socket(house: House, watch: Watch) -> Callable[[], Awaitable[None]]:
    line: Line | None = None

    async def learn_and_ask() -> None:
        """Observe and ask for the block on one connection, opened anew only when the daemon needed the place."""
        nonlocal line
        if line is None or line.writer.is_closing() or line.reader.at_eof():
            line = await _admitted(str(house.child.path), watch)
        await expect(line, "POST", "/memory/calm/observe", {"text": "My boat is called Biscuit."})
        await expect(line, "GET", "/memory/calm/context?query=boat")

    return learn_and_ask


def _by_new_connection(house: House, watch: Watch) -> Callable[[], Awaitable[None]]:
    async def come_anew() -> None:
        """Connect for each request, as a shell script does, and come back when all places are taken."""
        line = await _admitted(house.tcp_port, watch)
        try:
            await expect(line, "POST", "/memory/calm/say", {"text": NO_MODEL, "stream": False})
        finally:
            await line.close()

    return come_anew


def _by_broker(house: House) -> Callable[[], Awaitable[None]]:
    count = 0

    async def ask_at_the_broker() -> None:
        """Ask at the broker, where the flood may be. A request that the broker threw away is sent once more."""
        nonlocal count
        count += 1
        name = f"calm-{count}"
        for _ in range(2):
            await house.publish("chat/calm/request", {"id": name, "text": NO_MODEL})
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(BUDGET_S / 2):
                    await _reply(house, name)
                    return
        raise TimeoutError

    return ask_at_the_broker


async def _reply(house: House, name: str) -> None:
    seen = 0
    while True:
        while seen < len(house.messages):
            message = house.messages[seen]
            seen += 1
            if message.topic.value.endswith("chat/calm/reply") and json.loads(message.payload)["id"] == name:
                return
        await asyncio.sleep(0.01)


def _by_model(house: House, watch: Watch) -> Callable[[], Awaitable[None]]:
    async def ask_the_model() -> None:
        """Ask what only the model can answer."""
        line = await _admitted(str(house.child.path), watch)
        try:
            await expect(line, "POST", "/memory/calm-model/say", {"text": NEEDS_MODEL, "stream": False})
        finally:
            await line.close()

    return ask_the_model


async def _admitted(where: str | int, watch: Watch) -> Line:
    """Return a connection that is answered. Where all places are taken, come back as the refusal says."""
    while True:
        line = await Line.open(where)
        watch.lines.append(line)
        try:
            status, _ = await line.ask("GET", "/health")
        except (OSError, asyncio.IncompleteReadError):
            status = 503
        if status == 200:
            return line
        await line.close()
        await asyncio.sleep(RETRY_AFTER_S)


async def expect(line: Line, method: str, path: str, payload: object = None) -> None:
    status, body = await line.ask(method, path, payload)
    assert status == 200, code_of(status, body)
