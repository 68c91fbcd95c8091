"""From what was said about a time to when an item is due, or to what is still missing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import TYPE_CHECKING

from claudemem_edge.language.said_time import distance, weekday_alone
from claudemem_edge.shapes.times import NINE, ElapsedDue, WallDue
from claudemem_edge.state_engine import recurrence

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Language
    from claudemem_edge.shapes.memory import Item
    from claudemem_edge.shapes.times import Due, Moment, TimeMention

CLOCK_GRAINS = frozenset({"second", "minute", "hour"})
PRECISE = timedelta(hours=1)
"""A stretch longer than this is a part of the day, not a time on the clock."""
HALF_DAY = timedelta(hours=12)
HALF_HOUR = timedelta(minutes=30)
WEEK = timedelta(weeks=1)
SOON_S = 3600.0
LAST = time(23, 59)
Window = tuple[datetime, datetime]


@dataclass(slots=True, frozen=True)
class Appointment:
    """When something is due. `missing` says what must be asked first.

    "time": nothing usable was said. "clock": the day is known. "half": `choices` are the two instants it may be.
    "past": `at` has gone by. "no_clock": it needs a wall clock that can be relied on. "": nothing is missing.
    `window` are the first and last instants of a part of the day that was said.
    """

    missing: str = ""
    due: Due | None = None
    at: datetime | None = None
    grain: str = "minute"
    recurrence: str = ""
    choices: tuple[datetime, ...] = ()
    window: Window | None = None

    @property
    def usable(self) -> bool:
        """True when an item can be given this time, whatever is still to be asked about it."""
        return self.missing not in {"time", "past", "no_clock"}


NOTHING_SAID = Appointment("time")
NO_CLOCK = Appointment("no_clock")


def appoint(mention: TimeMention | None, now: Moment, language: Language | None = None) -> Appointment:
    """Return when the item of a time expression is due. On a Wednesday, "on Wednesday" means the next: not "today"."""
    if mention is None:
        return NOTHING_SAID
    if now.doubt:
        return _without_clock(mention, now, language)
    rule = _followed(mention.recurrence)
    if mention.start is None:
        return _in_steps(rule, now) if rule and recurrence.step_s(rule) else NOTHING_SAID
    if mention.start.date() == now.wall.date() and weekday_alone(mention, language):
        return appoint(replace(mention, start=mention.start + WEEK, end=mention.end and mention.end + WEEK), now)
    return _recurring(mention, mention.start, rule, now) if rule else _once(mention, mention.start, now)


def _without_clock(mention: TimeMention, now: Moment, language: Language | None) -> Appointment:
    """Return the appointment where nobody knows the time: at a distance, and nothing for a mere length."""
    if mention.start is not None and distance(mention, language):
        return _distance(mention, mention.start, now)
    return NOTHING_SAID if mention.duration_s else NO_CLOCK


def _in_steps(rule: str, now: Moment) -> Appointment:
    """Return the appointment of what comes again every few hours or minutes: the first time is one step from now."""
    first = later(now.wall, recurrence.step_s(rule)).replace(second=0, microsecond=0)
    return Appointment("", wall_due(first), first, "minute", rule)


def _distance(mention: TimeMention, start: datetime, now: Moment) -> Appointment:
    """Return the appointment at a distance, which needs no wall clock: "in three days" is at this hour."""
    at = start if mention.grain in CLOCK_GRAINS else datetime.combine(start, now.wall.timetz())
    return _elapsed(at, now, mention.grain)


def _once(mention: TimeMention, start: datetime, now: Moment) -> Appointment:
    if mention.elapsed and mention.grain in CLOCK_GRAINS:
        return _elapsed(start, now, mention.grain)
    if mention.grain == "day" and _days(mention) <= 1:
        if start.date() < now.wall.date():
            return Appointment("past", at=start, grain="day")
        return Appointment("clock", _clockless(start, now), start, "day")
    if mention.grain not in CLOCK_GRAINS:
        return NOTHING_SAID
    if is_part_of_day(mention):
        return part_of_day(start, mention.end or start, now)
    return precise(start, now, mention.grain, ambiguous=mention.ambiguous)


def count_down(seconds: float, now: Moment) -> Appointment:
    """Return the appointment at the end of a length of time that begins now."""
    return _elapsed(later(now.wall, seconds), now, "second")


def known_of(item: Item) -> Appointment:
    """Return what is known of an item's time already, and what is not."""
    if item.due is None:
        return NOTHING_SAID
    at = item.due.at()
    missing = "clock" if isinstance(item.due, WallDue) and item.due.clock is None else ""
    return Appointment(missing, item.due, at, item.grain, item.recurrence)


