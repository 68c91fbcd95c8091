"""Answers that take their time: the work stops the moment the client hangs up, and what it holds is let go."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.responses import Response

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from starlette.types import Receive, Scope, Send


class Outlet:
    """Where live work sends its answer: the head once, then bytes, in pieces."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.started = False
        self.ended = False

    async def begin(self, content_type: str, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        """Send status and headers."""
        self.started = True
        pairs = {"content-type": content_type, **(headers or {})}
        raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in pairs.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": raw})

    async def write(self, piece: bytes) -> None:
        """Send bytes now; waits while the client is slow to take them."""
        await self._send({"type": "http.response.body", "body": piece, "more_body": True})

    async def end(self, piece: bytes = b"") -> None:
        """Send the last bytes."""
        self.ended = True
        await self._send({"type": "http.response.body", "body": piece, "more_body": False})

    async def whole(
        self, body: bytes, content_type: str, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        """Send an answer in one piece."""
        await self.begin(content_type, status, {"content-length": str(len(body)), **(headers or {})})
        await self.end(body)

    async def reply(self, response: Response) -> None:
        """Send an answer that was made elsewhere."""
        named = {name.decode("latin-1"): value.decode("latin-1") for name, value in response.raw_headers}
        await self.begin(named.pop("content-type", ""), response.status_code, named)
        await self.end(bytes(response.body))


class Live(Response):
    """A response whose work begins when it is sent. Errors raised before the head is out go to the guard."""

    def __init__(self, work: Callable[[Outlet], Awaitable[None]]) -> None:
        self._work = work
        self.background = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Do the work, unless and until the client hangs up."""
        del scope
        outlet = Outlet(send)
        await _until_hang_up(receive, outlet, self._work(outlet))


async def _until_hang_up(receive: Receive, outlet: Outlet, work: Awaitable[None]) -> None:
    """Await the work; cancel it when the client hangs up before the answer is whole. Its errors are raised."""
    working = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_hung_up(receive))
    try:
        await asyncio.wait((working, gone), return_when=asyncio.FIRST_COMPLETED)
        if outlet.ended:
            await asyncio.wait((working,))
    finally:
        gone.cancel()
        if not working.done():
            working.cancel()
        await asyncio.gather(working, gone, return_exceptions=True)
    if not working.cancelled():
        working.result()


async def _hung_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
