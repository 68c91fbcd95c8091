"""Turn events on their way from a running turn to one reader."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from claudemem_edge.errors import TimedOut
from claudemem_edge.shapes.turn import ENDINGS, Delta, TurnEvent

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


class EventStream:
    """A bounded queue of events. Pieces wait for room; an ending never does, and nothing comes after it."""

    def __init__(self, room: int, stuck_reader_s: float) -> None:
        self._events: deque[TurnEvent] = deque()
        self._room = room
        self._stuck_reader_s = stuck_reader_s
        self._changed = asyncio.Event()
        self.ended = False

    async def put(self, event: TurnEvent) -> None:
        """Hand an event over, waiting for room. Raises TimedOut when the reader is stuck."""
        if self.ended:
            return
        if isinstance(event, ENDINGS):
            self.ended = True
        else:
            await self._wait_for_room()
        self._events.append(event)
        self._changed.set()

    async def _wait_for_room(self) -> None:
        while len(self._events) >= self._room:
            self._changed.clear()
            try:
                async with asyncio.timeout(self._stuck_reader_s):
                    await self._changed.wait()
            except TimeoutError:
                raise TimedOut("the reader took nothing for too long") from None

    async def read(self) -> AsyncGenerator[TurnEvent, None]:
        """Give the events in order; the last one is the ending."""
        while True:
            while not self._events:
                self._changed.clear()
                await self._changed.wait()
            event = self._events.popleft()
            self._changed.set()
            yield event
            if isinstance(event, ENDINGS):
                return

    def end_now(self, event: TurnEvent) -> None:
        """Put an ending, unless there is one already. Pieces that nobody has taken yet are told no more."""
        if not self.ended:
            self.ended = True
            self._events = deque(one for one in self._events if not isinstance(one, Delta))
            self._events.append(event)
            self._changed.set()
