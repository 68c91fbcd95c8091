"""The access log: one line a request, for owners who ask for it. Who called which route, and how it went.

Paths, queries, methods nobody knows and names of scopes are other people's words: the route's pattern stands for them.
"""

from __future__ import annotations

import logging
import socket
import struct
import time
from typing import TYPE_CHECKING, Any

from starlette.routing import Match, Route

from claudemem_edge.log import access

if TYPE_CHECKING:
    from asyncio import Transport
    from collections.abc import Sequence

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
UNKNOWN = "-"
NOTHING_CALLED = f"{UNKNOWN} {UNKNOWN}"
"""Stands for method and route where a connection ended before it was known what was asked for."""
CREDENTIALS = struct.Struct("iII")
"""The kernel's struct ucred: process, user and group, as they were when the peer connected."""


class AccessLog:
    """Stands before everything else that answers requests."""

    def __init__(self, app: ASGIApp, routes: Sequence[Route]) -> None:
        self._app = app
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have one request answered, and log it once its answer has ended."""
        if not access.isEnabledFor(logging.INFO):
            await self._app(scope, receive, send)
            return
        begun_s = time.perf_counter()
        status = size_bytes = 0
        prefix = "/u/{scope}" if scope["path"].startswith("/u/") else ""

        async def sending(message: Message) -> None:
            nonlocal status, size_bytes
            status = message.get("status", status)
            size_bytes += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            route = self._pattern(scope)
            method = scope["method"] if scope["method"] in METHODS else UNKNOWN
            called = f"{method} {prefix}{route}" if route else f"{method} {UNKNOWN}"
            log_access(called, status, size_bytes, time.perf_counter() - begun_s, scope["state"].get("peer", UNKNOWN))

    def _pattern(self, scope: Scope) -> str:
        """Return the pattern of the route that a request was for, or ""."""
        return next((one.path for one in self._routes if one.matches(scope)[0] is not Match.NONE), "")


def log_access(called: str, status: int, size_bytes: int, took_s: float, peer: str) -> None:
    """Log one request. A status of 0: its client left before there was an answer."""
    access.info("%s %s %d B %.1f ms %s", called, status or UNKNOWN, size_bytes, 1000 * took_s, peer)


def peer_of(transport: Transport) -> str:
    """Return who is at the other end: user, group and process on a Unix socket, the address on TCP."""
    connection: Any = transport.get_extra_info("socket")
    if connection.family == socket.AF_UNIX:
        packed = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
        process, user, group = CREDENTIALS.unpack(packed)
        return f"uid={user} gid={group} pid={process}"
    try:
        host, port = connection.getpeername()[:2]
    except OSError:  # it has left already
        return UNKNOWN
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
