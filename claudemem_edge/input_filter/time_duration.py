"""Lengths of time: from the pieces that name one, to seconds, and onto a date."""

from __future__ import annotations

import calendar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from claudemem_edge.input_filter.time_pieces import Piece

UNIT_S = {
    "second": 1,
    "minute": 60,
    "quarter_hour": 900,
    "hour": 3600,
    "day": 86400,
    "week": 604800,
    "fortnight": 1209600,
    "month": 2592000,
    "quarter": 7776000,
    "year": 31536000,
    "decade": 315360000,
    "century": 3153600000,
}
MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
DAYS = {"day": 1, "week": 7, "fortnight": 14}
SMALLER = {"hour": "minute", "minute": "second", "year": "month"}
FINER = {"minute": "second", "hour": "minute", "day": "hour", "week": "day", "month": "day", "year": "month"}
"""The precision of a fraction of a unit."""
MOST_S = 100 * 366 * 86400


@dataclass(slots=True, frozen=True)
class Duration:
    """A length as spoken: calendar months, days and seconds; `grain` is the smallest unit."""

    months: int
    days: float
    seconds: float
    total_s: float
    """Nominal length: a month is 30 days and a year 365."""
    grain: str
    guessed: bool = False
    """True when the amount was only hinted at ("a few")."""

    @property
    def short(self) -> bool:
        """True when hours, minutes or seconds were spoken: a distance on the clock, not on the calendar."""
        return self.seconds != 0


@dataclass(slots=True)
class _Tally:
    """Amounts by unit while pieces are read; `pending` is an amount whose unit is still to come."""

    amounts: dict[str, float] = field(default_factory=dict)
    pending: float | None = None
    unit: str = ""
    whole: float = 0.0
    """What stood before an "and" that a fraction follows."""
    by_article: bool = False
    """True while `pending` is one only because of an article."""

    def number(self, value: float) -> None:
        self.pending, self.by_article = value, False

    def article(self, value: float) -> None:
        if self.pending is None:
            self.pending, self.by_article = value, True

    def fraction(self, value: float) -> None:
        """Add a part of a unit: to the amount before it, or to the unit just named ("an hour and a half")."""
        if self.by_article:  # the article belongs to the fraction, as in "a half hour"
            self.pending, self.by_article = None, False
        if self.pending is None and self.unit:
            self.amounts[self.unit] += value
        else:
            self.pending = (self.pending or 0.0) + value

    def quarter(self, value: float) -> None:
        """Add a quarter, or count quarters: three quarters, one and a quarter, one and three quarters."""
        if self.pending is None or self.by_article:
            self.fraction(value)
        elif self.whole:
            self.pending = self.whole + value * (1.0 if self.pending == self.whole else self.pending)
        else:
            self.pending *= value

    def name(self, unit: str) -> None:
        self.unit = unit
        self.amounts[unit] = self.amounts.get(unit, 0.0) + (1.0 if self.pending is None else self.pending)
        self.pending, self.by_article = None, False

    def close(self) -> bool:
        """Give a last number the next smaller unit, as in "an hour thirty". False when there is none."""
        if self.pending is None:
            return bool(self.amounts)
        smaller = SMALLER.get(self.unit)
        if smaller is None:
            return False
        self.amounts[smaller] = self.amounts.get(smaller, 0.0) + self.pending
        return True


def measure(pieces: list[Piece]) -> Duration | None:
    """Add up amounts and units: "one and a half hours", "an hour and a half", "2 h 30". None if too long."""
    tally = _Tally()
    for piece in pieces:
        value = piece.value
        if piece.kind == "tens_second":
            tally.amounts["second"] = float(value) - 2
        elif piece.kind in {"half", "fraction", "one_half"}:
            share = 0.5 if piece.kind == "half" else float(value)
            tally.fraction(share if tally.pending is None or share < 1 else share - 1)
        elif piece.kind == "quarter":
            tally.quarter(0.25)
        elif piece.kind == "and":
            tally.whole = tally.pending or 0.0
        elif piece.kind == "article":
            tally.article(float(value))
        elif isinstance(value, int | float):
            tally.number(float(value))
        elif isinstance(value, str) and value in UNIT_S:
            tally.name(value)
    duration = _sum(tally.amounts) if tally.close() else None
    if duration is not None and any(piece.kind == "few" for piece in pieces):
        return replace(duration, guessed=True)
    return duration


def one_of(unit: str) -> Duration | None:
    """Return the length of one unit."""
    return _sum({unit: 1.0})


def _sum(amounts: dict[str, float]) -> Duration | None:
    total = sum(UNIT_S[unit] * amount for unit, amount in amounts.items())
    if not amounts or not 0 < total <= MOST_S:
        return None
    months, days, seconds = 0, 0.0, 0.0
    for unit, amount in amounts.items():
        if unit in MONTHS:
            whole = amount * MONTHS[unit]
            months += int(whole)
            days += round((whole - int(whole)) * 30)
        elif unit in DAYS:
            days += amount * DAYS[unit]
        else:
            seconds += amount * UNIT_S[unit]
    grain = min(amounts, key=UNIT_S.__getitem__)
    if amounts[grain] % 1:
        grain = FINER.get(grain, grain)
    grain = "minute" if grain == "quarter_hour" else grain
    return Duration(months, days, seconds, total, grain)


def shift(moment: datetime, duration: Duration, sign: int) -> datetime:
    """Return `moment` that far away. Months keep the day where they can; less than a day is real elapsed time."""
    if duration.months:
        moment = add_months(moment, sign * duration.months)
    whole_days = int(duration.days)
    moment += timedelta(days=sign * whole_days)
    rest_s = duration.seconds + (duration.days - whole_days) * 86400
    if not rest_s:
        return moment
    if moment.tzinfo is None:
        return moment + timedelta(seconds=sign * rest_s)
    return (moment.astimezone(UTC) + timedelta(seconds=sign * rest_s)).astimezone(moment.tzinfo)


def add_months(moment: datetime, months: int) -> datetime:
    """Return the same day that many months away, or the last day of a shorter month. Raises ValueError out of range."""
    at = moment.year * 12 + moment.month - 1 + months
    year, month = divmod(at, 12)
    last = calendar.monthrange(year, month + 1)[1] if 1 <= year <= 9999 else 28
    return moment.replace(year=year, month=month + 1, day=min(moment.day, last))
