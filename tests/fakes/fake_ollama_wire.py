"""What goes over the wire of the fake Ollama: requests as they came, replies byte by byte."""

from __future__ import annotations

import asyncio
import json
import socket as sockets
import struct
from dataclasses import dataclass, field
from typing import Any

REASONS = {200: "OK", 307: "Temporary Redirect"}


@dataclass(slots=True, frozen=True)
class Recorded:
    """One request as it arrived. `json` is None when the body is empty or no JSON."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    json: Any
    at_s: float

    @property
    def text(self) -> str:
        """All that a model would read of it: message contents, or system and prompt, joined by newlines."""
        if not isinstance(self.json, dict):
            return ""
        parts = [str(message.get("content", "")) for message in self.json.get("messages") or []]
        return "\n".join([*parts, *(str(self.json[key]) for key in ("system", "prompt") if key in self.json)])


class WatchedReader(asyncio.StreamReader):
    """A reader that tells at once when the peer is gone, also while nobody reads."""

    def __init__(self) -> None:
        super().__init__(limit=64 << 20)
        self.gone = asyncio.Event()

    def feed_eof(self) -> None:
        super().feed_eof()
        self.gone.set()

    def set_exception(self, exc: Any) -> None:
        super().set_exception(exc)
        self.gone.set()


async def read_request(reader: asyncio.StreamReader) -> Recorded | None:
    """Return the next request of a connection, or None when it ended."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.strip().split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await _body(reader, headers)
    try:
        parsed = json.loads(body) if body else None
    except ValueError:
        parsed = None
    return Recorded(method, path, headers, body, parsed, asyncio.get_running_loop().time())


async def _body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding") != "chunked":
        return await reader.readexactly(int(headers.get("content-length", "0")))
    body = b""
    while size := int(await reader.readline(), 16):
        body += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readline()
    return body


@dataclass(slots=True)
class Reply:
    """A reply in the making. `split_bytes` cuts all that is written into chunks of so many bytes."""

    writer: asyncio.StreamWriter
    request: Recorded
    split_bytes: int = 0
    pieces_sent: int = 0
    begun: bool = False
    finished: bool = False
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def streams(self) -> bool:
        """Ollama streams unless told otherwise; the OpenAI routes stream only when told so."""
        asked = self.request.json if isinstance(self.request.json, dict) else {}
        return bool(asked.get("stream", not self.request.path.startswith("/v1/")))

    async def whole(self, status: int, body: bytes, content_type: str = "application/json") -> None:
        """Send one complete reply; a HEAD request gets its head alone."""
        self._head(status, {"Content-Type": content_type, "Content-Length": str(len(body)), **self.headers})
        if self.request.method != "HEAD":
            self.writer.write(body)
        await self.writer.drain()
        self.finished = True

    async def json(self, payload: object, status: int = 200) -> None:
        """Send one JSON document."""
        await self.whole(status, json.dumps(payload, ensure_ascii=False).encode())

    async def refuse(self, error: str, status: int) -> None:
        """Refuse in the shape of the route: a sentence, or OpenAI's object."""
        told = {"message": error, "type": "api_error", "param": None, "code": None}
        await self.json({"error": told if self.request.path.startswith("/v1/") else error}, status)

    async def begin(self, content_type: str) -> None:
        """Send the head of a stream."""
        self._head(200, {"Content-Type": content_type, "Transfer-Encoding": "chunked", **self.headers})
        await self.writer.drain()

    async def chunk(self, data: bytes) -> None:
        """Send a part of a stream."""
        step = self.split_bytes or max(1, len(data))
        for start in range(0, len(data), step):
            part = data[start : start + step]
            self.writer.write(b"%x\r\n%s\r\n" % (len(part), part))
            await self.writer.drain()
            if self.split_bytes:
                await asyncio.sleep(0)

    async def finish(self) -> None:
        """End a stream as a healthy server does."""
        self.writer.write(b"0\r\n\r\n")
        await self.writer.drain()
        self.finished = True

    def reset(self) -> None:
        """Break the connection off hard; on TCP the peer gets a reset."""
        sock = self.writer.get_extra_info("socket")
        if sock.family != sockets.AF_UNIX:
            sock.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()
        self.finished = True

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.begun = True
        lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Status')}", *(f"{k}: {v}" for k, v in headers.items())]
        self.writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
