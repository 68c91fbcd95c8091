"""One scope: its memory, its running turns, and why its recent turns were answered as they were."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from claudemem_edge.errors import Expired
from claudemem_edge.shapes.turn import Cancelled

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from claudemem_edge.model.slot import Place
    from claudemem_edge.sessions.stream import EventStream
    from claudemem_edge.shapes.context import Context
    from claudemem_edge.shapes.outcome import Outcome
    from claudemem_edge.turn import Desk

TRACES_MOST = 32


@dataclass(slots=True)
class Running:
    """A turn being answered."""

    task: asyncio.Task[None]
    stream: EventStream
    turn: int
    place: Place | None
    """What the model's slot promised it, if it needs the model."""


@dataclass(slots=True)
class Trace:
    """Why a turn went as it did; kept until something is forgotten."""

    outcome: Outcome
    context: Context | None = None


@dataclass(slots=True)
class Session:
    """What is kept for one scope. `seen_boot_s` is when it was last used; no two that ever were have one `number`."""

    desk: Desk
    seen_boot_s: float = 0.0
    running: dict[str, Running] = field(default_factory=dict)
    traces: dict[int, Trace] = field(default_factory=dict)
    number: int = field(default_factory=itertools.count().__next__)
    _relays: set[asyncio.Timeout] = field(default_factory=set)

    def learned(self, outcome: Outcome) -> None:
        """Keep the trace of a turn; after a forget, nothing from before it. A door's command is no turn of its own."""
        kinds = {change.kind for change in outcome.changed}
        if kinds & {"forgot", "corrected"}:
            self.desk.history.clear()  # its words may be among those forgotten, or no longer true
        if "forgot" in kinds:
            self.traces.clear()
            self.interrupt("forgotten")
        if len(self.traces) >= TRACES_MOST and outcome.turn not in self.traces:
            del self.traces[next(iter(self.traces))]
        self.traces.setdefault(outcome.turn, Trace(outcome))

    def interrupt(self, reason: str) -> None:
        """End every reply that is being given or waited for: it may hold what is gone."""
        for ask_id in tuple(self.running):
            self.cancel(ask_id, reason)
        for relay in self._relays:
            relay.reschedule(asyncio.get_running_loop().time())
        self._relays.clear()

    @asynccontextmanager
    async def until_forgotten(self, epoch: int) -> AsyncIterator[None]:
        """Let a door pass on a reply with words of this memory. Raises Expired when any are forgotten since `epoch`."""
        if self.desk.memory.epoch != epoch:
            raise forgotten()
        try:
            async with asyncio.timeout(None) as relay:
                self._relays.add(relay)
                try:
                    yield
                finally:
                    self._relays.discard(relay)
        except TimeoutError:
            if not relay.expired():
                raise
            raise forgotten() from None

    def release(self, ask_id: str) -> Running | None:
        """Let go of a running turn and of its place, and return it."""
        running = self.running.pop(ask_id, None)
        if running is not None and running.place is not None:
            running.place.give_back()
        return running

    def cancel(self, ask_id: str, reason: str) -> bool:
        """Cancel a running turn and give it its ending. Tell whether it was running."""
        running = self.release(ask_id)
        if running is None:
            return False
        running.stream.end_now(Cancelled(ask_id, reason, running.turn))
        running.task.cancel()
        return True

    def may_go(self) -> bool:
        """Tell whether this scope may be evicted: nothing is running and nothing is still to happen."""
        return not self.running and not self._relays and not self.desk.memory.pending()


def forgotten() -> Expired:
    """Return the ending of a reply during which something was forgotten."""
    return Expired("something was forgotten while this was answered", hint="ask again")
