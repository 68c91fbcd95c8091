"""From calendar fields ("month 3, day 15", "week +1, weekday 2") to the days they mean.

Monday begins a week. A month and a day, a weekday or a holiday alone mean the next such day, today included; the last
one when the sentence speaks of the past. The end of a span is exclusive.
"""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from claudemem_edge.input_filter.time_days import (
    Days,
    edge_of,
    full_year,
    months_from,
    nth_week,
    nth_weekday,
    one_day,
)
from claudemem_edge.input_filter.time_holidays import holiday_in
from claudemem_edge.input_filter.time_lunar import lunar_day, lunar_month

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SEARCH_YEARS = 8
CALENDAR_FIELDS = frozenset({
    "year", "year_shift", "month", "month_shift", "day", "day_shift", "weekday", "week_shift", "weekend", "quarter",
    "quarter_shift", "half_year", "nth", "unit", "holiday", "lunar", "leap", "edge_of", "decade", "toward", "count",
    "months",    "sense",
})  # fmt: skip


@dataclass(slots=True, frozen=True)
class Reference:
    """Where calendar words are read from: a day, and whether the past is meant."""

    today: date
    past: bool = False
    tables: Mapping[str, Any] | None = None


def days_of(fields: Mapping[str, Any], at: Reference) -> Days | None:
    """Return the days that the fields mean; None when there are no such days. Raises nothing."""
    try:
        toward = fields.get("toward")
        return _days(fields, at) if toward is None else _toward(fields, int(toward), at)
    except (ValueError, OverflowError):
        return None


def _days(fields: Mapping[str, Any], at: Reference) -> Days | None:
    if "edge_of" in fields:
        whole = _days({name: value for name, value in fields.items() if name != "edge_of"}, at)
        return whole and edge_of(whole, fields["edge_of"])
    for name, read in _READERS:
        if name in fields:
            return read(fields, at)
    return _long(fields, at)


def _toward(fields: Mapping[str, Any], toward: int, at: Reference) -> Days | None:
    """Read "next" and "last" before a date, a month or a holiday: strictly after today, strictly before it."""
    inner = {name: value for name, value in fields.items() if name != "toward"}
    days = _days(inner, Reference(at.today, past=toward < 0, tables=at.tables))
    if days is not None and days.start <= at.today < days.end:
        edge = days.start - timedelta(days=1) if toward < 0 else days.end
        days = _days(inner, Reference(edge, past=toward < 0, tables=at.tables))
    return days


def _day_shift(fields: Mapping[str, Any], at: Reference) -> Days | None:
    day = at.today + timedelta(days=fields["day_shift"])
    return one_day(day) if fields.get("weekday", day.weekday()) == day.weekday() else None


def _decade(fields: Mapping[str, Any], at: Reference) -> Days:
    start = full_year(int(fields["decade"]), at.today.year)
    return Days(date(start, 1, 1), date(start + 10, 1, 1), "year")


def _year(fields: Mapping[str, Any], at: Reference) -> int | None:
    if "year" in fields:
        return full_year(fields["year"], at.today.year, past=at.past)
    if "year_shift" in fields:
        return at.today.year + int(fields["year_shift"])
    return None


