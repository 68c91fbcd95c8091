"""What becomes due, told as it does: for one scope, or on the Unix socket for all of them."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING

from claudemem_edge.errors import BadRequest, Forbidden
from claudemem_edge.notices import EVERY_SCOPE
from claudemem_edge.transport.guards import caller, scope_in_path
from claudemem_edge.transport.live import Live, Outlet
from claudemem_edge.transport.operations import EVENT_OPERATIONS, routes
from claudemem_edge.transport.render import notice_json
from claudemem_edge.transport.replies import EVENT_STREAM, NDJSON, json_bytes

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    from claudemem_edge.notices import Notices, Subscription
    from claudemem_edge.transport import answers

KEEP_ALIVE_S = 15.0
"""How often a stream of server-sent events shows a proxy in between that it is alive."""


class EventsRoutes:
    """The handlers of /memory/{scope}/events and /events."""

    def __init__(self, notices: Notices, boot_id: str) -> None:
        self._notices = notices
        self._boot_id = boot_id

    def routes(self) -> list[Route]:
        """Return the routes."""
        return routes(EVENT_OPERATIONS, self)

    async def events(self, request: Request) -> Response:
        """Tell what becomes due for a scope, for as long as the client listens, or until the visit is over."""
        return self._stream(request, scope_in_path(request))

    async def all_events(self, request: Request) -> Response:
        """Tell what becomes due for all scopes: on the Unix socket alone, to whoever may open all of them."""
        who = caller(request.scope)
        if who.tcp or who.scopes is not None:
            raise Forbidden(
                "the events of all scopes are told on the Unix socket alone, and to no token that opens but some",
                hint="listen to /memory/<scope>/events, or call over the socket",
            )
        if who.named:
            raise BadRequest("these are the events of all scopes", hint="those of one are at /memory/<scope>/events")
        return self._stream(request, EVERY_SCOPE)

    def _stream(self, request: Request, scope: str) -> Response:
        sse = EVENT_STREAM in request.headers.get("accept", "")
        return Live(lambda outlet: self._listen(outlet, scope, sse=sse))

    async def _listen(self, outlet: Outlet, scope: str, *, sse: bool) -> None:
        subscription = self._notices.subscribe(scope)
        try:
            await outlet.begin(EVENT_STREAM if sse else NDJSON)
            await outlet.write(_line({"event": "listening", "scope": scope, "boot_id": self._boot_id}, sse=sse))
            async with aclosing(_rows(subscription, KEEP_ALIVE_S if sse else None)) as rows:
                async for row in rows:
                    await outlet.write(_line(row, sse=sse) if row is not None else b": still here\n\n")
            await outlet.end()
        finally:
            subscription.close()


async def _rows(subscription: Subscription, patience_s: float | None) -> AsyncGenerator[answers.NoticeRow | None, None]:
    """Give what there is to tell, to the end of the subscription; None when there was nothing for so long."""
    lost = 0
    while True:
        try:
            async with asyncio.timeout(patience_s):
                notice = await anext(subscription, None)
        except TimeoutError:
            yield None
            continue
        if subscription.lost > lost:
            lost = subscription.lost
            yield {"event": "lost", "count": lost}
        if notice is None:
            break
        yield notice_json(notice)
    if subscription.ended:
        yield {"event": "ended", "scope": subscription.scope}


def _line(row: answers.NoticeRow, *, sse: bool) -> bytes:
    body = json_bytes(row)
    return b"event: " + row["event"].encode("ascii") + b"\ndata: " + body + b"\n\n" if sse else body + b"\n"
