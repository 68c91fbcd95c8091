"""The Chinese lunar calendar from 1900 to 2100, from one packed number a year."""

from __future__ import annotations

from datetime import date, timedelta
from functools import lru_cache

FIRST_YEAR = 1900
FIRST_NEW_YEAR = date(1900, 1, 31)
YEARS = """
04bd8 04ae0 0a570 054d5 0d260 0d950 16554 056a0 09ad0 055d2 04ae0 0a5b6 0a4d0 0d250 1d255 0b540 0d6a0 0ada2 095b0
14977 04970 0a4b0 0b4b5 06a50 06d40 1ab54 02b60 09570 052f2 04970 06566 0d4a0 0ea50 16a95 05ad0 02b60 186e3 092e0
1c8d7 0c950 0d4a0 1d8a6 0b550 056a0 1a5b4 025d0 092d0 0d2b2 0a950 0b557 06ca0 0b550 15355 04da0 0a5b0 14573 052b0
0a9a8 0e950 06aa0 0aea6 0ab50 04b60 0aae4 0a570 05260 0f263 0d950 05b57 056a0 096d0 04dd5 04ad0 0a4d0 0d4d4 0d250
0d558 0b540 0b6a0 195a6 095b0 049b0 0a974 0a4b0 0b27a 06a50 06d40 0af46 0ab60 09570 04af5 04970 064b0 074a3 0ea50
06b58 05ac0 0ab60 096d5 092e0 0c960 0d954 0d4a0 0da50 07552 056a0 0abb7 025d0 092d0 0cab5 0a950 0b4a0 0baa4 0ad50
055d9 04ba0 0a5b0 15176 052b0 0a930 07954 06aa0 0ad50 05b52 04b60 0a6e6 0a4e0 0d260 0ea65 0d530 05aa0 076a3 096d0
04afb 04ad0 0a4d0 1d0b6 0d250 0d520 0dd45 0b5a0 056d0 055b2 049b0 0a577 0a4b0 0aa50 1b255 06d20 0ada0 14b63 09370
049f8 04970 064b0 168a6 0ea50 06b20 1a6c4 0aae0 092e0 0d2e3 0c960 0d557 0d4a0 0da50 05d55 056a0 0a6d0 055d4 052d0
0a9b8 0a950 0b4a0 0b6a6 0ad50 055a0 0aba4 0a5b0 052b0 0b273 06930 07337 06aa0 0ad50 14b55 04b60 0a570 054e4 0d160
0e968 0d520 0daa0 16aa6 056d0 04ae0 0a9d4 0a2d0 0d150 0f252 0d520
"""
"""A year's five hex digits: bit 16 is set for a long leap month, bits 15 to 4 for each long month (of 30 days, not 29),
and the last four bits say after which month the leap month comes (0: none)."""


@lru_cache(maxsize=1)
def _table() -> tuple[tuple[int, ...], tuple[date, ...]]:
    """Return the packed years, and the day each begins."""
    packed = tuple(int(word, 16) for word in YEARS.split())
    starts = [FIRST_NEW_YEAR]
    for year in packed:
        starts.append(starts[-1] + timedelta(days=sum(length for _, _, length in _months(year))))
    return packed, tuple(starts)


def _months(packed: int) -> list[tuple[int, bool, int]]:
    """Return (month, is leap, days) for each month of a year, in order."""
    leap_after = packed & 0xF
    months: list[tuple[int, bool, int]] = []
    for month in range(1, 13):
        months.append((month, False, 30 if packed >> (16 - month) & 1 else 29))
        if month == leap_after:
            months.append((month, True, 30 if packed >> 16 & 1 else 29))
    return months


def lunar_month(year: int, month: int, *, leap: bool = False) -> tuple[date, date] | None:
    """Return the first day of a lunar month and the first day after it; None outside the table."""
    packed, starts = _table()
    at = year - FIRST_YEAR
    if not 0 <= at < len(packed):
        return None
    day = starts[at]
    for number, is_leap, length in _months(packed[at]):
        if number == month and is_leap == leap:
            return day, day + timedelta(days=length)
        day += timedelta(days=length)
    return None


def lunar_day(year: int, month: int, day: int, *, leap: bool = False) -> date | None:
    """Return the solar date of a lunar one. Day 0 of month 1 is New Year's Eve. None where there is no such day."""
    span = lunar_month(year, month, leap=leap)
    if span is None:
        return None
    found = span[0] + timedelta(days=day - 1)
    return found if day <= 0 or found < span[1] else None
