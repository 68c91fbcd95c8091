"""Which memory belongs to which scope, and who may answer when. Only here are memories created, ended and evicted."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from claudemem_edge import turn as turns
from claudemem_edge.counters import Counters
from claudemem_edge.errors import BadRequest, EdgeError, ShuttingDown
from claudemem_edge.log import spoken
from claudemem_edge.model.history import History
from claudemem_edge.model.slot import ModelSlot
from claudemem_edge.sessions.clock import Clock
from claudemem_edge.sessions.scopes import Scopes
from claudemem_edge.sessions.session import Running, Session, Trace, forgotten
from claudemem_edge.sessions.stream import EventStream
from claudemem_edge.shapes.context import Profile
from claudemem_edge.shapes.turn import Final

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
    from contextlib import AbstractAsyncContextManager
    from datetime import tzinfo

    from claudemem_edge.memory import Memory
    from claudemem_edge.model.chat_model import ChatModel
    from claudemem_edge.shapes.context import Context
    from claudemem_edge.shapes.options import SessionOptions, TurnOptions
    from claudemem_edge.shapes.outcome import Outcome
    from claudemem_edge.shapes.times import Moment
    from claudemem_edge.shapes.turn import Ask, Notice, TurnEvent

DEFAULT_PROFILE = Profile()
RUNNING_MARGIN = 1
"""The turn that is being answered does not count as waiting."""


class Sessions:
    """The memories of all scopes. Whoever runs between two awaits owns them; nothing here but `turn` ever waits.

    `new_memory` makes an empty one; `history_tokens` bounds what our own doors send along of earlier turns.
    `on_items_changed` is called when an item came, went or moved, `on_visit_ended` when nothing is left of a visit: the
    alarm hangs itself in there. `listeners` tells how many would hear a notice of a scope.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        new_memory: Callable[[], Memory],
        options: SessionOptions,
        turn_options: TurnOptions,
        zone: tzinfo,
        clock: Callable[[tzinfo], Moment] | None = None,
        history_tokens: int = 600,
        counters: Counters | None = None,
    ) -> None:
        self.boot_id = uuid.uuid4().hex
        self._zone = zone
        self._clock = clock or Clock()
        self._counters = counters or Counters()
        self.on_items_changed: Callable[[], None] = lambda: None
        self.on_visit_ended: Callable[[str], None] = lambda _: None
        self.listeners: Callable[[str], int] = lambda _: 1
        self._model = model
        self._new_memory = new_memory
        self._turn_options = turn_options
        self._history_tokens = history_tokens
        self._slot = ModelSlot(turn_options.queue_per_model, turn_options.queue_per_scope)
        self._scopes = Scopes(options, self._new_session, self._visit_ended)
        self._stopping = False

    def now(self) -> Moment:
        """Return now on both clocks, in the daemon's zone."""
        return self._clock(self._zone)

    def scopes(self) -> tuple[str, ...]:
        """Return the scopes there are, the longest unused first."""
        return self._scopes.names()

    @cached_property
    def max_text_chars(self) -> int:
        """The most characters of one utterance."""
        return self._new_memory().max_text_chars

    @property
    def queue(self) -> int:
        """Number of answers waiting for the model or being given."""
        return self._slot.queue

    def size_bytes(self) -> int:
        """Return the bytes of all memories together."""
        return self._scopes.size_bytes()

    def memory(self, scope: str, *, create: bool = True) -> Memory:
        """Return a scope's memory. Raises UnknownScope (when it may not be created) or Full."""
        return self._open(scope, create=create).desk.memory

    def observe(self, scope: str, speaker: str, text: str, *, language: str = "", door: str = "") -> Outcome:
        """Learn without answering. Raises TooLong or Full."""
        with self._opened(scope) as session, self._counters.timed("learn"):
            outcome = session.desk.memory.observe(
                speaker, text, at=self.now(), language=language, door=door, cap_bytes=self._scopes.cap_bytes()
            )
        spoken.debug("%s: %r: %r", scope, speaker, text)
        self._counters.add("observed")
        outcome = self._warned(scope, session, outcome, language)
        self._learned(scope, session, outcome)
        return outcome

    def context(self, scope: str, query: str, *, limit_chars: int | None = None, language: str = "") -> Context:
        """Return the block for a question. Raises UnknownScope."""
        memory = self.memory(scope, create=False)
        context = memory.context(query, limit_chars=limit_chars, now=self.now(), language=language)
        spoken.debug("%s: block: %r", scope, context.text)
        return context

    def command(self, scope: str, kind: str, argument: str = "", *, language: str = "", door: str = "") -> Outcome:
        """Carry out a door's command on a scope's memory; only `add` makes one. Raises EdgeError."""
        with self._opened(scope, create=kind == "add") as session:
            outcome = session.desk.memory.command(
                kind, argument, at=self.now(), language=language, door=door, cap_bytes=self._scopes.cap_bytes()
            )
        self._learned(scope, session, outcome)
        return outcome

    def peek(self, scope: str) -> Memory:
        """Return a scope's memory without counting as use of it. Raises UnknownScope."""
        return self._scopes.peek(scope).desk.memory

    def epoch(self, scope: str) -> tuple[int, int]:
        """Return what changes whenever something is forgotten in a scope, or it begins anew. Raises UnknownScope."""
        session = self._scopes.peek(scope)
        return session.number, session.desk.memory.epoch

    def carry_out(self, scope: str, kind: str, item: str) -> None:
        """Carry out the alarm's command on an item, which is no use of its scope. Raises UnknownScope or BadRequest."""
        self.peek(scope).command(kind, item, at=self.now())

    def stands(self, notice: Notice) -> bool:
        """Tell whether what a notice says still waits to be done, in these words."""
        session = self._scopes.find(notice.scope)
        item = session.desk.memory.item(notice.item) if session is not None else None
        return item is not None and item.text == notice.text and item.state in {"pending", "triggered"}

    def end(self, scope: str) -> bool:
        """End a scope: its turns are cancelled and everything of it is gone. Tell whether there was one."""
        ended = self._scopes.end(scope)
        if ended:
            self.on_items_changed()
        return ended

    def trace(self, scope: str, turn: int) -> Trace:
        """Return what a recent turn changed and the block it was answered with. Raises UnknownScope or BadRequest."""
        session = self._open(scope, create=False)
        if turn not in session.traces:
            raise BadRequest("this turn is not kept", hint="only recent turns are, and none from before a forget")
        return session.traces[turn]

    def model_slot(self, scope: str, deadline_s: float) -> AbstractAsyncContextManager[None]:
        """Hold the model's slot for a scope: for doors that pass a client's own model request on."""
        return self._slot.place(scope, deadline_s)

    @asynccontextmanager
    async def relaying(self, scope: str, memory: Memory, epoch: int, deadline_s: float) -> AsyncIterator[None]:
        """Hold it for a request with words of a memory at this epoch. Raises Expired once any of it is forgotten."""
        session = self._scopes.find(scope)
        if session is None or session.desk.memory is not memory:
            raise forgotten()
        async with session.until_forgotten(epoch), self._slot.place(scope, deadline_s):
            yield

    def turn(self, ask: Ask) -> AsyncGenerator[TurnEvent, None]:
        """Learn what was said now, and return the events of its turn; closing the generator cancels the turn."""
        stream = EventStream(self._turn_options.delta_queue, self._turn_options.stuck_reader_s)
        outcome: Outcome | None = None
        try:
            with self._opened(ask.scope) as session:
                outcome = self._hear(session, ask)
                place = None if outcome.complete else self._slot.promise(ask.scope)
        except EdgeError as error:
            known = self._scopes.find(ask.scope)
            memory = known.desk.memory if known is not None else self._new_memory()
            stream.end_now(turns.failed(ask, memory, error, outcome.turn if outcome else 0))
            return stream.read()
        task = asyncio.get_running_loop().create_task(self._answer(session, ask, outcome, stream), name="turn")
        session.running[ask.id] = Running(task, stream, outcome.turn, place)
        return _read(session, ask, stream, session.traces[outcome.turn])

    def cancel(self, scope: str, ask_id: str, reason: str = "client") -> bool:
        """Cancel a turn by the id of its ask. Tell whether it was running."""
        session = self._scopes.find(scope)
        return session is not None and session.cancel(ask_id, reason)

    def sweep(self) -> None:
        """End the visits that have been silent for too long."""
        for scope in self._scopes.silent_visits(self.now().boot_s):
            self.end(scope)

    async def stop(self) -> None:
        """Take no more asks; give running turns their grace, then their one ending."""
        self._stopping = True
        tasks = [one.task for session in self._scopes.all() for one in session.running.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=self._turn_options.stop_grace_s)
        for session in self._scopes.all():
            for ask_id in tuple(session.running):
                session.cancel(ask_id, "shutdown")
        await asyncio.gather(*tasks, return_exceptions=True)

    def _open(self, scope: str, *, create: bool = True) -> Session:
        return self._scopes.open(scope, self.now().boot_s, create=create)

    def _new_session(self) -> Session:
        memory = self._new_memory()
        history = History(self._history_tokens, self._turn_options.history, DEFAULT_PROFILE.tokens_per_char)
        return Session(turns.Desk(memory, history, asyncio.Lock(), self._model, self._slot, self.now, self._counters))

    def _visit_ended(self, scope: str) -> None:
        self.on_visit_ended(scope)

    @contextmanager
    def _opened(self, scope: str, *, create: bool = True) -> Iterator[Session]:
        """Open a scope to put something into it; a new one into which nothing could be put is not kept."""
        known = scope in self._scopes
        session = self._open(scope, create=create)
        try:
            yield session
        except EdgeError:
            if not known and session.desk.memory.turn == 0:
                self._scopes.drop(scope)
            raise

    def _hear(self, session: Session, ask: Ask) -> Outcome:
        if self._stopping:
            raise ShuttingDown("the daemon is stopping")
        if ask.id in session.running:
            raise BadRequest("a request with this id is being answered", hint="give each request its own id")
        outcome = turns.learn(ask, session.desk, self._scopes.cap_bytes())
        spoken.debug("%s: %r: %r", ask.scope, ask.speaker, ask.text)
        self._counters.add("said" if outcome.complete else "turns")
        outcome = self._warned(ask.scope, session, outcome, ask.language)
        self._learned(ask.scope, session, outcome)
        if ask.supersede:
            for ask_id in tuple(session.running):
                session.cancel(ask_id, "superseded")
        return outcome

    def _warned(self, scope: str, session: Session, outcome: Outcome, language: str) -> Outcome:
        """Let the reply to a new reminder say so when nobody would hear it."""
        new = any(change.kind == "stored" and change.record == "item" for change in outcome.changed)
        if not new or not outcome.say or outcome.open_question is not None or self.listeners(scope):
            return outcome
        warning = session.desk.memory.say("nobody_listens", outcome.language or language)
        joint = " " if outcome.say[-1].isascii() else ""
        return replace(outcome, say=f"{outcome.say}{joint}{warning}")

    def _learned(self, scope: str, session: Session, outcome: Outcome) -> None:
        session.learned(outcome)
        if any(change.record == "item" or change.kind == "forgot" for change in outcome.changed):
            self.on_items_changed()
        self._scopes.fit(keep=scope)

    async def _answer(self, session: Session, ask: Ask, outcome: Outcome, stream: EventStream) -> None:
        try:
            await turns.answer(ask, outcome, session.desk, len(session.running) - RUNNING_MARGIN, stream.put)
        finally:
            running = session.running.get(ask.id)
            if running is not None and running.stream is stream:
                session.release(ask.id)


async def _read(session: Session, ask: Ask, stream: EventStream, trace: Trace) -> AsyncGenerator[TurnEvent, None]:
    try:
        async for event in stream.read():
            if isinstance(event, Final):
                trace.context = event.context  # which nobody sees if something was forgotten meanwhile
                spoken.debug("%s: block: %r", ask.scope, event.context.text)
                spoken.debug("%s: assistant: %r", ask.scope, event.text)
            yield event
    finally:
        running = session.running.get(ask.id)
        if running is not None and running.stream is stream:
            session.cancel(ask.id, "client")
