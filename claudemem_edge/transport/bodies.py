"""How much all requests together may hold: a body is in memory until its request is answered."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from claudemem_edge.errors import Busy

if TYPE_CHECKING:
    from collections.abc import Iterator

AT_ONCE = 8
"""So many bodies of the largest size, or any number of smaller ones that weigh no more together."""
RETRY_AFTER_S = 1.0


class Bodies:
    """The bodies of all requests that are read or answered."""

    def __init__(self, one_most_bytes: int) -> None:
        self._most_bytes = AT_ONCE * one_most_bytes
        self.size_bytes = 0

    @contextmanager
    def one(self) -> Iterator[HeldBody]:
        """Hold one more body for as long as its request takes."""
        held = HeldBody(self)
        try:
            yield held
        finally:
            self.size_bytes -= held.size_bytes

    def add(self, size_bytes: int) -> None:
        """Take so many bytes more. Raises Busy when there is no room for them."""
        if self.size_bytes + size_bytes > self._most_bytes:
            raise Busy("too many large requests at once", retry_after_s=RETRY_AFTER_S, hint="send it again in a moment")
        self.size_bytes += size_bytes


class HeldBody:
    """One body on its way."""

    def __init__(self, all_bodies: Bodies) -> None:
        self._all = all_bodies
        self.size_bytes = 0

    def grow_to(self, size_bytes: int) -> None:
        """Note how large it is by now. Raises Busy."""
        self._all.add(size_bytes - self.size_bytes)
        self.size_bytes = size_bytes
