"""One question of an Ollama client on its way through: learned, given its block, answered by us or by the model."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claudemem_edge.errors import BackendUnreachable, EdgeError, Full, ShuttingDown
from claudemem_edge.log import spoken
from claudemem_edge.model.profiles import profile_for
from claudemem_edge.model.prompt import user_text
from claudemem_edge.transport.ollama_relay import collected, error_line, refuse
from claudemem_edge.transport.ollama_repeats import Kept, Repeats
from claudemem_edge.transport.ollama_stream import Tap, whole_lines, without_blank_lines
from claudemem_edge.transport.replies import EVENT_STREAM, JSON, NDJSON, error_reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractAsyncContextManager

    from claudemem_edge.memory import Memory
    from claudemem_edge.model.client import ModelClient, Relay
    from claudemem_edge.sessions import Sessions
    from claudemem_edge.shapes.context import Context, Profile
    from claudemem_edge.transport.live import Outlet
    from claudemem_edge.transport.ollama_prompt import Question

DOOR = "ollama:"
DEADLINE_S = 600.0
"""The client's own patience ends an answer long before this does."""
SHOWN_MOST_CHARS = 20_000


@dataclass(slots=True)
class Plan:
    """What to do with a request: the body to pass on, and what there is to learn from the answer."""

    path: str
    body: bytes
    scope: str
    memory: Memory | None = None
    epoch: int = 0
    kept: Kept | None = None
    answered: int = 0
    heard: bool = False
    complete: bool = False
    """True once the client has a whole answer."""

    @property
    def headers(self) -> dict[str, str]:
        """What a reply says of the turn."""
        return {"X-Claudemem-Turn": str(self.kept.turn)} if self.kept is not None else {}


