"""Points in time, and what a sentence says about them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo


@dataclass(slots=True, frozen=True)
class Moment:
    """One instant on two clocks: `wall` is aware, `boot_s` counts seconds since boot, suspend included.

    `doubt` says why the wall clock cannot be relied on: year, never_set, setting; empty when it can.
    """

    wall: datetime
    boot_s: float
    doubt: str = ""


@dataclass(slots=True, frozen=True)
class TimeMention:
    """One time expression, resolved.

    `span` is in characters of the text given. `start` and `end` are aware; `end` is exclusive; `start` is None for
    an open beginning ("before Friday"). `grain` is second, minute, hour, day, week, month, quarter or year: the
    precision that was spoken. `recurrence` is an RFC 5545 RRULE body. `ambiguous` means that a listener would ask
    back ("at eight": morning or evening). `either_half` means that the words fit both halves of the day, even where
    one has gone by. `elapsed` means a distance from now ("in ten minutes").
    """

    text: str
    span: tuple[int, int]
    start: datetime | None
    end: datetime | None
    grain: str
    recurrence: str | None = None
    duration_s: int | None = None
    ambiguous: bool = False
    elapsed: bool = False
    rule: str = ""
    either_half: bool = False


NINE = time(9)


@dataclass(slots=True, frozen=True)
class WallDue:
    """Wall intent: "tomorrow nine" is nine on that day's clock, whatever the clock does until then.

    `clock` is None while nobody has said at what time; until somebody does, `usual` counts.
    """

    day: date
    clock: time | None
    zone: tzinfo
    usual: time = NINE

    def at(self) -> datetime:
        """Return the aware instant."""
        return datetime.combine(self.day, self.usual if self.clock is None else self.clock, tzinfo=self.zone)

    def seconds_left(self, now: Moment) -> float:
        """Return the seconds from `now` until it is due; negative once it is late."""
        return self.at().timestamp() - now.wall.timestamp()  # within one zone, a difference ignores clock changes


@dataclass(slots=True, frozen=True)
class ElapsedDue:
    """A distance: "in ten minutes" is a deadline on the boot clock, which no wall clock step moves."""

    boot_s: float
    wall: datetime
    """The wall time it will be, as seen when it was asked for."""

    def at(self) -> datetime:
        """Return the aware instant as it was told to the user."""
        return self.wall

    def seconds_left(self, now: Moment) -> float:
        """Return the seconds from `now` until it is due; negative once it is late."""
        return self.boot_s - now.boot_s


Due = WallDue | ElapsedDue


def moment_after(now: Moment, seconds: float) -> Moment:
    """Return the moment `seconds` later on both clocks."""
    return Moment(now.wall + timedelta(seconds=seconds), now.boot_s + seconds, now.doubt)
