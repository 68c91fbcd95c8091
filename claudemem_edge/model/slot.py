"""Who may use the language model next: one at a time, the waiting scopes in turn."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from claudemem_edge.errors import Busy, TimedOut

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

FIRST_GUESS_S = 5.0
"""How long an answer takes, before any has been seen: for the first retry hint."""


class Place:
    """A place that was promised. Giving it back a second time does nothing."""

    def __init__(self, promised: set[Place], scope: str) -> None:
        self.scope = scope
        self._promised = promised

    def give_back(self) -> None:
        """Let somebody else have it."""
        self._promised.discard(self)


class ModelSlot:
    """One model's slot. Within a scope first come, first served; between scopes one each in turn.

    Beside the answer being given, `queue_most` may wait, of one scope `scope_most`: the others find a place too.
    """

    def __init__(self, queue_most: int, scope_most: int) -> None:
        self._queue_most = queue_most
        self._scope_most = scope_most
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        self._held = False
        self._promised: set[Place] = set()
        self._usual_s = FIRST_GUESS_S

    @property
    def queue(self) -> int:
        """Number of those who have a place: waiting, answering, or on their way here."""
        return len(self._promised)

    def promise(self, scope: str) -> Place:
        """Promise a place, before anything waits. Raises Busy, with the time after which to try again, without one."""
        if sum(one.scope == scope for one in self._promised) > self._scope_most:
            raise Busy("too many questions at once", retry_after_s=self.retry_after_s())
        if len(self._promised) > self._queue_most:
            raise Busy("the language model has all it can do", retry_after_s=self.retry_after_s())
        place = Place(self._promised, scope)
        self._promised.add(place)
        return place

    def retry_after_s(self) -> float:
        """Return how long those waiting will take, by what answers have usually taken."""
        return round(self._usual_s * max(1, self.queue), 1)

    @asynccontextmanager
    async def place(self, scope: str, deadline_s: float) -> AsyncIterator[None]:
        """Hold the slot for somebody who was promised nothing. Raises Busy or TimedOut."""
        place = self.promise(scope)
        try:
            async with self.hold(scope, deadline_s):
                yield
        finally:
            place.give_back()

    @asynccontextmanager
    async def hold(self, scope: str, deadline_s: float) -> AsyncIterator[None]:
        """Wait for the slot until `deadline_s` on the loop's clock, and hold it. Raises TimedOut."""
        await self._acquire(scope, deadline_s)
        loop = asyncio.get_running_loop()
        begun = loop.time()
        try:
            yield
        finally:
            self._usual_s += (loop.time() - begun - self._usual_s) / 4
            self._pass_on()

    async def _acquire(self, scope: str, deadline_s: float) -> None:
        if not self._held:
            self._held = True
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(scope, deque()).append(place)
        try:
            async with asyncio.timeout_at(deadline_s):
                await place
        except BaseException as error:
            if place.done() and not place.cancelled():
                self._pass_on()
            else:
                self._leave(scope, place)
            if isinstance(error, TimeoutError):
                raise TimedOut("others were answered until the deadline") from None
            raise

    def _leave(self, scope: str, place: asyncio.Future[None]) -> None:
        row = self._waiting.get(scope)
        if row is not None and place in row:
            row.remove(place)
            if not row:
                del self._waiting[scope]

    def _pass_on(self) -> None:
        while self._waiting:
            scope, row = next(iter(self._waiting.items()))
            place = row.popleft()
            del self._waiting[scope]
            if row:
                self._waiting[scope] = row  # to the back: the other scopes come first
            if not place.done():
                place.set_result(None)
                return
        self._held = False