def precise(start: datetime, now: Moment, grain: str = "minute", *, ambiguous: bool = False) -> Appointment:
    """Return the appointment for an instant on the wall clock."""
    if ambiguous:
        choices = tuple(at for at in both_halves(start) if at.timestamp() > now.wall.timestamp())
        if len(choices) > 1:
            return Appointment("half", wall_due(choices[0]), choices[0], grain, choices=choices)
        start = choices[0] if choices else start
    if start.timestamp() <= now.wall.timestamp():
        return Appointment("past", at=start, grain=grain)
    return Appointment("", wall_due(start), start, grain)


def is_part_of_day(mention: TimeMention) -> bool:
    """Tell whether a time is a stretch of the day rather than a point on the clock."""
    return mention.start is not None and mention.end is not None and mention.end - mention.start > PRECISE


def both_halves(at: datetime) -> tuple[datetime, datetime]:
    """Return the two instants of that day that a clock face shows alike."""
    early = at.replace(hour=at.hour % 12)
    return early, early + HALF_DAY


def later(wall: datetime, seconds: float) -> datetime:
    """Return the wall time that many real seconds later, whatever the clock does in between."""
    return (wall.astimezone(UTC) + timedelta(seconds=seconds)).astimezone(wall.tzinfo)


def wall_due(at: datetime) -> WallDue:
    """Return wall intent for an aware datetime."""
    return WallDue(at.date(), at.time().replace(microsecond=0), _zone(at))


def at_clock(rule: str, clock: time, first: datetime, now: Moment) -> Appointment:
    """Return the appointment of a recurring item at this time of day."""
    rule = rule if recurrence.has_clock(rule) else recurrence.with_clock(rule, clock)
    zone = _zone(first)
    # A second before now, so that an occurrence at this very minute still counts.
    found = recurrence.next_after(rule, first.date(), clock, zone, now.wall - timedelta(seconds=1))
    if found is None:
        return NOTHING_SAID
    return Appointment("", wall_due(found), found, "minute", rule)


def _recurring(mention: TimeMention, start: datetime, rule: str, now: Moment) -> Appointment:
    exact = mention.grain in CLOCK_GRAINS and not is_part_of_day(mention)
    if not exact and not recurrence.has_clock(rule):
        window = (start, mention.end) if mention.end and mention.grain in CLOCK_GRAINS else None
        usual = _usual(start, window).time()
        first = recurrence.next_after(rule, start.date(), usual, _zone(start), now.wall) or start
        due = WallDue(first.date(), None, _zone(start), usual)
        return Appointment("clock", due, start, "day", rule, window=window)
    clock = start.time().replace(microsecond=0)
    if mention.ambiguous:
        plain = ";".join(part for part in rule.split(";") if not part.startswith(("BYHOUR", "BYMINUTE")))
        early, late = both_halves(start)
        return Appointment("half", WallDue(start.date(), clock, _zone(start)), start, "minute", plain, (early, late))
    return at_clock(rule, clock, start, now)


def _followed(rule: str | None) -> str:
    """Return the rule if it can be followed, else nothing: it is then asked about like a time not understood."""
    try:
        recurrence.parse(rule or "")
    except ValueError:
        return ""
    return rule or ""


def _elapsed(start: datetime, now: Moment, grain: str) -> Appointment:
    left_s = start.timestamp() - now.wall.timestamp()
    if left_s <= 0:
        return Appointment("past", at=start, grain=grain)
    return Appointment("", ElapsedDue(now.boot_s + left_s, start), start, grain)


def part_of_day(start: datetime, end: datetime, now: Moment) -> Appointment:
    """Return the appointment for a stretch of a day, of which the clock time is still to be asked."""
    if end.timestamp() <= now.wall.timestamp():
        return Appointment("past", at=start, grain="hour")
    return Appointment("clock", _clockless(start, now, (start, end)), start, "hour", window=(start, end))


def _clockless(start: datetime, now: Moment, window: Window | None = None) -> WallDue:
    """Return a day of which nobody has said the time: what counts meanwhile must be still to come."""
    usual = _usual(start, window)
    if usual.timestamp() <= now.wall.timestamp():
        usual = (later(now.wall, SOON_S)).replace(minute=0, second=0, microsecond=0)
    if usual.date() != start.date():
        usual = datetime.combine(start.date(), LAST, tzinfo=start.tzinfo)
    return WallDue(start.date(), None, _zone(start), usual.time())


def _usual(start: datetime, window: Window | None) -> datetime:
    """Return nine o'clock, or where that lies outside of a part of the day, an hour well within it."""
    usual = datetime.combine(start.date(), NINE, tzinfo=start.tzinfo)
    if window is None or window[0] <= usual < window[1]:
        return usual
    return (window[0] + (window[1] - window[0]) / 3 + HALF_HOUR).replace(minute=0, second=0, microsecond=0)


def _days(mention: TimeMention) -> int:
    return (mention.end - mention.start).days if mention.end and mention.start else 1


def _zone(at: datetime) -> tzinfo:
    return at.tzinfo or UTC
