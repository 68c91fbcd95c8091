"""What waits to be published. Replies outlast a lost connection for a while; all else is only worth sending now."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from claudemem_edge.counters import Counters
    from claudemem_edge.transport.mqtt_messages import Letter

MOST_ATTEMPTS = 3
MOST_CONNECTED = 8192
MOST_BYTES = 4 << 20
MOST_UNDER_WAY = 20
"""As many as paho and mosquitto let be unacknowledged."""


@dataclass(slots=True, eq=False)
class Posting:
    """A letter on its way. One that was under way so often when the connection broke is what breaks it.

    `waited` is true once there was no connection while it was here.
    """

    letter: Letter
    waited: bool
    attempts: int = 0
    sent_s: float = 0.0


class Outbox:
    """A bounded line of letters. Full: the oldest is lost; late: the letter itself. Both are counted as dropped.

    `most_away` letters fit in while there is no connection. With one there is more room: under a flood the
    broker's acknowledgements come behind all the requests that it has already sent.
    """

    def __init__(self, most_away: int, counters: Counters) -> None:
        self.away = True
        self._waiting: deque[Posting] = deque()
        self._under_way: dict[Posting, None] = {}
        self._size_bytes = 0
        self._most_away = most_away
        self._counters = counters
        self._emptied = asyncio.Event()
        self._emptied.set()

    def __len__(self) -> int:
        return len(self._waiting) + len(self._under_way)

    def put(self, letter: Letter) -> None:
        """Add a letter at the end."""
        self._waiting.append(Posting(letter, self.away))
        self._size_bytes += len(letter.payload)
        self._emptied.clear()
        most = self._most_away if self.away else max(self._most_away, MOST_CONNECTED)
        while len(self._waiting) > 1 and (len(self) > most or self._size_bytes > MOST_BYTES):
            # What only passes by goes before what somebody waits for.
            self._lose(next((one for one in self._waiting if not one.letter.keep), self._waiting[0]))

    def take(self, now_s: float) -> Posting | None:
        """Return the next letter that is worth sending and may go now; it is under way until it is `done`.

        One that was under way when a connection broke goes alone, to be known if it breaks the next one too.
        """
        while self._waiting:
            posting = self._waiting[0]
            if not self._is_worth_sending(posting, now_s):
                self._lose(posting)
            elif self._may_go(posting):
                self._waiting.popleft()
                posting.attempts += 1
                posting.sent_s = now_s
                self._under_way[posting] = None
                return posting
            else:
                break
        return None

    def done(self, posting: Posting) -> None:
        """Let go of a letter: the broker has it, or never will."""
        if posting in self._under_way:
            del self._under_way[posting]
            self._let_go(posting)

    def unanswered_s(self, now_s: float) -> float:
        """Return for how long the broker has owed us an acknowledgement."""
        return now_s - next(iter(self._under_way)).sent_s if self._under_way else 0.0

    def connection_lost(self) -> None:
        """Put what was under way back in front, and let go of what is not worth sending later."""
        self.away = True
        self._waiting = deque(one for one in (*self._under_way, *self._waiting) if one.letter.keep)
        self._under_way.clear()
        self._size_bytes = 0
        for one in self._waiting:
            one.waited = True
            self._size_bytes += len(one.letter.payload)
        self._look()

    async def emptied(self) -> None:
        """Wait until nothing is left."""
        await self._emptied.wait()

    def _is_worth_sending(self, posting: Posting, now_s: float) -> bool:
        """Tell whether a letter is; one that stands no longer first gives way to what goes instead of it."""
        letter = posting.letter
        if posting.waited and letter.stands is not None and not letter.stands():
            self._size_bytes += len(letter.instead) - len(letter.payload)
            letter = posting.letter = replace(letter, payload=letter.instead, stands=None)
            if not letter.payload:
                return False
        return posting.attempts < MOST_ATTEMPTS and (letter.expires_s is None or letter.expires_s > now_s)

    def _may_go(self, posting: Posting) -> bool:
        suspect = posting.attempts > 0 or any(one.attempts > 1 for one in self._under_way)
        return not self._under_way if suspect else len(self._under_way) < MOST_UNDER_WAY

    def _lose(self, posting: Posting) -> None:
        self._waiting.remove(posting)
        self._counters.add("dropped")
        self._let_go(posting)

    def _let_go(self, posting: Posting) -> None:
        self._size_bytes -= len(posting.letter.payload)
        self._look()

    def _look(self) -> None:
        if not len(self):
            self._emptied.set()
