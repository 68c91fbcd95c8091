"""What was put into recent questions, so that a tool round or a retry gets the same bytes and teaches nothing twice."""

from __future__ import annotations

import asyncio
import weakref
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from claudemem_edge.memory import Memory

KEPT_MOST = 8
KEPT_S = 60.0


@dataclass(slots=True)
class Kept:
    """One question as it was sent. `say` is our own answer, when no model was asked."""

    text: str
    turn: int
    say: str = ""
    heard: set[int] = field(default_factory=set)
    """After how many messages an answer of the model was recorded already."""


class Repeats:
    """The last questions of each scope, for a minute; none outlives a forget or the end of its memory."""

    def __init__(self) -> None:
        self._scopes: dict[str, _Shelf] = {}

    def find(self, scope: str, memory: Memory, digest: bytes, *, newest: bool) -> Kept | None:
        """Return what was kept for a conversation; with `newest`, only if no other question came since."""
        shelf = self._shelf(scope, memory)
        if shelf is None or digest not in shelf.kept or (newest and next(reversed(shelf.kept)) != digest):
            return None
        shelf.touch(digest)
        return shelf.kept[digest]

    def keep(self, scope: str, memory: Memory, digest: bytes, kept: Kept) -> None:
        """Keep a question; the oldest beyond the eighth goes."""
        shelf = self._shelf(scope, memory)
        if shelf is None:
            shelf = self._scopes[scope] = _Shelf(memory, lambda: self._scopes.pop(scope, None))
        shelf.kept[digest] = kept
        shelf.kept.move_to_end(digest)
        shelf.touch(digest)
        while len(shelf.kept) > KEPT_MOST:
            shelf.drop(next(iter(shelf.kept)))

    def _shelf(self, scope: str, memory: Memory) -> _Shelf | None:
        shelf = self._scopes.get(scope)
        if shelf is not None and (shelf.memory() is not memory or shelf.epoch != memory.epoch):
            for digest in tuple(shelf.kept):
                shelf.drop(digest)
            return None
        return shelf


class _Shelf:
    """What is kept for one memory at one epoch. Each question has its own timer: nothing waits to be looked at."""

    def __init__(self, memory: Memory, emptied: Callable[[], object]) -> None:
        self.memory = weakref.ref(memory)
        self.epoch = memory.epoch
        self.kept: OrderedDict[bytes, Kept] = OrderedDict()
        self._emptied = emptied
        self._timers: dict[bytes, asyncio.TimerHandle] = {}

    def touch(self, digest: bytes) -> None:
        """Let a question's minute begin anew."""
        if digest in self._timers:
            self._timers[digest].cancel()
        self._timers[digest] = asyncio.get_running_loop().call_later(KEPT_S, self.drop, digest)

    def drop(self, digest: bytes) -> None:
        """Let go of a question; with the last one the shelf itself goes."""
        del self.kept[digest]
        self._timers.pop(digest).cancel()
        if not self.kept:
            self._emptied()
