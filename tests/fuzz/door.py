"""An HTTP door with a loop of its own, and somebody who sends bytes to its socket."""

from __future__ import annotations

import asyncio
import logging
import re
import tempfile
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from fakes.fake_ollama import FakeOllama
from fakes.http_house import MODEL, open_house

if TYPE_CHECKING:
    from fakes.http_house import House

ANSWER_WITHIN_S = 0.02
"""So long an answer is waited for before the sender hangs up: most bytes are no whole request and never get one."""
END_WITHIN_S = 5.0
STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")
METHODS = ("GET", "POST", "PATCH", "DELETE", "HEAD", "PUT", "OPTIONS")
PATHS = (
    "/memory/anna", "/memory/anna/say", "/memory/anna/observe", "/memory/anna/forget", "/memory/anna/cancel",
    "/memory/anna/end", "/memory/anna/context", "/memory/anna/turns/1", "/memory/anna/pending",
    "/memory/anna/pending/p1", "/memory/", "/api/chat", "/api/generate", "/api/show", "/api/tags", "/v1/models",
    "/v1/chat/completions", "/u/anna/api/chat", "/health", "/metrics", "/",
)  # fmt: skip
HEADERS = (
    b"", b"X-Claudemem-Scope: anna\r\n", b"X-Claudemem-Memory: off\r\n", b"Expect: 100-continue\r\n",
    b"Transfer-Encoding: chunked\r\n", b"Content-Type: text/plain\r\n", b"Origin: http://evil\r\n",
)  # fmt: skip
UNSAFE = re.compile(rb"[\x00-\x20\x7f-\xff]")


def composed(data: bytes) -> bytes:
    """Return a request: three bytes choose method, path and header; then the rest of the path, a line feed, a body."""
    chosen, rest = data[:3].ljust(3, b"\0"), data[3:]
    method = METHODS[chosen[0] % len(METHODS)].encode()
    more, _, body = rest.partition(b"\n")
    path = PATHS[chosen[1] % len(PATHS)].encode() + UNSAFE.sub(lambda one: b"%%%02X" % one[0][0], more)
    header = HEADERS[chosen[2] % len(HEADERS)]
    body = body.replace(b"MODEL", MODEL.encode())
    length = b"" if b"chunked" in header else b"Content-Length: %d\r\n" % len(body)
    return b"%s %s HTTP/1.1\r\nHost: localhost\r\n%s%s\r\n%s" % (method, path, header, length, body)


class Door:
    """The door. What fails inside it is found by what it logs and by what its loop reports."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._stack = AsyncExitStack()
        self._house: House | None = None
        self._faults: list[str] = []
        self._log = logging.Handler(logging.ERROR)
        self._log.emit = lambda record: self._faults.append(record.getMessage())  # type: ignore[method-assign]

    def __enter__(self) -> Self:
        logging.getLogger("claudemem_edge").addHandler(self._log)
        self._loop.set_exception_handler(lambda _, context: self._faults.append(str(context)))
        self._house = self._loop.run_until_complete(self._open())
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.run_until_complete(self._stack.aclose())
        self._loop.close()
        logging.getLogger("claudemem_edge").removeHandler(self._log)

    def send(self, data: bytes) -> None:
        """Every request gets a whole status line and nothing fails inside; the next request is answered."""
        answer = self._loop.run_until_complete(self._send(data))
        assert self._faults == []
        for status in STATUS.findall(answer)[:1]:
            assert int(status) != 500, answer
        assert answer == b"" or STATUS.match(answer), answer[:200]
        after = self._loop.run_until_complete(self._send(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        assert b'"status"' in after or after == b"", after[:200]

    async def _open(self) -> House:
        folder = self._stack.enter_context(tempfile.TemporaryDirectory())
        fake = await self._stack.enter_async_context(FakeOllama())
        return await self._stack.enter_async_context(open_house(Path(folder), fake, tcp=False))

    async def _send(self, data: bytes) -> bytes:
        assert self._house is not None
        reader, writer = await asyncio.open_unix_connection(self._house.socket)
        answer = b""
        try:
            writer.write(data)
            with suppress(TimeoutError):
                async with asyncio.timeout(ANSWER_WITHIN_S):
                    answer = await reader.read(1 << 16)
            with suppress(ConnectionError, OSError):
                writer.write_eof()
            async with asyncio.timeout(END_WITHIN_S):
                while more := await reader.read(1 << 16):
                    answer += more
        except ConnectionError:
            pass
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
        return answer
