"""A connection with limits of our own: how many there may be, and how long a request's bytes may take."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from claudemem_edge.errors import BadRequest, Busy, EdgeError, TimedOut, TooLong
from claudemem_edge.transport.access import NOTHING_CALLED, UNKNOWN, log_access, peer_of
from claudemem_edge.transport.replies import JSON, HttpRefusal, error_body, json_bytes, shaped, status_of

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator

    from claudemem_edge.shapes.options import HttpOptions

HEAD_MOST_BYTES = 64 << 10
"""A question of 2,000 Chinese characters in a query string takes 18 KB."""
RETRY_AFTER_S = 1
STUCK_READER_S = 5.0
"""A client that takes nothing of a full buffer for so long has left, whatever its socket says."""
LINGER_S = 1.0
"""How long a refused connection stays open for what its client still sends, and one without a place for its head."""
PLACELESS_MOST = 256
"""So many of either kind at a time; they take no place from others. Beyond it whoever has stayed longest goes."""
BEGINNING_MOST_BYTES = 16 << 10
"""A connection without a place may send no more before it is told so."""
NEXT_REQUEST_S = 1.0
"""For so long a connection that is new, or was just answered, is not idle: a request may be lying in its socket."""
LATER_S = 2
"""The guard answers a slow body itself; only what it has refused and is still coming runs into this limit."""
OWN_SHAPE = "/memory/"
"""The path whose shape an error takes before it is known which was asked for."""


END_OF_HEAD = re.compile(rb"\n\r?\n")


@dataclass(slots=True)
class Crowd:
    """What the connections of one server share: who counts their refusals, and those of them that have no place."""

    note_error: Callable[[str], None]
    waiting: dict[GuardedProtocol, asyncio.TimerHandle] = field(default_factory=dict)
    lingering: dict[GuardedProtocol, asyncio.TimerHandle] = field(default_factory=dict)


class GuardedProtocol(H11Protocol):
    """One connection. A head or a body that does not come in time ends it.

    Over the cap an idle one makes room for the next. Where there is none, the next one has to send the whole head of a
    request first; then a connection whose own head is not whole makes room for it. So whoever holds places and asks
    for nothing cannot keep others out.
    """

    def __init__(self, options: HttpOptions, crowd: Crowd, *rest: Any, **named: Any) -> None:
        super().__init__(*rest, **named)
        self._options = options
        self._crowd = crowd
        self._deadline: asyncio.TimerHandle | None = None
        self._awaits = ""
        self._stuck: asyncio.TimerHandle | None = None
        self._refused = False
        self._beginning = b""
        self._made_s = self._free_since_s = self.awaits_since_s = self.loop.time()
        self._peer = UNKNOWN

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn declares it
        """Take a connection in, or refuse it with a reason when all places are busy."""
        super().connection_made(transport)
        self._peer = peer_of(transport)
        self.app_state = {**self.app_state, "peer": self._peer}
        if len(self.connections) > self._options.max_connections and not self._end_idle():
            self.connections.discard(self)
            self._crowd.waiting[self] = self.loop.call_later(LINGER_S, self.refuse_full)
            if len(self._crowd.waiting) > PLACELESS_MOST:
                next(iter(self._crowd.waiting)).refuse_full()
            return
        self._await("head", self._options.header_timeout_s)

    def data_received(self, data: bytes) -> None:
        """Read, unless all that can be said was said already."""
        if self in self._crowd.waiting:
            self._wait_on(data)
        elif not self._refused:
            super().data_received(data)

    def _wait_on(self, data: bytes) -> None:
        """Take a place once the whole head is there, if any can be had by then."""
        self._beginning += data
        whole = END_OF_HEAD.search(self._beginning) is not None
        if whole and (self._end_half_open() or self._end_idle()):
            self._leave_crowd()
            self.connections.add(self)
            super().data_received(self._beginning)
        elif whole or len(self._beginning) > BEGINNING_MOST_BYTES:
            self.refuse_full()

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of the timers."""
        self._leave_crowd()
        self._await("", 0)
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

    def on_response_complete(self) -> None:
        """Go on with what has come meanwhile."""
        self._free_since_s = self.loop.time()
        super().on_response_complete()

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
        """True while no request is under way, nor any part of one. The next one is, for a moment after the last."""
        fresh = self.loop.time() - self._free_since_s < NEXT_REQUEST_S
        return self._between_requests() and not self.conn.trailing_data[0] and not fresh

    @property
    def half_open(self) -> bool:
        """True while the head of a request is not whole."""
        return self._awaits == "head"

    def _between_requests(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    def _end_idle(self) -> bool:
        """Close a connection that nothing is asked on. Tell whether there was one."""
        idle = next((one for one in self._others() if one.idle), None)
        if idle is not None:
            self.connections.discard(idle)
            idle.shutdown()
        return idle is not None

    def _end_half_open(self) -> bool:
        """Refuse the connection that has kept us waiting longest for a head. Tell whether there was one."""
        late = min((one for one in self._others() if one.half_open), key=lambda one: one.awaits_since_s, default=None)
        if late is not None:
            late.give_up()
        return late is not None

    def _others(self) -> Iterator[GuardedProtocol]:
        return (one for one in self.connections if isinstance(one, GuardedProtocol) and one is not self)

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

    def refuse_full(self) -> None:
        """Refuse for want of a place, in the shape that the beginning of the request asks for, if one has come."""
        self._refuse(Busy("all connections are in use", retry_after_s=RETRY_AFTER_S), _path(self._beginning))

    def _refuse(self, error: EdgeError, path: str = OWN_SHAPE) -> None:
        """Say why, and take what is still on its way: closing on it would take the reply back from the client."""
        self._refused = True
        self.connections.discard(self)
        self._leave_crowd()
        self._crowd.note_error(error.code)
        self._await("", 0)
        reply = _reply(error, path)
        size_bytes = len(reply.partition(b"\r\n\r\n")[2])
        log_access(NOTHING_CALLED, status_of(error), size_bytes, self.loop.time() - self._made_s, self._peer)
        self.transport.write(reply)
        self.transport.write_eof()
        self._crowd.lingering[self] = self.loop.call_later(LINGER_S, self.transport.abort)
        if len(self._crowd.lingering) > PLACELESS_MOST:
            next(iter(self._crowd.lingering)).close()

    def close(self) -> None:
        """Leave now, once what was written is on its way."""
        self._leave_crowd()
        self.transport.close()

    def _leave_crowd(self) -> None:
        for group in (self._crowd.waiting, self._crowd.lingering):
            timer = group.pop(self, None)
            if timer is not None:
                timer.cancel()


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