def _long(fields: Mapping[str, Any], at: Reference) -> Days | None:
    """Quarters, halves and years."""
    year = _year(fields, at)
    if "quarter_shift" in fields:
        index = at.today.year * 4 + (at.today.month - 1) // 3 + fields["quarter_shift"]
        return months_from(index // 4, index % 4 * 3 + 1, 3, "quarter")
    if "quarter" in fields:
        return _pick(year, at, lambda one: months_from(one, fields["quarter"] * 3 - 2, 3, "quarter"))
    if "half_year" in fields:
        whole = at.today.year if year is None else year
        return months_from(whole, fields["half_year"] * 6 - 5, 6, "month")
    return None if year is None else months_from(year, 1, 12, "year")


def _pick(year: int | None, at: Reference, make: Callable[[int], Days | None]) -> Days | None:
    """Return what `make` gives for the year, or for the next year (the last one, of the past) that gives something."""
    if year is not None:
        return make(year)
    step = -1 if at.past else 1
    for one in range(at.today.year, at.today.year + step * SEARCH_YEARS, step):
        days = _try(make, one)
        if days is not None and (days.start <= at.today if at.past else days.end > at.today):
            return days
    return None


def _try(make: Callable[[int], Days | None], year: int) -> Days | None:
    try:
        return make(year)
    except (ValueError, OverflowError):
        return None


def _in_month(fields: Mapping[str, Any], at: Reference) -> Days | None:
    year, month, day = _year(fields, at), fields.get("month"), fields.get("day")
    if month is None:
        index = (at.today.year if year is None else year) * 12 + at.today.month - 1 + fields["month_shift"]
        year, month = index // 12, index % 12 + 1
    fixed_month: int = month

    def make(one: int) -> Days | None:
        if day is None:
            return months_from(one, fixed_month, int(fields.get("months", 1)), "month")
        found = one_day(date(one, fixed_month, day))
        return found if fields.get("weekday", found.start.weekday()) == found.start.weekday() else None

    if year is None and "weekday" in fields:
        near = (_try(make, at.today.year + step) for step in (0, -1, 1))
        return min((days for days in near if days), key=lambda days: abs((days.start - at.today).days), default=None)
    return _pick(year, at, make)


def _in_week(fields: Mapping[str, Any], at: Reference) -> Days:
    monday = at.today - timedelta(days=at.today.weekday()) + timedelta(weeks=fields.get("week_shift", 0))
    if "weekday" in fields:
        return one_day(monday + timedelta(days=fields["weekday"]))
    if "weekend" in fields:
        saturday = monday + timedelta(days=5)
        if at.past and "week_shift" not in fields and saturday > at.today:
            saturday -= timedelta(weeks=1)
        return Days(saturday, saturday + timedelta(days=2), "day")
    return Days(monday, monday + timedelta(days=7), "week")


def _day_of_month(fields: Mapping[str, Any], at: Reference) -> Days | None:
    """Find the next month (the last one, of the past) that has this day, on this weekday if one was said."""
    step = -1 if at.past else 1
    index = at.today.year * 12 + at.today.month - 1
    for month_index in range(index, index + step * 15, step):
        year, month = divmod(month_index, 12)
        if fields["day"] > monthrange(year, month + 1)[1]:
            continue
        day = date(year, month + 1, fields["day"])
        if fields.get("weekday", day.weekday()) == day.weekday() and (day <= at.today if at.past else day >= at.today):
            return one_day(day)
    return None


def _counted_weekday(fields: Mapping[str, Any], at: Reference) -> Days:
    """Count weekdays from today, which is none of them: two Sundays from now."""
    sense, weekday = int(fields["sense"]), int(fields["weekday"])
    first = (sense * (weekday - at.today.weekday()) - 1) % 7 + 1
    return one_day(at.today + sense * timedelta(days=first + 7 * (int(fields["count"]) - 1)))


def _weekday(fields: Mapping[str, Any], at: Reference) -> Days:
    ahead = (int(fields["weekday"]) - at.today.weekday()) % 7
    return one_day(at.today + timedelta(days=ahead - 7 if at.past and ahead else ahead))


def _nth(fields: Mapping[str, Any], at: Reference) -> Days | None:
    """Find the nth weekday, day, week or month of a longer span."""
    inner = {name: value for name, value in fields.items() if name not in {"nth", "weekday", "unit"}}
    nth, weekday, unit = int(fields["nth"]), fields.get("weekday"), fields.get("unit", "day")

    def within(days: Days) -> Days | None:
        if weekday is not None:
            return nth_weekday(days, weekday, nth)
        if unit == "week":
            return nth_week(days, nth)
        if unit in {"month", "quarter"}:
            count = 1 if unit == "month" else 3
            return months_from(days.start.year, (nth - 1) * count + 1 if nth > 0 else 13 - count, count, unit)
        day = days.start + timedelta(days=nth - 1) if nth > 0 else days.end - timedelta(days=1)
        return one_day(day) if days.start <= day < days.end else None

    if not inner and weekday is not None:
        return _next_month_with(within, at)
    if not inner:
        inner = {"month_shift": 0} if unit != "month" else {"year_shift": 0}
    if "month" in inner and "year" not in inner and "year_shift" not in inner:
        return _pick(None, at, lambda one: (days := days_of({**inner, "year": one}, at)) and within(days))
    days = days_of(inner, at)
    return days and within(days)


def _next_month_with(within: Callable[[Days], Days | None], at: Reference) -> Days | None:
    """Return the next such day of a month (the last one, of the past): "the second Tuesday of the month"."""
    for shift in (0, -1, -2) if at.past else (0, 1, 2):
        index = at.today.year * 12 + at.today.month - 1 + shift
        found = within(months_from(index // 12, index % 12 + 1, 1, "month"))
        if found is not None and (found.start <= at.today if at.past else found.start >= at.today):
            return found
    return None


def _holiday(fields: Mapping[str, Any], at: Reference) -> Days | None:
    table = (at.tables or {}).get("holidays", {}).get(fields["holiday"])
    if table is None:
        return None

    def make(year: int) -> Days | None:
        day = holiday_in(year, table)
        return one_day(day) if day else None

    return _pick(_year(fields, at), at, make)


def _lunar(fields: Mapping[str, Any], at: Reference) -> Days | None:
    month, day, leap = int(fields["month"]), fields.get("day"), bool(fields.get("leap"))

    def make(year: int) -> Days | None:
        if day is None:
            span = lunar_month(year, month, leap=leap)
            return Days(*span, "month") if span else None
        found = lunar_day(year, month, int(day), leap=leap)
        return one_day(found) if found else None

    year = _year(fields, at)
    if year is not None:
        return make(year)
    step = -1 if at.past else 1
    first = at.today.year + (1 if at.past else -1)  # a lunar year ends in the next solar one
    for one in range(first, first + step * (SEARCH_YEARS + 20), step):
        days = _try(make, one)
        if days is not None and (days.start <= at.today if at.past else days.end > at.today):
            return days
    return None


_READERS: tuple[tuple[str, Callable[[Mapping[str, Any], Reference], Days | None]], ...] = (
    ("count", _counted_weekday),
    ("day_shift", _day_shift),
    ("lunar", _lunar),
    ("holiday", _holiday),
    ("nth", _nth),
    ("decade", _decade),
    ("month", _in_month),
    ("month_shift", _in_month),
    ("week_shift", _in_week),
    ("weekend", _in_week),
    ("day", _day_of_month),
    ("weekday", _weekday),
)
"""Who reads fields: the first whose name stands among them."""
