"""Who may come in by HTTP, and with what: the host, the origin, the token, the body. Runs before any route."""

from __future__ import annotations

import asyncio
import hmac
import logging
from dataclasses import dataclass
from fnmatch import fnmatchcase
from http import HTTPStatus
from typing import TYPE_CHECKING

from claudemem_edge.errors import (
    EdgeError,
    Forbidden,
    InternalError,
    ShuttingDown,
    TimedOut,
    TooLong,
    UnknownScope,
)
from claudemem_edge.log import told
from claudemem_edge.transport.bodies import Bodies
from claudemem_edge.transport.heads import check_kind, check_length, check_sender, check_version, read_headers
from claudemem_edge.transport.replies import HttpRefusal, error_reply
from claudemem_edge.transport.scope import DEFAULT_SCOPE, NAME, resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from claudemem_edge.shapes.options import HttpOptions
    from claudemem_edge.transport.bodies import HeldBody

logger = logging.getLogger(__name__)

OPEN_PATHS = frozenset({"/", "/health"})
"""What a caller without a token may still see: that we are there, and how we are."""
EVERY_SCOPE = "*"
SCOPE_HEADER = "x-claudemem-scope"
NOT_TO_KEEP = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))
"""What a browser is told, so that it writes no answer to its disk and runs none as a script."""


@dataclass(slots=True, frozen=True)
class Caller:
    """Who asks, and for which memory. `scopes` are those the token opens, as names and patterns; None means all."""

    tcp: bool
    named: str = ""
    by_path: bool = False
    scopes: tuple[str, ...] | None = None
    require_scope: bool = False

    def scope(self) -> str:
        """Return the scope this request is about. Raises UnknownScope or Forbidden."""
        name = self.named
        if not name and self.scopes is not None and len(self.scopes) == 1 and NAME.fullmatch(self.scopes[0]):
            name = self.scopes[0]
        if not name and self.require_scope:
            raise UnknownScope(
                "name a scope", hint="send the header X-Claudemem-Scope, or use the base path /u/<scope>"
            )
        return self.check(resolve(name or DEFAULT_SCOPE))

    def check(self, scope: str) -> str:
        """Return the scope if the caller's token opens it. Raises Forbidden."""
        if self.scopes is not None and not any(fnmatchcase(scope, one) for one in self.scopes):
            raise Forbidden("this token does not open this scope", hint="name one that it opens, as in /u/<scope>")
        return scope


def caller(scope: Scope) -> Caller:
    """Return who sent a request that has passed the guard."""
    who = scope["state"]["caller"]
    assert isinstance(who, Caller)  # noqa: S101 (for the type checker: the guard put it there)
    return who


def scope_in_path(request: Request) -> str:
    """Return the scope that a route's path names. Raises UnknownScope, or Forbidden where the token opens others."""
    return caller(request.scope).check(resolve(request.path_params["scope"]))


class Guard:
    """Admits a request or answers it with a typed error. No exception, and no word of one, gets past here."""

    def __init__(self, app: ASGIApp, options: HttpOptions, boot_id: str, note_error: Callable[[str], None]) -> None:
        self._app = app
        self._options = options
        self._tokens = tuple((token.encode("utf-8"), scopes) for token, scopes in options.tokens)
        self._note_error = note_error
        self._bodies = Bodies(options.max_body_bytes)
        self._headers = ((b"x-claudemem-boot-id", boot_id.encode("ascii")), *NOT_TO_KEEP)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = [*message.get("headers", ()), *self._headers]
            await send(message)

        try:
            await self._admit(scope, receive, sending)
        except _Gone:
            return
        except asyncio.CancelledError:
            # The door closes for good; what had begun to be sent has its own ending.
            if not started:
                self._note_error(ShuttingDown.code)
                await error_reply(ShuttingDown("the daemon is stopping"), scope["path"])(scope, receive, sending)
        except EdgeError as error:  # of the guard's own: the routes behind it answer theirs
            self._note_error(error.code)
            await error_reply(error, scope["path"])(scope, receive, sending)
        except Exception as error:  # noqa: BLE001 (a request has an answer whatever happens)
            # Its text may hold what somebody said.
            logger.error("a request failed inside: %s", told(error))  # noqa: TRY400
            self._note_error(InternalError.code)
            if not started:
                reply = error_reply(InternalError("something went wrong inside"), scope["path"])
                await reply(scope, receive, sending)

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> None:
        check_version(scope["http_version"])
        headers = read_headers(scope["headers"])
        tcp = scope["server"] is None or scope["server"][1] is not None
        by_path = _strip_prefix(scope)  # first: a refusal takes the shape that the path behind it asks for
        if tcp:
            check_sender(headers, self._options)
        who = Caller(
            tcp,
            by_path or headers.get(SCOPE_HEADER, ""),
            bool(by_path),
            self._scopes(headers, scope["path"], tcp=tcp),
            self._options.require_scope,
        )
        with self._bodies.one() as held:
            body = await self._body(headers, receive, held)
            check_length(headers)
            check_kind(headers, named_json=tcp and bool(body))
            scope["state"] = {**scope.get("state", {}), "caller": who}
            await self._app(scope, _replay(body, receive), send)

    def _scopes(self, headers: Mapping[str, str], path: str, *, tcp: bool) -> tuple[str, ...] | None:
        """Return the scopes the caller's token opens. On the Unix socket its group stands for a token."""
        kind, _, token = headers.get("authorization", "").partition(" ")
        if not self._tokens or (not tcp and not token) or path in OPEN_PATHS:
            return None
        given = token.strip(" ").encode("latin-1") if kind.lower() == "bearer" else b""
        found = [scopes for known, scopes in self._tokens if hmac.compare_digest(known, given)]
        if not found:
            raise HttpRefusal(
                HTTPStatus.UNAUTHORIZED,
                Forbidden.code,
                "a valid token is needed here",
                hint="send the header Authorization: Bearer <token>",
                headers={"WWW-Authenticate": "Bearer"},
            )
        return None if EVERY_SCOPE in found[0] else found[0]

    async def _body(self, headers: Mapping[str, str], receive: Receive, held: HeldBody) -> bytes:
        length = headers.get("content-length", "")
        self._check_size(int(length) if length.isdigit() else 0)
        body = bytearray()
        more = True
        try:
            async with asyncio.timeout(self._options.body_timeout_s):
                while more:
                    message = await receive()
                    if message["type"] != "http.request":
                        raise _Gone
                    body += message.get("body", b"")
                    more = message.get("more_body", False)
                    self._check_size(len(body))
                    held.grow_to(len(body))
        except TimeoutError:
            raise HttpRefusal(
                HTTPStatus.REQUEST_TIMEOUT, TimedOut.code, "the body did not come in time", hint="send it at once"
            ) from None
        return bytes(body)

    def _check_size(self, size_bytes: int) -> None:
        if size_bytes > self._options.max_body_bytes:
            most = self._options.max_body_bytes
            raise TooLong(f"the body may have {most} bytes at most", hint="say it in shorter pieces")


class _Gone(Exception):
    """The client hung up before its request was whole."""


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body once more and then tells when the client hangs up."""
    given = False

    async def receiving() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receiving


def _strip_prefix(scope: Scope) -> str:
    """Take /u/<scope> off the path and return the name, or "" when there is none. Raises UnknownScope."""
    path: str = scope["path"]
    if not path.startswith("/u/"):
        return ""
    name, slash, rest = path[3:].partition("/")
    scope["path"] = slash + rest or "/"
    scope["raw_path"] = scope["path"].encode("utf-8", "replace")
    return resolve(name)
