"""Recurrences: RRULE bodies, and when they come next."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from claudemem_edge.input_filter.time_clock import at_hour, grain_of, hours_of
from claudemem_edge.input_filter.time_point import Answer, Setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date, datetime

    from claudemem_edge.input_filter.time_pieces import Piece

FREQUENCIES = {
    "second": ("SECONDLY", 1),
    "minute": ("MINUTELY", 1),
    "hour": ("HOURLY", 1),
    "day": ("DAILY", 1),
    "week": ("WEEKLY", 1),
    "fortnight": ("WEEKLY", 2),
    "month": ("MONTHLY", 1),
    "quarter": ("MONTHLY", 3),
    "year": ("YEARLY", 1),
}
DAY_NAMES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
STEPS = frozenset({"SECONDLY", "MINUTELY", "HOURLY"})
SEARCH_DAYS = 366 * 5


def recur(fields: Mapping[str, Any], setting: Setting) -> Answer | None:
    """Return the answer for a recurrence; its start is the next time it happens.

    None when the unit cannot repeat, or when its clocks cannot stand in one rule (8:00 and 20:30).
    """
    frequency = FREQUENCIES.get(str(fields["repeat"]))
    clocks = [clock for clock in _clocks(fields, setting) if clock is not None]
    if frequency is None or len({clock.minute for clock in clocks}) > 1:
        return None
    name, times = frequency
    weekdays = sorted({*fields.get("weekdays", ()), *([fields["weekday"]] if "weekday" in fields else ())})
    body = _rule(fields, name, times, weekdays)
    if name in STEPS:
        return Answer(None, None, str(fields["repeat"]), recurrence=body)
    if clocks:
        hours = ",".join(str(hour) for hour in sorted({clock.hour % 24 for clock in clocks}))
        body += f";BYHOUR={hours};BYMINUTE={clocks[0].minute}"
    grain = grain_of(fields) if "hour" in fields else "hour" if "part" in fields else str(fields["repeat"])
    timed: list[_Clock | None] = list(clocks) or [None]
    starts = [start for clock in timed if (start := _next(fields, weekdays, clock, setting)) is not None]
    ambiguous = any(clock.ambiguous for clock in clocks)
    return Answer(min(starts, default=None), None, grain, ambiguous=ambiguous, recurrence=body)


def _rule(fields: Mapping[str, Any], name: str, times: int, weekdays: list[int]) -> str:
    rule = [f"FREQ={name}"]
    if (interval := times * int(fields.get("interval", 1))) > 1:
        rule.append(f"INTERVAL={interval}")
    if "month" in fields:
        rule.append(f"BYMONTH={fields['month']}")
    if "day" in fields:
        rule.append(f"BYMONTHDAY={fields['day']}")
    if weekdays:
        nth = str(fields["nth"]) if "nth" in fields else ""
        rule.append("BYDAY=" + ",".join(nth + DAY_NAMES[day] for day in weekdays))
    return ";".join(rule)


@dataclass(slots=True, frozen=True)
class _Clock:
    """One time of day of a recurrence; 24 and more is the night after."""

    hour: int
    minute: int
    ambiguous: bool = False


def _clocks(fields: Mapping[str, Any], setting: Setting) -> Iterator[_Clock | None]:
    yield _clock(fields, setting)
    for name in ("also", "also_then"):
        piece: Piece | None = fields.get(name)
        if piece is not None:
            yield _clock(piece.fields or piece.value, setting)


def _clock(fields: Mapping[str, Any], setting: Setting) -> _Clock | None:
    if "hour" in fields:
        hours = hours_of(fields, setting.tables)
        at = at_hour(setting.now.date(), hours[0], fields, setting.now)
        return _Clock(at.hour + (24 if hours[0] >= 24 else 0), at.minute, len(hours) > 1)
    if "part" in fields:
        return _Clock(int(setting.tables["parts"][fields["part"]]["at"]), 0)
    return None


def _is_nth(day: date, nth: int) -> bool:
    """Tell whether a day is the nth of its weekday in its month; -1 is the last."""
    if nth < 0:
        return (day + timedelta(days=7)).month != day.month
    return (day.day - 1) // 7 + 1 == nth


def _is_day(day: date, wanted: int | None) -> bool:
    """Tell whether a day has this number in its month; -1 is the last."""
    if wanted == -1:
        return (day + timedelta(days=1)).day == 1
    return wanted in {None, day.day}


def _next(fields: Mapping[str, Any], weekdays: list[int], clock: _Clock | None, setting: Setting) -> datetime | None:
    """Return the first instant from now on at which it happens; without a clock, the first day from today."""
    today = setting.now.date()
    for step in range(SEARCH_DAYS):
        day = today + timedelta(days=step)
        if weekdays and day.weekday() not in weekdays:
            continue
        if "nth" in fields and not _is_nth(day, int(fields["nth"])):
            continue
        if day.month != fields.get("month", day.month) or not _is_day(day, fields.get("day")):
            continue
        if clock is None:
            return setting.midnight(day)
        at = at_hour(day, clock.hour, {"minute": clock.minute}, setting.now)
        if at >= setting.now:
            return at
    return None
