"""What waits to be published. Replies outlast a lost connection for a while; all else is only worth sending now."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from claudemem_edge.counters import Counters
    from claudemem_edge.transport.mqtt_messages import Letter

MOST_ATTEMPTS = 3
MOST_UNDER_WAY = 20
"""As many as paho and mosquitto let be unacknowledged."""


@dataclass(slots=True, eq=False)
class Posting:
    """A letter on its way. One that was under way so often when the connection broke is what breaks it."""

    letter: Letter
    attempts: int = 0


class Outbox:
    """A bounded line of letters. Full: the oldest is lost; late: the letter itself. Both are counted as dropped."""

    def __init__(self, most: int, counters: Counters) -> None:
        self._waiting: deque[Posting] = deque()
        self._under_way: dict[Posting, None] = {}
        self._most = most
        self._counters = counters
        self._emptied = asyncio.Event()
        self._emptied.set()

    def __len__(self) -> int:
        return len(self._waiting) + len(self._under_way)

    def put(self, letter: Letter) -> None:
        """Add a letter at the end."""
        if self._waiting and len(self) >= self._most:
            # What only passes by goes before what somebody waits for.
            lost = next((one for one in self._waiting if not one.letter.keep), self._waiting[0])
            self._waiting.remove(lost)
            self._counters.add("dropped")
        self._waiting.append(Posting(letter))
        self._emptied.clear()

    def take(self, now_s: float) -> Posting | None:
        """Return the next letter that is worth sending and may go now; it is under way until it is `done`.

        One that was under way when a connection broke goes alone, to be known if it breaks the next one too.
        """
        while self._waiting:
            posting = self._waiting[0]
            expires_s = posting.letter.expires_s
            if posting.attempts < MOST_ATTEMPTS and (expires_s is None or expires_s > now_s):
                if not self._may_go(posting):
                    return None
                self._waiting.popleft()
                posting.attempts += 1
                self._under_way[posting] = None
                return posting
            self._waiting.popleft()
            self._counters.add("dropped")
        self._look()
        return None

    def done(self, posting: Posting) -> None:
        """Let go of a letter: the broker has it, or never will."""
        self._under_way.pop(posting, None)
        self._look()

    def connection_lost(self) -> None:
        """Put what was under way back in front, and let go of what is not worth sending later."""
        every = [*self._under_way, *self._waiting]
        self._under_way.clear()
        self._waiting = deque(posting for posting in every if posting.letter.keep)
        self._look()

    async def emptied(self) -> None:
        """Wait until nothing is left."""
        await self._emptied.wait()

    def _may_go(self, posting: Posting) -> bool:
        suspect = posting.attempts > 0 or any(one.attempts > 1 for one in self._under_way)
        return not self._under_way if suspect else len(self._under_way) < MOST_UNDER_WAY

    def _look(self) -> None:
        if not len(self):
            self._emptied.set()
