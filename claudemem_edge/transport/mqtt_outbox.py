"""What waits to be published. Replies outlast a lost connection for a while; all else is only worth sending now."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from claudemem_edge.counters import Counters
    from claudemem_edge.transport.mqtt_messages import Letter

MOST_ATTEMPTS = 3
"""A letter that was on its way when the connection broke, this often, is what breaks it."""


class Outbox:
    """A bounded line of letters. Full: the oldest is lost; late: the letter itself. Both are counted as dropped."""

    def __init__(self, most: int, counters: Counters) -> None:
        self._letters: deque[Letter] = deque()
        self._most = most
        self._counters = counters
        self._tried: Letter | None = None
        self._attempts = 0
        self._filled = asyncio.Event()
        self._emptied = asyncio.Event()
        self._emptied.set()

    def __len__(self) -> int:
        return len(self._letters)

    def put(self, letter: Letter) -> None:
        """Add a letter at the end."""
        if len(self._letters) >= self._most:
            # What only passes by goes before what somebody waits for.
            self._lose(next((waiting for waiting in self._letters if not waiting.keep), self._letters[0]))
        self._letters.append(letter)
        self._filled.set()
        self._emptied.clear()

    async def first(self) -> Letter:
        """Wait for a letter that is worth sending and return it. It stays in the box until it is `sent`."""
        clock = asyncio.get_running_loop()
        while True:
            while self._letters:
                letter = self._letters[0]
                late = letter.expires_s is not None and letter.expires_s <= clock.time()
                if not late and self._try(letter):
                    return letter
                self._lose(letter)
            self._filled.clear()
            await self._filled.wait()

    def sent(self, letter: Letter) -> None:
        """Take a letter out. One that was lost meanwhile is no error."""
        if self._letters and self._letters[0] is letter:
            self._letters.popleft()
        self._tried = None
        self._look()

    def forget_passing(self) -> None:
        """Take out what is not worth sending later: the connection is gone."""
        self._letters = deque(letter for letter in self._letters if letter.keep)
        self._look()

    async def emptied(self) -> None:
        """Wait until nothing is left."""
        await self._emptied.wait()

    def _try(self, letter: Letter) -> bool:
        """Count an attempt, and say whether it is still worth one."""
        self._attempts = self._attempts + 1 if letter is self._tried else 1
        self._tried = letter
        return self._attempts <= MOST_ATTEMPTS

    def _lose(self, lost: Letter) -> None:
        self._letters = deque(letter for letter in self._letters if letter is not lost)
        self._counters.add("dropped")
        self._look()

    def _look(self) -> None:
        if not self._letters:
            self._emptied.set()
