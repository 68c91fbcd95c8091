"""The floods: what is sent, and how each of it ended. Bounded in number and time, over loopback alone."""

from __future__ import annotations

import asyncio
import json
import select
import socket
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fakes.child_ollama import ENDLESS
from floods.calm import NEEDS_MODEL, NO_MODEL
from floods.wire import Line, code_of

if TYPE_CHECKING:
    from neighbours.house import House

PATIENCE_S = 120.0
STALLED_S = 5.0
CHUNK = b"x" * (1 << 16)
HALF_A_HEAD = b"POST /memory/flood/say HTTP/1.1\r\nhost: localhost\r\nx-half: "


@dataclass
class Told:
    """How the requests of a flood ended, by code, and what else was measured."""

    codes: Counter[str] = field(default_factory=Counter)
    refused_ms: list[float] = field(default_factory=list)
    served: list[str] = field(default_factory=list)
    """The scopes whose questions were answered, in their order."""
    wrong: list[str] = field(default_factory=list)


async def callers(house: House, count: int, scopes: int) -> Told:
    """Have so many callers ask the model at the same moment."""
    told = Told()
    lines = [await Line.open(str(house.child.path)) for _ in range(count)]

    async def ask(line: Line, scope: str) -> None:
        begun_s = time.monotonic()
        status, body = await line.ask("POST", f"/memory/{scope}/say", {"text": NEEDS_MODEL, "stream": False})
        code = code_of(status, body)
        told.codes[code] += 1
        if code == "busy":
            told.refused_ms.append(1000 * (time.monotonic() - begun_s))
            error = json.loads(body)["error"]
            if not (error.get("heard") and error.get("retry_after_s")):
                told.wrong.append("busy without heard or retry_after_s")
        else:
            told.served.append(scope)

    async with asyncio.timeout(PATIENCE_S):
        await asyncio.gather(*(ask(line, f"flood-{number % scopes}") for number, line in enumerate(lines)))
    for line in lines:
        await line.close()
    return told


def longest_run(served: list[str]) -> int:
    """Return how often at most one scope was served again while others waited."""
    longest = run = 0
    for number, scope in enumerate(served):
        again = number > 0 and served[number - 1] == scope
        waits = any(later != scope for later in served[number:])
        run = run + 1 if again and waits else 1
        longest = max(longest, run)
    return longest


async def half_open(house: House, count: int) -> Told:
    """Begin so many requests, half of them on each socket, and never go on."""
    told, lines = Told(), list[Line]()
    for number in range(count):
        line = await Line.open(str(house.child.path) if number % 2 else house.tcp_port)
        line.writer.write(HALF_A_HEAD)
        lines.append(line)

    async def end(line: Line) -> None:
        try:
            async with asyncio.timeout(PATIENCE_S):
                told.codes[code_of(*await line.answer())] += 1
        except (OSError, asyncio.IncompleteReadError):
            told.codes["closed"] += 1
        await line.close()

    await asyncio.gather(*map(end, lines))
    return told


async def slow_readers(house: House, count: int) -> Told:
    """Ask for answers without an end and read nothing of them."""
    told, readers, waits = Told(), dict[int, socket.socket](), select.poll()
    request = json.dumps({"text": f"Tell me {ENDLESS}, please."}).encode()
    head = b"POST /memory/flood/say HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n" % len(request)
    for _ in range(count):
        one = socket.socket(socket.AF_UNIX)
        one.connect(str(house.child.path))
        one.sendall(head + request)
        readers[one.fileno()] = one
        waits.register(one.fileno(), select.POLLHUP)
    begun_s = time.monotonic()
    while readers and time.monotonic() - begun_s < PATIENCE_S:
        gone = {number for number, _ in waits.poll(0)}
        for number, one in list(readers.items()):
            if fate := _fate(one, gone=number in gone):
                told.codes[fate] += 1
                waits.unregister(number)
                readers.pop(number).close()
        await asyncio.sleep(0.05)
    told.wrong += ["a reader that takes nothing was never let go"] * len(readers)
    for one in readers.values():
        one.close()
    return told


def _fate(one: socket.socket, *, gone: bool) -> str:
    """Return how a request ended, by the first bytes of its answer, of which nothing is taken; "" while it goes on."""
    has_come = bool(select.select([one], [], [], 0)[0])
    beginning = one.recv(64, socket.MSG_PEEK) if has_come else b""
    if b" 503 " in beginning:
        return "busy"
    if not gone:
        return ""
    return "cut off" if b" 200 " in beginning else "closed"


async def big_bodies(house: House, count: int, size_bytes: int) -> Told:
    """Send bodies of a size that nobody takes: half of them say so beforehand."""
    told = Told()

    async def send(number: int) -> None:
        line = await Line.open(str(house.child.path) if number % 4 < 2 else house.tcp_port)
        how = f"content-length: {size_bytes}" if number % 2 else "transfer-encoding: chunked"
        head = f"POST /memory/flood/say HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{how}\r\n\r\n"
        line.writer.write(head.encode())
        piece = CHUNK if number % 2 else b"%x\r\n%b\r\n" % (len(CHUNK), CHUNK)
        answer = asyncio.ensure_future(line.answer())
        try:
            for _ in range(size_bytes // len(CHUNK)):
                if answer.done():
                    break
                line.writer.write(piece)
                await line.writer.drain()
        except OSError:
            pass
        try:
            async with asyncio.timeout(PATIENCE_S):
                told.codes[code_of(*await answer)] += 1
        except (OSError, asyncio.IncompleteReadError):
            told.codes["closed"] += 1
        await line.close()

    await asyncio.gather(*map(send, range(count)))
    return told


async def requests_at_the_broker(house: House, count: int) -> Told:
    """Publish so many requests at once, every other one for the model."""
    texts = (NO_MODEL, NEEDS_MODEL)
    bodies = [(f"chat/flood-{n % 20}/request", {"id": f"flood-{n}", "text": texts[n % 2]}) for n in range(count)]
    return await _publish(house, bodies, within_s=PATIENCE_S)


async def big_messages(house: House, count: int, size_bytes: int) -> Told:
    """Publish so many messages with far more words than anybody says at once."""
    words = "figs and plums " * (size_bytes // 15)
    bodies = [(f"memory/flood-{n % 20}/observe", {"id": f"flood-big-{n}", "text": words}) for n in range(count)]
    return await _publish(house, bodies, within_s=PATIENCE_S)


async def _publish(house: House, bodies: list[tuple[str, dict[str, Any]]], within_s: float) -> Told:
    """Publish, and follow the replies until each has its own or none comes any more."""
    told, waits, seen = Told(), {body["id"] for _, body in bodies}, len(house.messages)
    sending = asyncio.gather(*(house.publish(path, body) for path, body in bodies))
    begun_s = moved_s = time.monotonic()
    while waits and time.monotonic() - begun_s < within_s:
        for message in house.messages[seen:]:
            if message.topic.value.endswith(("/reply", "/observed")) and message.topic.value.split("/")[2] != "calm":
                reply = json.loads(message.payload)
                if reply["id"] in waits:
                    waits.discard(reply["id"])
                    told.codes[reply["error"]["code"] if "error" in reply else reply["end"]] += 1
                    moved_s = time.monotonic()
        seen = len(house.messages)
        if sending.done() and time.monotonic() - moved_s > STALLED_S:
            break
        await asyncio.sleep(0.02)
    await sending
    told.codes["no reply"] += len(waits)
    return told
