"""What is asked for over MQTT: read, checked, carried out, and answered exactly once."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from claudemem_edge.errors import BadRequest, EdgeError, Expired, InternalError, TooLong, UnknownScope
from claudemem_edge.shapes.turn import Origin
from claudemem_edge.transport import orders, wire
from claudemem_edge.transport.fields import AWARE, ID, WireModel, given, optional
from claudemem_edge.transport.mqtt_messages import Address, Letter, packed
from claudemem_edge.transport.mqtt_replies import Replies, Request, done_body, failed_body
from claudemem_edge.transport.mqtt_turns import Turns
from claudemem_edge.transport.render import context_json, outcome_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from claudemem_edge.counters import Counters
    from claudemem_edge.sessions import Sessions
    from claudemem_edge.shapes.options import MqttOptions
    from claudemem_edge.shapes.outcome import Outcome
    from claudemem_edge.transport.mqtt_messages import Arrival
    from claudemem_edge.transport.mqtt_topics import Call, Topics

LOG = logging.getLogger(__name__)
DOOR = "mqtt"
JSON_BEGINS_WITH = (b"{", b"[")
MOST_LOOKED_AT_BYTES = 1 << 16
INSIDE = "something went wrong inside"
PLAIN_FIELD = {"chat/request": "text", "chat/cancel": "id", "memory/observe": "text", "memory/context": "query"}
"""What a payload means that is no JSON: `mosquitto_pub -m hello` is as good as {"text": "hello"}."""


@dataclass(slots=True, frozen=True)
class AskIn(wire.AskIn):
    """An ask over MQTT. Its `ttl_s` counts from `sent_at`, where it says so: it may have been on its way for long."""

    sent_at: datetime | None = given(optional(AWARE), None, meaning="When it was sent; `ttl_s` counts from then.")


@dataclass(slots=True, frozen=True)
class GetIn(WireModel):
    """A wish to see what is remembered."""

    id: str = given(ID, "")


@dataclass(slots=True, frozen=True)
class Named(WireModel):
    """All that is read of a request that makes no sense: its id."""

    closed: ClassVar[bool] = False
    id: str = given(ID, "")


Model = TypeVar("Model", bound=WireModel)


class Requests:
    """Takes each message that arrives. Nothing here waits: turns go on by themselves."""

    def __init__(
        self,
        options: MqttOptions,
        topics: Topics,
        sessions: Sessions,
        counters: Counters,
        *,
        send: Callable[[Letter], None],
        deadline_s: float,
    ) -> None:
        self._options = options
        self._topics = topics
        self._sessions = sessions
        self._counters = counters
        self._send = send
        self._deadline_s = deadline_s
        self._replies = Replies(options, sessions, counters, send)
        self._turns = Turns(sessions, topics, self._replies, send, options.queue)
        self._handlers: dict[str, Callable[[Call, bytes, Address], None]] = {
            "chat/request": self._ask,
            "chat/cancel": self._cancel,
            "memory/get": self._get,
            "memory/observe": self._observe,
            "memory/context": self._context,
            "memory/forget": self._forget,
            "pending/set": self._pending,
        }

    async def stop(self, within_s: float) -> None:
        """Let the endings of running turns out; what is left after that is cancelled, and its reply says so."""
        await self._turns.stop(within_s)

    def forget_replies(self) -> None:
        """Let go of replies kept for repeats that hold what was forgotten since."""
        self._replies.forget()

    def take(self, arrival: Arrival) -> None:
        """Carry out one request and answer it, or begin to. Never raises."""
        call = self._topics.call(arrival.topic)
        if call is None:
            self._counters.add("rejected")
            return
        if arrival.stored or (arrival.retained and not arrival.payload):  # the latter clears a stored one
            self._counters.add("retained_ignored")
            return
        address: Address | None = None
        try:
            address = self._address(call, arrival)
            self._check(arrival)
            self._handlers[call.kind](call, arrival.payload, address)
        except EdgeError as error:
            self._refuse(error, call, arrival, address)
        except Exception as error:  # noqa: BLE001 - whatever happens inside, the caller gets an answer
            LOG.error("a request failed inside: %s", type(error).__name__)  # noqa: TRY400 - traces hold words
            self._refuse(InternalError(INSIDE), call, arrival, address)

    def _address(self, call: Call, arrival: Arrival) -> Address:
        """Return where the reply goes. Raises UnknownScope."""
        if arrival.respond_to and self._topics.may_answer_on(arrival.respond_to):
            return Address(arrival.respond_to, arrival.correlation)
        return Address(self._topics.reply(call.kind, call.scope), arrival.correlation)

    def _check(self, arrival: Arrival) -> None:
        """Raise what is wrong with a message before anything of it is read."""
        if arrival.retained:
            self._counters.add("retained_ignored")
            raise BadRequest("a request must not be retained", hint="publish it without the retain flag")
        if arrival.respond_to and not self._topics.may_answer_on(arrival.respond_to):
            free = f"{self._topics.base}/reply/"
            raise BadRequest("the response topic cannot be used", hint=f"name one under {free}, or none at all")
        if len(arrival.payload) > self._options.max_payload_bytes:
            most = self._options.max_payload_bytes
            raise TooLong(f"the payload has {len(arrival.payload)} bytes; {most} is the most")

    def _refuse(self, error: EdgeError, call: Call, arrival: Arrival, address: Address | None) -> None:
        """Answer a request that cannot be read."""
        body = failed_body(error)
        if address is not None:
            self._replies.tell(address, _id_of(arrival.payload), body)
            return
        self._counters.add("rejected")
        self._counters.error(error.code)
        self._send(Letter(self._topics.error, packed({"kind": call.kind, **body})))

    def _once(self, request: Request, work: Callable[[], Mapping[str, object] | None]) -> None:
        """Carry out a request unless it is a repeat, and answer it. Work that returns None answers later."""
        if self._replies.is_repeat(request):
            return
        try:
            done = work()
        except EdgeError as error:
            self._replies.give(request, failed_body(error))
        except Exception as error:  # noqa: BLE001 - whatever happens inside, the caller gets an answer
            LOG.error("a request failed inside: %s", type(error).__name__)  # noqa: TRY400 - traces hold words
            self._replies.give(request, failed_body(InternalError(INSIDE)))
        else:
            if done is not None:
                self._replies.give(request, done_body(done))

    def _ask(self, call: Call, payload: bytes, address: Address) -> None:
        body = _read(AskIn, call.kind, payload)
        ask = orders.ask(body, call.scope, Origin(DOOR, body.device), self._deadline_s)
        age_s = max(0.0, (self._sessions.now().wall - body.sent_at).total_seconds()) if body.sent_at else 0.0

        def work() -> None:
            if body.ttl_s is not None and age_s >= body.ttl_s:
                raise Expired("the request came after its own ttl_s", hint="send it again if it still matters")
            begun = replace(ask, deadline_s=ask.deadline_s - age_s) if body.ttl_s is not None else ask
            self._turns.begin(request, begun, stream=body.stream)

        request = Request(call.kind, ask.scope, ask.id, address)
        self._once(request, work)

    def _cancel(self, call: Call, payload: bytes, address: Address) -> None:
        body = _read(wire.CancelIn, call.kind, payload)
        cancelled = self._turns.cancel(call.scope, body.id)
        self._replies.tell(address, body.id, done_body({"cancelled": cancelled}))

    def _get(self, call: Call, payload: bytes, address: Address) -> None:
        body = _read(GetIn, call.kind, payload or b"{}")
        view = self._sessions.peek(call.scope).view(at=self._sessions.now())
        self._replies.tell(address, body.id, done_body({**view, "scope": call.scope}), call.scope)

    def _context(self, call: Call, payload: bytes, address: Address) -> None:
        body = _read(wire.ContextIn, call.kind, payload)
        chosen = self._block(call.scope, body)
        self._replies.tell(address, body.id, done_body(chosen), call.scope)

    def _observe(self, call: Call, payload: bytes, address: Address) -> None:
        body = _read(wire.ObserveIn, call.kind, payload)
        door = f"{DOOR}:{body.device}"

        def work() -> Mapping[str, object]:
            learned = self._sessions.observe(call.scope, body.speaker, body.text, language=body.language, door=door)
            return outcome_json(learned)

        self._once(Request(call.kind, call.scope, body.id, address), work)

    def _forget(self, call: Call, payload: bytes, address: Address) -> None:
        body = _read(wire.ForgetIn, call.kind, payload)

        def work() -> dict[str, Any]:
            outcome = orders.forget(self._sessions, call.scope, body)
            self._replies.forget()
            return {"removed": _removed(outcome), **outcome_json(outcome)}

        self._once(Request(call.kind, call.scope, body.id, address), work)

    def _pending(self, call: Call, payload: bytes, address: Address) -> None:
        body = _read(wire.PendingIn, call.kind, payload)

        def work() -> dict[str, Any]:
            outcome = orders.change_pending(self._sessions, call.scope, body, DOOR)
            return {"id": body.id, **outcome_json(outcome)}

        # An id names the item; only where one is added it can tell the request itself from another.
        own_id = body.id if body.op == "add" else ""
        self._once(Request(call.kind, call.scope, own_id, address), work)

    def _block(self, scope: str, body: wire.ContextIn) -> dict[str, Any]:
        try:
            turn = self._sessions.peek(scope).turn
        except UnknownScope:
            return {"text": "", "lines": [], "turn": 0}
        block = self._sessions.context(scope, body.query, limit_chars=body.limit_chars, language=body.language)
        return {**context_json(block), "turn": turn}


def _read(model: type[Model], kind: str, payload: bytes) -> Model:
    """Return what a payload says: JSON, or the plain words themselves. Raises BadRequest."""
    field = PLAIN_FIELD.get(kind)
    if field is None or payload.lstrip()[:1] in JSON_BEGINS_WITH:
        return wire.parse(model, payload)
    try:
        words = payload.decode().strip()
    except UnicodeDecodeError:
        raise BadRequest(
            "the payload is not UTF-8", hint='send words in UTF-8, or JSON such as {"text": "…"}'
        ) from None
    return wire.parse(model, json.dumps({field: words}).encode())


def _id_of(payload: bytes) -> str:
    """Return the id of a request that is otherwise wrong, so that its sender knows which one it was."""
    try:
        return wire.parse(Named, payload[:MOST_LOOKED_AT_BYTES]).id
    except BadRequest:
        return ""


def _removed(outcome: Outcome) -> int:
    """Return how many records a forget removed."""
    counts = [dict(change.detail).get("count", "1") for change in outcome.changed if change.kind == "forgot"]
    return sum(int(count) for count in counts if count.isdigit())
