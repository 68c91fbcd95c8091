"""Spans of whole days: a day, months, the edge of a span, the nth weekday or week in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

YEARS_AHEAD = 30
THIRDS = {"early": (0, 10), "mid": (10, 20), "late": (20, 0)}
"""First day, and the day after the last, of the thirds of a month; 0 is its end."""


@dataclass(slots=True, frozen=True)
class Days:
    """Whole days from `start` up to and without `end`."""

    start: date
    end: date
    grain: str


def one_day(day: date) -> Days:
    """Return a single day."""
    return Days(day, day + timedelta(days=1), "day")


def months_from(year: int, month: int, count: int, grain: str) -> Days:
    """Return `count` months from the first of one. Raises ValueError out of range."""
    last = year * 12 + month - 1 + count
    return Days(date(year, month, 1), date(last // 12, last % 12 + 1, 1), grain)


def full_year(year: int, this_year: int, *, past: bool = False) -> int:
    """Return a year of four digits for one of two: at most 30 years ahead, none ahead when the past is meant."""
    if year >= 100:
        return year
    latest = this_year + (0 if past else YEARS_AHEAD)
    return latest - (latest - year) % 100


def edge_of(days: Days, edge: str) -> Days | None:
    """Return the first, the middle or the last day of a span, or a third of it (early, mid, late)."""
    length = (days.end - days.start).days
    if edge in THIRDS:
        first, last = THIRDS[edge]
        return Days(days.start + timedelta(days=first), days.start + timedelta(days=last or length), "day")
    step = {"begin": 0, "middle": (length - 1) // 2, "end": length - 1}.get(edge)
    return None if step is None else one_day(days.start + timedelta(days=step))


def nth_weekday(days: Days, weekday: int, nth: int) -> Days | None:
    """Return the nth such weekday of a span, the last for -1; None when it has fewer."""
    if nth < 0:
        last = days.end - timedelta(days=1)
        return one_day(last - timedelta(days=(last.weekday() - weekday) % 7))
    day = days.start + timedelta(days=(weekday - days.start.weekday()) % 7 + 7 * (nth - 1))
    return one_day(day) if day < days.end else None


def nth_week(days: Days, nth: int) -> Days:
    """Return the nth week of a span, the last for -1.

    A week belongs to the year in which its Thursday lies, and to the month in which its Monday lies.
    """
    anchor = 3 if days.grain == "year" else 0
    if nth < 0:
        last = days.end - timedelta(days=1)
        monday = last - timedelta(days=(last.weekday() - anchor) % 7 + anchor)
    else:
        first = days.start + timedelta(days=(anchor - days.start.weekday()) % 7 - anchor)
        monday = first + timedelta(weeks=nth - 1)
    return Days(monday, monday + timedelta(days=7), "week")
