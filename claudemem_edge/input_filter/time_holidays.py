"""Days with a name, from a pack's `[holidays]` table: fixed, nth weekday, around Easter, lunar, and solar terms."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from claudemem_edge.input_filter.time_lunar import lunar_day

if TYPE_CHECKING:
    from collections.abc import Mapping

TERM_DRIFT_DAYS = 0.2422
"""How much a solar term moves each year beyond whole days, until a leap day takes it back."""
TERM_YEARS = range(1901, 2100)


def holiday_in(year: int, table: Mapping[str, Any]) -> date | None:
    """Return the day of a holiday in a solar year; None when it has none or it is beyond the tables.

    The table is one of {month, day}, {month, weekday, nth, plus}, {easter}, {lunar = [month, day], plus} and
    {month, term = [c20, c21], moved}; `plus` is a number of days to go on from there.
    """
    day = _day(year, table)
    return day and day + timedelta(days=int(table.get("plus", 0)))


def _day(year: int, table: Mapping[str, Any]) -> date | None:
    if "easter" in table:
        return _easter(year) + timedelta(days=int(table["easter"]))
    if "lunar" in table:
        month, day = table["lunar"]
        found = (lunar_day(one, month, day) for one in (year, year - 1))  # a lunar year ends in the next solar one
        return next((one for one in found if one is not None and one.year == year), None)
    if "term" in table:
        return _solar_term(year, table)
    if "nth" in table:
        return _nth_weekday(year, int(table["month"]), int(table["weekday"]), int(table["nth"]))
    return date(year, int(table["month"]), int(table["day"]))


def _nth_weekday(year: int, month: int, weekday: int, nth: int) -> date:
    if nth < 0:
        last = date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
        return last - timedelta(days=(last.weekday() - weekday) % 7)
    first = date(year, month, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))


def _easter(year: int) -> date:
    """Western Easter Sunday by the anonymous Gregorian computus."""
    golden, century, in_century = year % 19, year // 100, year % 100
    epact = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    to_sunday = (32 + 2 * (century % 4) + 2 * (in_century // 4) - epact - in_century % 4) % 7
    late = (golden + 11 * epact + 22 * to_sunday) // 451
    month, day = divmod(epact + to_sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)


def _solar_term(year: int, table: Mapping[str, Any]) -> date | None:
    if year not in TERM_YEARS:
        return None
    moved = table.get("moved", {}).get(str(year))
    if moved is not None:
        return date(year, int(table["month"]), int(moved))
    index = 0 if year <= 2000 else 1
    since = year - (1900 if index == 0 else 2000)
    month = int(table["month"])
    leap_days = (since - (1 if month <= 2 else 0)) // 4
    return date(year, month, int(since * TERM_DRIFT_DAYS + table["term"][index]) - leap_days)
