"""uvicorn with limits of our own: how many connections there may be, and how long a request's bytes may take."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.server import Server

from claudemem_edge.errors import BadRequest, Busy, EdgeError, TimedOut, TooLong
from claudemem_edge.transport.access import UNKNOWN, log_access, peer_of
from claudemem_edge.transport.replies import JSON, HttpRefusal, error_body, json_bytes, shaped, status_of

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator

    from starlette.types import ASGIApp

    from claudemem_edge.shapes.options import HttpOptions

HEAD_MOST_BYTES = 64 << 10
"""A question of 2,000 Chinese characters in a query string takes 18 KB."""
KEEP_ALIVE_S = 75
"""Longer than clients keep theirs, so that it is they who close and no request is lost on the way."""
RETRY_AFTER_S = 1
STUCK_READER_S = 5.0
"""A client that takes nothing of a full buffer for so long has left, whatever its socket says."""
LINGER_S = 1.0
"""How long a refused connection stays open for what its client is still sending."""
LINGERING_MOST = 256
"""So many of them at a time; they take no place from others. One more ends with its answer, come what may."""
FIRST_REQUEST_S = 1.0
"""So young a connection makes no room for another: its request, or the rest of its head, may be lying in the socket."""
LATER_S = 2
"""The guard answers a slow body itself; only what it has refused and is still coming runs into this limit."""
OWN_SHAPE = "/memory/"
"""The path whose shape an error takes before it is known which was asked for."""


@dataclass(slots=True)
class Refusals:
    """What the connections of one server share: who counts their refusals, and which of them linger."""

    note_error: Callable[[str], None]
    lingering: set[GuardedProtocol] = field(default_factory=set)


class GuardedProtocol(H11Protocol):
    """One connection. A head or a body that does not come in time ends it.

    Over the cap an idle one makes room, or one whose head is still not whole.
    """

    def __init__(self, options: HttpOptions, refusals: Refusals, *rest: Any, **named: Any) -> None:
        super().__init__(*rest, **named)
        self._options = options
        self._refusals = refusals
        self._deadline: asyncio.TimerHandle | None = None
        self._awaits = ""
        self._stuck: asyncio.TimerHandle | None = None
        self._refused = False
        self._full: asyncio.TimerHandle | None = None
        self._made_s = self.awaits_since_s = self.loop.time()
        self._peer = UNKNOWN

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn declares it
        """Take a connection in, or refuse it with a reason when all places are busy."""
        super().connection_made(transport)
        self._peer = peer_of(transport)
        self.app_state = {**self.app_state, "peer": self._peer}
        if len(self.connections) > self._options.max_connections and not self._make_room():
            self.connections.discard(self)
            self._full = self.loop.call_later(LINGER_S if self._linger() else 0, self._refuse_full, b"")
            return
        self._await("head", self._options.header_timeout_s)

    def data_received(self, data: bytes) -> None:
        """Read, unless all that can be said was said already."""
        if self._full is not None:
            self._full.cancel()
            self._refuse_full(data)
        elif not self._refused:
            super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of the timers."""
        self._refusals.lingering.discard(self)
        self._await("", 0)
        if self._full is not None:
            self._full.cancel()
        self._unstick()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Act on what has arrived, then watch for what is still to come."""
        super().handle_events()
        if self._refused:
            return
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            self._await("body", self._options.body_timeout_s + LATER_S)
        elif state is h11.IDLE and self.conn.trailing_data[0]:
            self._await("head", self._options.header_timeout_s)
        else:
            self._await("", 0)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, or a head that is too long."""
        del msg
        if len(self.conn.trailing_data[0]) > HEAD_MOST_BYTES:
            status, code, text = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, TooLong.code, "the head is too long"
            self._refuse(HttpRefusal(status, code, text, hint=f"{HEAD_MOST_BYTES} bytes are the most"))
        else:
            self._refuse(BadRequest("this is no HTTP request, or breaks off", hint="send HTTP/1.1"))

    def pause_writing(self) -> None:
        """Give a client that does not read a while to go on."""
        super().pause_writing()
        self._stuck = self.loop.call_later(STUCK_READER_S, self.transport.abort)

    def resume_writing(self) -> None:
        """See that the client reads again."""
        self._unstick()
        super().resume_writing()

    @property
    def idle(self) -> bool:
        """True while no request is under way, nor any part of one; a new connection's first is, for a moment."""
        cycle: RequestResponseCycle | None = self.cycle
        fresh = cycle is None and self.loop.time() - self._made_s < FIRST_REQUEST_S
        return self._between_requests() and not self.conn.trailing_data[0] and not fresh

    @property
    def half_open(self) -> bool:
        """True while the rest of a head has been missing for a moment: it was never on its way."""
        return self._awaits == "head" and self.loop.time() - self.awaits_since_s >= FIRST_REQUEST_S

    def _between_requests(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    def _make_room(self) -> bool:
        """Close an idle connection, or else refuse the one that has kept us waiting longest. Tell whether there was."""
        others = [one for one in self.connections if one is not self and isinstance(one, GuardedProtocol)]
        idle = next((one for one in others if one.idle), None)
        if idle is not None:
            self.connections.discard(idle)
            idle.shutdown()
            return True
        half_open = min((one for one in others if one.half_open), key=lambda one: one.awaits_since_s, default=None)
        if half_open is not None:
            half_open.give_up()
        return half_open is not None

    def _await(self, what: str, limit_s: float) -> None:
        if what == self._awaits:
            return
        self._awaits, self.awaits_since_s = what, self.loop.time()
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if what:
            self._deadline = self.loop.call_later(limit_s, self.give_up)

    def _unstick(self) -> None:
        if self._stuck is not None:
            self._stuck.cancel()
            self._stuck = None

    def give_up(self) -> None:
        """Wait no longer for what is missing of a request."""
        if self._between_requests():
            text = f"the request's {self._awaits} took too long"
            self._refuse(HttpRefusal(HTTPStatus.REQUEST_TIMEOUT, TimedOut.code, text, hint="send it at once"))
        else:
            self.transport.close()

    def _refuse_full(self, beginning: bytes) -> None:
        """Refuse for want of a place, in the shape that the beginning of the request asks for, if one has come."""
        self._full = None
        self._refuse(Busy("all connections are in use", retry_after_s=RETRY_AFTER_S), _path(beginning))

    def _refuse(self, error: EdgeError, path: str = OWN_SHAPE) -> None:
        """Say why, and take what is still on its way: closing on it would take the reply back from the client."""
        self._refused = True
        self.connections.discard(self)
        self._refusals.note_error(error.code)
        self._await("", 0)
        reply = _reply(error, path)
        log_access(UNKNOWN, status_of(error), len(reply), self.loop.time() - self._made_s, self._peer)
        self.transport.write(reply)
        if self._linger():
            self.transport.write_eof()
            self.loop.call_later(LINGER_S, self.transport.abort)
        else:
            self.transport.close()

    def _linger(self) -> bool:
        """Tell whether this connection may stay for a moment though it has no place."""
        if len(self._refusals.lingering) < LINGERING_MOST:
            self._refusals.lingering.add(self)
        return self in self._refusals.lingering


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


def _reply(error: EdgeError, path: str) -> bytes:
    """Return the whole answer of a connection that ends."""
    status = HTTPStatus(status_of(error))
    body = json_bytes(shaped(error_body(error), path))
    head = (
        f"HTTP/1.1 {status} {status.phrase}\r\ncontent-type: {JSON}\r\ncontent-length: {len(body)}\r\n"
        f"retry-after: {RETRY_AFTER_S}\r\nconnection: close\r\n\r\n"
    )
    return head.encode("ascii") + body


def _path(beginning: bytes) -> str:
    """Return the path that a request line names, without /u/<scope>."""
    words = beginning.partition(b"\r\n")[0].decode("latin-1").split(" ")
    named = words[1] if len(words) > 1 else OWN_SHAPE
    return "/" + named[3:].partition("/")[2] if named.startswith("/u/") else named


def server(app: ASGIApp, options: HttpOptions, note_error: Callable[[str], None]) -> QuietServer:
    """Return a server for sockets that are bound already. It logs no request and names no software."""
    refusals = Refusals(note_error)

    def protocol(*rest: Any, **named: Any) -> GuardedProtocol:
        return GuardedProtocol(options, refusals, *rest, **named)

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
