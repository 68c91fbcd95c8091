"""Requests a second over the Unix socket, observe and context in turn, by one client and by 64, each with its scope.

One scope of 3,200 turns costs more to choose from than 64 of 50 each, so the two rows differ in more than clients.
The clients live in one process beside the daemon's; on a busy machine the daemon's processor time says more.
"""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING
from urllib.parse import quote

from benchmarks._daemon import daemon
from benchmarks._measure import processor_s, quantiles_ms
from benchmarks._talk import talk

if TYPE_CHECKING:
    from pathlib import Path

CLIENTS = (1, 64)
PAIRS = 3200
WARM_UP = 5
GOAL_REQUESTS_A_SECOND = 1000


def run(arguments: list[str]) -> dict[str, object]:
    """Return requests a second and milliseconds a pair of them. Arguments: number of pairs, of all clients together."""
    pairs = int(arguments[0]) if arguments else PAIRS
    found: dict[str, object] = {"goal_requests_a_second": GOAL_REQUESTS_A_SECOND}
    for clients in CLIENTS:
        found[f"{clients} client{'s' if clients > 1 else ''}"] = _measured(clients, pairs)
    return found


def _measured(clients: int, pairs: int) -> dict[str, object]:
    with daemon("--model", "echo") as running:
        asyncio.run(_all(running.path, clients, WARM_UP))
        begun, used_s = time.perf_counter(), processor_s(running.process.pid)
        times_s = asyncio.run(_all(running.path, clients, max(1, pairs // clients)))
        clock_s, used_s = time.perf_counter() - begun, processor_s(running.process.pid) - used_s
    return {
        "requests": 2 * len(times_s),
        "requests_a_second": round(2 * len(times_s) / clock_s),
        "requests_a_processor_second": round(2 * len(times_s) / used_s),
        "pair_ms": quantiles_ms(times_s),
    }


async def _all(path: Path, clients: int, pairs: int) -> list[float]:
    found = await asyncio.gather(*(_client(path, number, pairs) for number in range(clients)))
    return [one for times_s in found for one in times_s]


async def _client(path: Path, number: int, pairs: int) -> list[float]:
    reader, writer = await asyncio.open_unix_connection(str(path))
    times_s = []
    for speaker, text, _ in talk("en" if number % 2 else "zh", pairs, seed=number):
        body = json.dumps({"text": text, "speaker": speaker}, ensure_ascii=False).encode()
        begun = time.perf_counter()
        await _ask(reader, writer, f"POST /memory/c{number}/observe", body)
        await _ask(reader, writer, f"GET /memory/c{number}/context?query={quote(text)}", b"")
        times_s.append(time.perf_counter() - begun)
    writer.close()
    await writer.wait_closed()
    return times_s


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, line: str, body: bytes) -> None:
    head = f"{line} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    answer = (await reader.readuntil(b"\r\n\r\n")).lower()
    if not answer.startswith(b"http/1.1 200"):
        raise RuntimeError(answer.split(b"\r\n", 1)[0].decode())
    await reader.readexactly(int(answer.partition(b"content-length:")[2].split(b"\r\n", 1)[0]))