class Conversation:
    """Learns questions, chooses their blocks, passes them on and records what the model answered."""

    def __init__(self, sessions: Sessions, model: ModelClient, note_error: Callable[[str], None]) -> None:
        self._sessions = sessions
        self._model = model
        self._note_error = note_error
        self._repeats = Repeats()

    def plan(self, path: str, scope: str, question: Question, *, may_say: bool) -> Plan:
        """Learn a question unless it is known already, and settle which bytes stand for it. Raises Full."""
        memory = self._sessions.memory(scope)
        newest, turn = not question.answered, memory.turn
        kept = self._repeats.find(scope, memory, question.digest, newest=newest)
        if kept is None:
            kept = self._settle(scope, memory, question, may_say=may_say)
            if question.answered or memory.turn > turn:  # what was refused may be tried again
                self._repeats.keep(scope, memory, question.digest, kept)
        body = question.with_text(kept.text)
        return Plan(path, body, scope, memory, memory.epoch, kept, question.answered, heard=memory.turn > turn)

    def _settle(self, scope: str, memory: Memory, question: Question, *, may_say: bool) -> Kept:
        notice, learned = "", not question.answered
        if learned:
            try:
                outcome = self._sessions.observe(scope, "user", question.text, door=DOOR)
            except Full:  # a client's conversation goes on: its model is told what we refused
                notice, learned = memory.say("error_full"), False
            else:
                notice = outcome.say
                if outcome.complete and notice and may_say:
                    return Kept(question.text, outcome.turn, notice)
        profile = profile_for(question.model)
        notice = notice[: _limit_chars(memory, profile)]
        context = self._context(memory, question, profile, notice)
        spoken.debug("%s: block: %r", scope, context.text)
        if learned:
            self._sessions.trace(scope, memory.turn).context = context
        block = "\n".join(part for part in (notice, str(context)) if part)
        return Kept(user_text(profile, memory.language, block, question.text), memory.turn)

    def _context(self, memory: Memory, question: Question, profile: Profile, notice: str) -> Context:
        """Return what is remembered, in the room that what we stored or refused leaves of the limit."""
        room = _limit_chars(memory, profile) - len(notice) - bool(notice)
        shown = {digest for said in _newest(question.others) for digest in memory.digests(said)}
        return memory.context(
            question.text, limit_chars=max(0, room), now=self._sessions.now(), profile=profile, shown=shown
        )

    async def pass_on(self, outlet: Outlet, plan: Plan) -> None:
        """Ask the model, relay its answer as it comes, and record it once it is complete."""
        try:
            deadline_s = asyncio.get_running_loop().time() + DEADLINE_S
            async with self._place(plan, deadline_s):
                relay = await self._model.relay("POST", plan.path, plan.body, {"Content-Type": JSON}, deadline_s)
                try:
                    await self._relay(outlet, plan, relay)
                finally:
                    await relay.aclose()
        except asyncio.CancelledError:
            if outlet.started and not outlet.ended:
                self._note_error(ShuttingDown.code)
                await outlet.end(error_line(ShuttingDown("the daemon is stopping"), plan.path))
            raise
        except EdgeError as error:
            if plan.complete:
                await outlet.end()  # it failed after its own ending, which is none of the client's concern
                return
            self._note_error(error.code)
            error.heard = error.heard or plan.heard
            text = plan.memory.say(f"error_{error.code}") if plan.memory is not None else ""
            if not outlet.started:
                await outlet.reply(error_reply(error, plan.path, text))
            else:
                await outlet.end(error_line(error, plan.path, text))

    def _place(self, plan: Plan, deadline_s: float) -> AbstractAsyncContextManager[None]:
        if plan.memory is None:
            return self._sessions.model_slot(plan.scope, deadline_s)
        return self._sessions.relaying(plan.scope, plan.memory, plan.epoch, deadline_s)

    async def _relay(self, outlet: Outlet, plan: Plan, relay: Relay) -> None:
        content_type = relay.headers.get("content-type", JSON)
        if relay.status != 200:
            await refuse(outlet, relay, plan.path, plan.headers)
        elif content_type.startswith((NDJSON, EVENT_STREAM)):
            await self._stream(outlet, plan, relay, content_type)
        else:
            body = await collected(relay)
            tap = self._tap(plan)
            tap.hear(body)
            self._record(plan, tap)
            await outlet.whole(body, content_type, headers=plan.headers)

    async def _stream(self, outlet: Outlet, plan: Plan, relay: Relay, content_type: str) -> None:
        events = content_type.startswith(EVENT_STREAM)
        tap = self._tap(plan, events=events)
        async for lines in whole_lines(relay.chunks):
            if not outlet.started:
                await outlet.begin(content_type, headers=plan.headers)
            for line in lines.splitlines():
                tap.hear(line)
            if tap.complete:
                self._record(plan, tap)
            await outlet.write(lines if events else without_blank_lines(lines))
            plan.complete = tap.complete
        if not tap.complete and not tap.failed:
            raise BackendUnreachable("the model's server ended before the answer did", heard=plan.heard)
        await outlet.end()

    def _tap(self, plan: Plan, *, events: bool = False) -> Tap:
        return Tap(plan.memory.max_text_chars if plan.memory is not None else 0, events=events)

    def _record(self, plan: Plan, tap: Tap) -> None:
        """Record a complete answer once, unless something was forgotten since it was asked for."""
        memory, kept = plan.memory, plan.kept
        if memory is None or kept is None or plan.answered in kept.heard or not tap.complete or not tap.text:
            return
        kept.heard.add(plan.answered)
        still_there = plan.scope in self._sessions.scopes() and self._sessions.peek(plan.scope) is memory
        if still_there and memory.epoch == plan.epoch:
            self._sessions.observe(plan.scope, "assistant", tap.text, door=DOOR)


def _limit_chars(memory: Memory, profile: Profile) -> int:
    return min(memory.limit_chars, profile.limit_chars)


def _newest(texts: Sequence[str]) -> Iterator[str]:
    """Give the last of these texts, as many as can be compared without keeping others waiting."""
    left = SHOWN_MOST_CHARS
    for text in reversed(texts):
        if left <= 0:
            return
        yield text[-left:]
        left -= len(text)
