"""Recurrences: RRULE bodies, and when they come next."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from claudemem_edge.input_filter.time_clock import at_hour, grain_of, hours_of
from claudemem_edge.input_filter.time_point import Answer, Setting

if TYPE_CHECKING:
    from collections.abc import Mapping

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
SEARCH_DAYS = 366 * 5


def recur(fields: Mapping[str, Any], setting: Setting) -> Answer | None:
    """Return the answer for a recurrence; its start is the next time it happens. None when the unit cannot repeat."""
    frequency = FREQUENCIES.get(str(fields["repeat"]))
    if frequency is None:
        return None
    weekdays = sorted({*fields.get("weekdays", ()), *([fields["weekday"]] if "weekday" in fields else ())})
    name, times = frequency
    rule = [f"FREQ={name}"]
    if (interval := times * int(fields.get("interval", 1))) > 1:
        rule.append(f"INTERVAL={interval}")
    if "month" in fields:
        rule.append(f"BYMONTH={fields['month']}")
    if "day" in fields:
        rule.append(f"BYMONTHDAY={fields['day']}")
    nth = str(fields["nth"]) if "nth" in fields else ""
    if weekdays:
        rule.append("BYDAY=" + ",".join(nth + DAY_NAMES[day] for day in weekdays))
    hour, ambiguous = _hour(fields, setting)
    if hour is not None:
        rule.append(f"BYHOUR={hour};BYMINUTE={int(fields.get('minute', 0))}")
    grain = grain_of(fields) if "hour" in fields else "hour" if "part" in fields else str(fields["repeat"])
    body = ";".join(rule)
    if name in {"SECONDLY", "MINUTELY", "HOURLY"}:
        return Answer(None, None, str(fields["repeat"]), recurrence=body)
    day = _next_day(fields, weekdays, hour, setting)
    if day is None:
        return Answer(None, None, grain, ambiguous=ambiguous, recurrence=body)
    start = setting.midnight(day) if hour is None else at_hour(day, hour, fields, setting.now)
    return Answer(start, None, grain, ambiguous=ambiguous, recurrence=body)


def _hour(fields: Mapping[str, Any], setting: Setting) -> tuple[int | None, bool]:
    if "hour" in fields:
        hours = hours_of(fields, setting.tables)
        return hours[0] % 24, len(hours) > 1
    if "part" in fields:
        return int(setting.tables["parts"][fields["part"]]["at"]), False
    return None, False


def _next_day(fields: Mapping[str, Any], weekdays: list[int], hour: int | None, setting: Setting) -> date | None:
    """Return the first day, today included, on which it happens."""
    today = setting.now.date()
    for step in range(SEARCH_DAYS):
        day = today + timedelta(days=step)
        if weekdays and day.weekday() not in weekdays:
            continue
        if "nth" in fields and (day.day - 1) // 7 + 1 != fields["nth"]:
            continue
        if day.month != fields.get("month", day.month) or day.day != fields.get("day", day.day):
            continue
        if hour is not None and at_hour(day, hour, fields, setting.now) < setting.now:
            continue
        return day
    return None
