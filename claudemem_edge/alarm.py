"""Sleeps until the next item is due, lets it fire once, and hands the notice on.

It wakes when the wall clock is set or the machine has slept, and looks every half minute all the same. Both clocks are
read anew each time: a distance ("in ten minutes") counts on the boot clock, an appointment on the wall clock.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import time
from typing import TYPE_CHECKING

from claudemem_edge.clock_steps import watching
from claudemem_edge.shapes.turn import Notice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from claudemem_edge.notices import Notices
    from claudemem_edge.sessions import Sessions
    from claudemem_edge.shapes.memory import Item
    from claudemem_edge.shapes.options import AlarmOptions
    from claudemem_edge.shapes.times import Moment

logger = logging.getLogger(__name__)
SLEEP_MOST_S = 30.0
AFTER_FAILURE_S = 5.0
ANSWERABLE_S = 86400.0
"""How long what has sounded waits for an answer."""
MISSED_AFTER_S = 60.0
"""What fires later than this is told as missed: the machine slept, or the clock was set."""


class Alarm:
    """One task. `run` ends only by cancellation."""

    def __init__(self, sessions: Sessions, notices: Notices, options: AlarmOptions) -> None:
        self._sessions = sessions
        self._notices = notices
        self._options = options
        self._changed = asyncio.Event()
        self._told: dict[tuple[str, str], tuple[int, float]] = {}
        """(scope, item) → notices given so far, boot second of the next one."""
        sessions.on_items_changed = self._look_again
        sessions.on_visit_ended = notices.end

    def _look_again(self) -> None:
        """Items came, went or moved: what was told of those that are gone is not told to slow readers any more."""
        self._notices.withdraw(self._sessions.stands)
        self._changed.set()

    async def run(self) -> None:
        """Fire due items until cancelled."""
        with watching(self._changed.set):
            await self._run()

    async def _run(self) -> None:
        while True:
            self._changed.clear()
            try:
                self._sessions.sweep()
                pause_s = self.fire_due()
            except Exception as error:  # noqa: BLE001 (one bad item must not silence all the others for good)
                logger.error("the alarm failed inside: %s", type(error).__name__)  # noqa: TRY400 (its text may hold words)
                pause_s = AFTER_FAILURE_S
            try:
                async with asyncio.timeout(pause_s):
                    await self._changed.wait()
            except TimeoutError:
                continue

    def fire_due(self) -> float:
        """Fire what is due, repeat what nobody has answered, and return the seconds until the next look."""
        now = self._sessions.now()
        pause_s = SLEEP_MOST_S
        open_items = set()
        for scope, item in self._open_items():
            open_items.add((scope, item.id))
            left_s = self._repeat(scope, item, now) if item.state == "triggered" else self._fire(scope, item, now)
            pause_s = min(pause_s, left_s)
        for key in self._told.keys() - open_items:
            del self._told[key]
        return max(pause_s, 0.01)

    def _open_items(self) -> Iterator[tuple[str, Item]]:
        for scope in self._sessions.scopes():
            for item in self._sessions.peek(scope).pending():
                yield scope, item

    def _fire(self, scope: str, item: Item, now: Moment) -> float:
        if item.due is None:
            return SLEEP_MOST_S
        left_s = item.due.seconds_left(now)
        if left_s > 0:
            return left_s
        due = item.due.at().isoformat()
        self._sessions.carry_out(scope, "fire", item.id)
        self._told.pop((scope, item.id), None)  # a new occurrence begins its own count
        self._tell(scope, item, "missed" if left_s < -MISSED_AFTER_S else "due", due, now)
        return SLEEP_MOST_S

    def _repeat(self, scope: str, item: Item, now: Moment) -> float:
        given, next_s = self._told.get((scope, item.id), (self._options.repeat_most, 0.0))
        if item.heard or given >= self._options.repeat_most:
            if item.recurrence or _is_old(item, now):  # it has had its say, a recurring one for this time
                self._sessions.carry_out(scope, "expire", item.id)
            return SLEEP_MOST_S
        if next_s > now.boot_s:
            return next_s - now.boot_s
        if not item.urgent and not now.doubt and _within(now.wall.time(), self._options.quiet):
            return SLEEP_MOST_S
        self._sessions.carry_out(scope, "tell", item.id)
        self._tell(scope, item, "overdue", item.due.at().isoformat() if item.due else "", now)
        return SLEEP_MOST_S

    def _tell(self, scope: str, item: Item, kind: str, due: str, now: Moment) -> None:
        given, _ = self._told.get((scope, item.id), (0, 0.0))
        self._told[scope, item.id] = (given + 1, now.boot_s + self._options.repeat_every_s)
        notice = Notice(
            scope, item.id, kind, item.text, due, item.language, item.asked_at_door, repeat=given, urgent=item.urgent
        )
        self._notices.publish(notice)


def _is_old(item: Item, now: Moment) -> bool:
    return item.told_at is not None and now.boot_s - item.told_at.boot_s > ANSWERABLE_S


def _within(clock: time, hours: str) -> bool:
    """Tell whether a clock time lies in hours such as "22:00-07:00"; never in empty ones."""
    if not hours:
        return False
    first, last = (time.fromisoformat(part) for part in hours.split("-"))
    return first <= clock < last if first <= last else clock >= first or clock < last
