"""The memory routes: say, observe, forget, end, what is remembered and why, what is pending."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING

from claudemem_edge.errors import BadRequest, UnknownScope
from claudemem_edge.shapes.context import Context
from claudemem_edge.shapes.turn import ENDINGS, Accepted, Failed, Final, Origin
from claudemem_edge.transport import orders, wire
from claudemem_edge.transport.guards import scope_in_path
from claudemem_edge.transport.live import Live, Outlet
from claudemem_edge.transport.operations import MEMORY_OPERATIONS, routes
from claudemem_edge.transport.render import context_json, event_json, item_json, outcome_json
from claudemem_edge.transport.replies import JSON, NDJSON, failed_reply, json_bytes, json_reply

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    from claudemem_edge.sessions import Sessions
    from claudemem_edge.shapes.outcome import Outcome
    from claudemem_edge.shapes.turn import TurnEvent
    from claudemem_edge.transport import answers

DOOR = "http"


class MemoryRoutes:
    """The handlers of /memory/…."""

    def __init__(self, sessions: Sessions, note_error: Callable[[str], None], deadline_s: float) -> None:
        self._sessions = sessions
        self._boot_id = sessions.boot_id
        self._note_error = note_error
        self._deadline_s = deadline_s

    def routes(self) -> list[Route]:
        """Return the routes."""
        return routes(MEMORY_OPERATIONS, self)

    async def say(self, request: Request) -> Response:
        """Answer an utterance with the events of its turn, or with their last alone when `stream` is false."""
        scope = scope_in_path(request)
        body = wire.parse(wire.AskIn, await request.body())
        ask = orders.ask(body, scope, Origin(DOOR, body.device), self._deadline_s)
        events = self._sessions.turn(ask)
        first = await anext(events)
        if isinstance(first, Failed):
            await events.aclose()
            return failed_reply(first, self._event(first))
        if body.stream:
            return Live(lambda outlet: self._stream(outlet, first, events))
        return Live(lambda outlet: self._ending(outlet, events))

    async def _stream(self, outlet: Outlet, first: TurnEvent, events: AsyncGenerator[TurnEvent, None]) -> None:
        try:
            await outlet.begin(NDJSON, headers=_turn_header(first))
            await outlet.write(json_bytes(self._event(first)) + b"\n")
            async for event in events:
                await outlet.write(json_bytes(self._event(event)) + b"\n")
            await outlet.end()
        finally:
            await events.aclose()

    async def _ending(self, outlet: Outlet, events: AsyncGenerator[TurnEvent, None]) -> None:
        try:
            async for event in events:
                if isinstance(event, Failed):
                    await outlet.reply(failed_reply(event, self._event(event)))
                elif isinstance(event, ENDINGS):
                    await outlet.whole(json_bytes(self._event(event)), JSON, headers=_turn_header(event))
        finally:
            await events.aclose()

    def _event(self, event: TurnEvent) -> answers.TurnEvent:
        if isinstance(event, Failed):
            self._note_error(event.code)
        return event_json(event, self._boot_id)

    async def cancel(self, request: Request) -> Response:
        """Cancel a running turn."""
        scope = scope_in_path(request)
        body = wire.parse(wire.CancelIn, await request.body())
        if not body.id:
            raise BadRequest("the field id is missing", hint="it is the id of the ask to cancel")
        answer: answers.CancelledAnswer = {
            "cancelled": self._sessions.cancel(scope, body.id),
            "boot_id": self._boot_id,
        }
        return json_reply(answer)

    async def observe(self, request: Request) -> Response:
        """Learn something without answering it."""
        scope = scope_in_path(request)
        body = wire.parse(wire.ObserveIn, await request.body())
        door = f"{DOOR}:{body.device}"
        outcome = self._sessions.observe(scope, body.speaker, body.text, language=body.language, door=door)
        return self._outcome(outcome)

    async def forget(self, request: Request) -> Response:
        """Forget one thing, or everything."""
        scope = scope_in_path(request)
        return self._outcome(orders.forget(self._sessions, scope, wire.parse(wire.ForgetIn, await request.body())))

    async def end(self, request: Request) -> Response:
        """End a scope: nothing of it stays."""
        answer: answers.EndedAnswer = {"ended": self._sessions.end(scope_in_path(request)), "boot_id": self._boot_id}
        return json_reply(answer)

    async def show(self, request: Request) -> Response:
        """Show everything remembered for a scope."""
        scope = scope_in_path(request)
        view = self._sessions.peek(scope).view(at=self._sessions.now())
        answer: answers.MemoryAnswer = {**view, "scope": scope, "boot_id": self._boot_id}
        return json_reply(answer)

    async def context(self, request: Request) -> Response:
        """Choose the block for a question; where nothing was ever said it is empty."""
        scope = scope_in_path(request)
        query = wire.from_query(wire.ContextIn, dict(request.query_params))
        try:
            block = self._sessions.context(scope, query.query, limit_chars=query.limit_chars, language=query.language)
            turn = self._sessions.peek(scope).turn
        except UnknownScope:
            block, turn = Context(), 0
        answer: answers.BlockAnswer = {**context_json(block), "turn": turn, "boot_id": self._boot_id}
        return json_reply(answer)

    async def digest(self, request: Request) -> Response:
        """Sum up what was told in a day or in several."""
        scope = scope_in_path(request)
        text = orders.digest(self._sessions, scope, wire.from_query(wire.DigestIn, dict(request.query_params)))
        answer: answers.DigestAnswer = {"text": text, "boot_id": self._boot_id}
        return json_reply(answer)

    async def trace(self, request: Request) -> Response:
        """Tell why a recent turn was answered as it was."""
        scope = scope_in_path(request)
        number = request.path_params["turn"]
        if not (number.isascii() and number.isdigit() and len(number) < 10):
            raise BadRequest("a turn is a whole number")
        trace = self._sessions.trace(scope, int(number))
        answer: answers.Trace = {
            "turn": int(number),
            "outcome": outcome_json(trace.outcome),
            "context": context_json(trace.context) if trace.context is not None else None,
            "boot_id": self._boot_id,
        }
        return json_reply(answer)

    async def pending(self, request: Request) -> Response:
        """List what is still to happen."""
        scope = scope_in_path(request)
        try:
            items = self._sessions.peek(scope).pending()
        except UnknownScope:
            items = ()
        answer: answers.PendingAnswer = {"items": [item_json(item) for item in items], "boot_id": self._boot_id}
        return json_reply(answer)

    async def add_pending(self, request: Request) -> Response:
        """Add a reminder or task."""
        scope = scope_in_path(request)
        body = wire.parse(wire.PendingIn, await request.body())
        return self._outcome(orders.change_pending(self._sessions, scope, body, DOOR), HTTPStatus.CREATED)

    async def change_pending(self, request: Request) -> Response:
        """Mark an item done, cancel, snooze or move it."""
        scope = scope_in_path(request)
        body = wire.parse(wire.PendingIn, await request.body())
        body = replace(body, id=request.path_params["id"])
        if body.op == "add":
            raise BadRequest("the field op: an item that exists can be done, cancelled, snoozed or changed")
        return self._outcome(orders.change_pending(self._sessions, scope, body, DOOR))

    def _outcome(self, outcome: Outcome, status: int = HTTPStatus.OK) -> Response:
        answer: answers.OutcomeAnswer = {**outcome_json(outcome), "boot_id": self._boot_id}
        return json_reply(answer, status, {"X-Claudemem-Turn": str(outcome.turn)})


def _turn_header(event: TurnEvent) -> dict[str, str]:
    return {"X-Claudemem-Turn": str(event.turn)} if isinstance(event, (Accepted, Final)) else {}
