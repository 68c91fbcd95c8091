"""uvicorn inside our own loop, with connections of our own."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

from uvicorn.config import Config
from uvicorn.server import Server

from claudemem_edge.transport.connection import HEAD_MOST_BYTES, Crowd, GuardedProtocol

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator

    from starlette.types import ASGIApp

    from claudemem_edge.shapes.options import HttpOptions

KEEP_ALIVE_S = 75
"""Longer than clients keep theirs, so that it is they who close and no request is lost on the way."""


class QuietServer(Server):
    """uvicorn inside somebody else's loop: it takes no signals, and says when it is `ready`."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()
        self._leaving = asyncio.Event()

    def leave(self) -> None:
        """Stop serving: `serve` returns once everything is closed."""
        self.should_exit = True
        self._leaving.set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve."""
        await super().startup(sockets)
        self.ready.set()

    async def main_loop(self) -> None:
        """Wait for the end without waking up meanwhile: a small machine that has nothing to do does nothing."""
        await self.on_tick(0)
        await self._leaving.wait()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to the daemon."""
        yield


def server(app: ASGIApp, options: HttpOptions, note_error: Callable[[str], None]) -> QuietServer:
    """Return a server for sockets that are bound already. It logs no request and names no software."""
    crowd = Crowd(note_error)

    def protocol(*rest: Any, **named: Any) -> GuardedProtocol:
        return GuardedProtocol(options, crowd, *rest, **named)

    config = Config(
        app,
        http=protocol,  # type: ignore[arg-type] # a factory is all that uvicorn needs
        ws="none",
        loop="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        h11_max_incomplete_event_size=HEAD_MOST_BYTES,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=1,
    )
    return QuietServer(config)
