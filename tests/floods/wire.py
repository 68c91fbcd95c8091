"""Clients of little weight, so that a flood of them measures the daemon: HTTP by hand over a stream."""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import dataclass
from typing import Any

READ_MOST_BYTES = 1 << 22


@dataclass
class Line:
    """One connection to a door: a path of a Unix socket, or a port."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @classmethod
    async def open(cls, where: str | int) -> Line:
        """Connect."""
        if isinstance(where, int):
            return cls(*await asyncio.open_connection("127.0.0.1", where, limit=READ_MOST_BYTES))
        return cls(*await asyncio.open_unix_connection(where, limit=READ_MOST_BYTES))

    async def ask(self, method: str, path: str, payload: Any = None) -> tuple[int, bytes]:
        """Send a request and return status and body."""
        self.send(method, path, payload)
        return await self.answer()

    def send(self, method: str, path: str, payload: Any = None) -> None:
        """Send a request."""
        body = b"" if payload is None else json.dumps(payload).encode()
        head = f"{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        self.writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)

    async def answer(self) -> tuple[int, bytes]:
        """Return status and body of the next answer."""
        head = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        status = int(head.split(b" ", 2)[1])
        if b"transfer-encoding: chunked" not in head:
            length = int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0])
            return status, await self.reader.readexactly(length)
        body = b""
        while size := int(await self.reader.readline(), 16):
            body += await self.reader.readexactly(size)
            await self.reader.readline()
        await self.reader.readline()
        return status, body

    async def close(self) -> None:
        """Hang up, whatever is on its way."""
        self.writer.transport.abort()
        with contextlib.suppress(OSError):
            await self.writer.wait_closed()


def code_of(status: int, body: bytes) -> str:
    """Return how a request ended: the kind of its last event, the code of its error, or its status."""
    try:
        row = json.loads(body.strip().rsplit(b"\n", 1)[-1])
    except ValueError:
        return str(status)
    error = row.get("error")
    if isinstance(error, dict):
        return str(error["code"])
    return str(row.get("code") or row.get("event") or status)
