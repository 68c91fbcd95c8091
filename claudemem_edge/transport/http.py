"""The HTTP door: our own memory API and Ollama's API with memory, on a Unix socket and, where wanted, on TCP."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException

from claudemem_edge.errors import EdgeError, InternalError
from claudemem_edge.transport.access import AccessLog
from claudemem_edge.transport.events_routes import EventsRoutes
from claudemem_edge.transport.guards import Guard
from claudemem_edge.transport.listeners import open_listeners
from claudemem_edge.transport.memory_routes import MemoryRoutes
from claudemem_edge.transport.ollama_routes import OllamaRoutes
from claudemem_edge.transport.replies import HttpRefusal, error_reply
from claudemem_edge.transport.server import server
from claudemem_edge.transport.status_routes import StatusRoutes

if TYPE_CHECKING:
    import socket

    from starlette.requests import Request
    from starlette.responses import Response

    from claudemem_edge.model.client import ModelClient
    from claudemem_edge.notices import Notices
    from claudemem_edge.sessions import Sessions
    from claudemem_edge.shapes.options import HttpOptions
    from claudemem_edge.transport.health import Health
    from claudemem_edge.transport.listeners import UnixListener
    from claudemem_edge.transport.server import QuietServer


class HttpDoor:
    """Listens from `start` to `stop`. `deadline_s` is how long an answer may take when the request does not say."""

    def __init__(
        self,
        options: HttpOptions,
        sessions: Sessions,
        notices: Notices,
        model: ModelClient,
        health: Health,
        *,
        deadline_s: float = 60.0,
    ) -> None:
        self._options = options
        routes = [
            *StatusRoutes(health).routes(),
            *MemoryRoutes(sessions, health.note_error, deadline_s).routes(),
            *EventsRoutes(notices, sessions.boot_id).routes(),
            *OllamaRoutes(sessions, model, relay_admin=options.relay_admin, note_error=health.note_error).routes(),
        ]
        app = Starlette(
            routes=routes,
            exception_handlers={EdgeError: self._refuse, HTTPException: self._refuse_route, Exception: _fail},
        )
        app.router.redirect_slashes = False
        self._app = AccessLog(Guard(app, options, sessions.boot_id, health.note_error), routes)
        self._note_error = health.note_error
        self._server: QuietServer | None = None
        self._serving: asyncio.Task[None] | None = None
        self._unix: list[UnixListener] = []
        self._tcp: list[socket.socket] = []
        self.tcp_port = 0
        """The port listened on; 0 while there is none."""
        self.addresses: tuple[str, ...] = ()
        """Where it listens, for people."""

    async def start(self) -> None:
        """Listen; requests are answered once this returns. Raises SettingsError, saying what is in the way."""
        self._unix, self._tcp = open_listeners(self._options)
        self.tcp_port = self._tcp[0].getsockname()[1] if self._tcp else 0
        self.addresses = (*(str(one.path) for one in self._unix), *(_url(one) for one in self._tcp))
        self._server = server(self._app, self._options, self._note_error)
        sockets = [*(one.socket for one in self._unix), *self._tcp]
        self._serving = asyncio.create_task(self._server.serve(sockets), name="http")
        ready = asyncio.create_task(self._server.ready.wait())
        await asyncio.wait((ready, self._serving), return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        if self._serving.done():
            self._serving.result()

    async def stop(self) -> None:
        """Finish what is being answered, for a second at most, then close everything."""
        if self._server is not None:
            self._server.leave()
        if self._serving is not None:
            await asyncio.gather(self._serving, return_exceptions=True)
        for listener in self._unix:
            listener.close()
        for one in self._tcp:
            one.close()
        self._server, self._serving, self._unix, self._tcp = None, None, [], []
        self.tcp_port, self.addresses = 0, ()

    async def _refuse(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, EdgeError)  # noqa: S101 (registered for it alone)
        self._note_error(error.code)
        return error_reply(error, request.scope["path"])

    async def _refuse_route(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101 (registered for it alone)
        what = "no such route" if error.status_code == 404 else "no such method on this route"
        refusal = HttpRefusal(
            error.status_code,
            "unsupported",
            f"there is {what} here",
            hint="docs/doors.md lists them",
            headers=error.headers,
        )
        self._note_error(refusal.code)
        return error_reply(refusal, request.scope["path"])


def _url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def _fail(request: Request, error: Exception) -> Response:
    del error
    return error_reply(InternalError("something went wrong inside"), request.scope["path"])
