"""Replies to MQTT requests: exactly one for each, and the same one again for a repeat."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from claudemem_edge.errors import EdgeError, Expired, UnknownScope
from claudemem_edge.transport.mqtt_messages import Address, Letter, packed
from claudemem_edge.transport.mqtt_repeats import Epoch, Repeats
from claudemem_edge.transport.render import error_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from claudemem_edge.counters import Counters
    from claudemem_edge.sessions import Sessions
    from claudemem_edge.shapes.options import MqttOptions

TRY_AGAIN = frozenset({"busy", "shutdown"})
"""Failures after which the same request may come again and is then tried anew."""


@dataclass(slots=True, frozen=True)
class Request:
    """Who asked for what, and where the reply goes. An empty id cannot be told from another."""

    kind: str
    scope: str
    id: str
    address: Address

    @property
    def key(self) -> tuple[str, str, str]:
        """What a repeat of this request has in common with it."""
        return self.kind, self.scope, self.id


class Replies:
    """Sends them, and remembers them for a while."""

    def __init__(
        self, options: MqttOptions, sessions: Sessions, counters: Counters, send: Callable[[Letter], None]
    ) -> None:
        self._sessions = sessions
        self._counters = counters
        self._send = send
        self._expiry_s = options.reply_expiry_s
        self._repeats = Repeats(options.deduplicate_s)

    def is_repeat(self, request: Request) -> bool:
        """Tell whether this request came before. If so it is answered as it was, or will be together with that one."""
        if not request.id:
            return False
        seen = self._repeats.look(request.key, request.address, asyncio.get_running_loop().time())
        if seen is None:
            return False
        self._counters.add("repeated")
        if seen.reply is None:
            return True
        if seen.reply and seen.epoch == self._epoch(request.scope):
            self._post(request.address, seen.reply, request.id, request.scope)
        else:
            self._counters.error(Expired.code)
            self._post(request.address, self._gone(request.id))
        return True

    def give(self, request: Request, body: dict[str, Any]) -> None:
        """Send the one reply of a request that may be repeated."""
        payload = self._payload(request.id, body)
        again = "error" in body and body["error"]["code"] in TRY_AGAIN
        addresses = self._repeats.answered(request.key, payload, self._epoch(request.scope), keep=not again)
        for address in addresses or (request.address,):
            self._post(address, payload, request.id, "" if "error" in body else request.scope)

    def tell(self, address: Address, request_id: str, body: dict[str, Any], scope: str = "") -> None:
        """Send the one reply of a request that is carried out each time it comes, or never.

        `scope` is whose words the reply holds, if it holds any.
        """
        self._post(address, self._payload(request_id, body), request_id, scope)

    def forget(self) -> None:
        """Let go of kept replies that hold what was forgotten since."""
        for scope in self._repeats.scopes():
            self._repeats.forget(scope, self._epoch(scope))

    def _payload(self, request_id: str, body: dict[str, Any]) -> bytes:
        if "error" in body:
            self._counters.error(body["error"]["code"])
        return packed({"id": request_id, **body, "boot_id": self._sessions.boot_id})

    def _gone(self, request_id: str) -> bytes:
        """Return the reply to a request whose own reply may no longer be told."""
        gone = Expired("this was answered before, and its answer is no longer kept", hint="ask anew, with a new id")
        return packed({"id": request_id, **failed_body(gone), "boot_id": self._sessions.boot_id})

    def _post(self, address: Address, payload: bytes, request_id: str = "", scope: str = "") -> None:
        """Send a reply. One with words of a scope gives way when something is forgotten there while it waits."""
        expires_s = asyncio.get_running_loop().time() + self._expiry_s
        letter = Letter(address.topic, payload, qos=1, keep=True, expires_s=expires_s, correlation=address.correlation)
        epoch = self._epoch(scope)
        if epoch is not None:
            letter = replace(letter, stands=lambda: self._epoch(scope) == epoch, instead=self._gone(request_id))
        self._send(letter)

    def _epoch(self, scope: str) -> Epoch | None:
        """Return what changes whenever something is forgotten in a scope; None where there is no memory."""
        try:
            return self._sessions.epoch(scope)
        except UnknownScope:
            return None


def done_body(body: Mapping[str, object]) -> dict[str, Any]:
    """Return the reply of a request that was carried out."""
    return {"ok": True, "end": "final", **body}


def failed_body(error: EdgeError, text: str = "") -> dict[str, Any]:
    """Return the reply of a request that was not; `text` is its sentence in the user's language."""
    return {"ok": False, "end": "failed", **error_json(error, text)}
