"""Turns that were asked for over MQTT: their events on the way, and their one ending as the reply."""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from claudemem_edge.errors import Busy, InternalError
from claudemem_edge.shapes.turn import Accepted, Cancelled, Delta, Failed, Final, Said
from claudemem_edge.transport.mqtt_messages import Letter, packed
from claudemem_edge.transport.mqtt_replies import done_body, failed_body
from claudemem_edge.transport.render import changes_json, failed_json

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from claudemem_edge.sessions import Sessions
    from claudemem_edge.shapes.turn import Ask, TurnEvent
    from claudemem_edge.transport.mqtt_replies import Replies, Request
    from claudemem_edge.transport.mqtt_topics import Topics

LOG = logging.getLogger(__name__)
RETRY_AFTER_S = 5.0


class Turns:
    """The turns under way, at most `most` of them."""

    def __init__(
        self, sessions: Sessions, topics: Topics, replies: Replies, send: Callable[[Letter], None], most: int
    ) -> None:
        self._sessions = sessions
        self._topics = topics
        self._replies = replies
        self._send = send
        self._most = most
        self._running: dict[asyncio.Task[None], tuple[str, str]] = {}

    def begin(self, request: Request, ask: Ask, *, stream: bool) -> None:
        """Learn what was said, and answer it by and by. Raises what learning raises."""
        if len(self._running) >= self._most:
            self._learn_only(request, ask)
            return
        events = self._sessions.turn(ask)
        task = asyncio.create_task(self._run(request, events, stream=stream), name="mqtt turn")
        self._running[task] = (ask.scope, ask.id)
        task.add_done_callback(self._running.pop)

    def cancel(self, scope: str, ask_id: str) -> int:
        """Cancel a turn by the id of its ask; "" means all that came in here. Return how many were running."""
        wanted = [ask_id] if ask_id else [one for where, one in self._running.values() if where == scope]
        return sum(self._sessions.cancel(scope, one) for one in wanted)

    async def stop(self, within_s: float) -> None:
        """Let the endings out; what is still running then is cancelled, and its reply says so."""
        running = list(self._running)
        if running:
            await asyncio.wait(running, timeout=within_s)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _learn_only(self, request: Request, ask: Ask) -> None:
        """Learn without answering: there is no room for another turn. What needs no model is answered all the same."""
        outcome = self._sessions.observe(ask.scope, ask.speaker, ask.text, language=ask.language, door=str(ask.origin))
        if outcome.complete:
            body = {"turn": outcome.turn, "text": outcome.say, "continue": outcome.asks_back}
            self._replies.give(request, done_body(body))
            return
        sentence = self._sessions.memory(ask.scope).say("error_busy", ask.language)
        busy = Busy("too many questions at once", retry_after_s=RETRY_AFTER_S, hint="ask again later", heard=True)
        self._replies.give(request, failed_body(busy, sentence))

    async def _run(self, request: Request, events: AsyncGenerator[TurnEvent, None], *, stream: bool) -> None:
        ending = failed_body(InternalError("something went wrong inside"))
        try:
            async with aclosing(events):
                ending = await self._follow(request, events, stream=stream)
        except asyncio.CancelledError:
            ending = {"ok": False, "end": "cancelled", "reason": "shutdown"}
            raise
        except Exception as error:  # noqa: BLE001 - a request has its one reply whatever happens
            LOG.error("a turn failed inside: %s", type(error).__name__)  # noqa: TRY400 - traces hold words
        finally:
            self._replies.give(request, ending)

    async def _follow(
        self, request: Request, events: AsyncGenerator[TurnEvent, None], *, stream: bool
    ) -> dict[str, Any]:
        """Publish the events on the way, and return the ending as a reply."""
        clock = asyncio.get_running_loop()
        begun_s, seq, said = clock.time(), 0, ""
        async for event in events:
            match event:
                case Accepted():
                    body = {"turn": event.turn, "queue": event.queue, "changed": changes_json(event.changed)}
                    self._pass(request, "accepted", body)
                case Said():
                    said = f"{event.text} "  # held back until it is known that something follows
                case Delta() if stream:
                    for text in filter(None, (said, event.text)):
                        self._pass(request, "delta", {"seq": seq, "text": text})
                        seq += 1
                    said = ""
                case Final() | Failed() | Cancelled():
                    return {**_ending(event), "ms": round((clock.time() - begun_s) * 1000, 1)}
                case _:
                    pass
        return failed_body(InternalError("something went wrong inside"))

    def _pass(self, request: Request, last: str, body: dict[str, Any]) -> None:
        self._send(Letter(self._topics.chat(request.scope, last), packed({"id": request.id, **body})))


def _ending(event: Final | Failed | Cancelled) -> dict[str, Any]:
    match event:
        case Final():
            return done_body(
                {
                    "turn": event.turn,
                    "text": event.text,
                    "continue": event.asks_back,
                    "model": event.model,
                }
            )
        case Failed():
            return {"ok": False, "end": "failed", "turn": event.turn, **failed_json(event)}
    return {"ok": False, "end": "cancelled", "turn": event.turn, "reason": event.reason}
