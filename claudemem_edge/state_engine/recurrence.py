"""When a recurring item is due next: RFC 5545 rules on the wall clock of the item's zone."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache

WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
STEP_S = {"HOURLY": 3600, "MINUTELY": 60, "SECONDLY": 1}
HORIZON_DAYS = 366 * 12
"""Far enough for a 29 February; a rule without a day in it is taken to have ended."""


@dataclass(slots=True, frozen=True)
class Rule:
    """The parts of an RRULE body that are understood. Empty tuples mean "not given"."""

    frequency: str
    interval: int
    weekdays: tuple[tuple[int, int], ...]
    """Ordinal in the month (0: every) and weekday from Monday = 0."""
    month_days: tuple[int, ...]
    months: tuple[int, ...]
    hours: tuple[int, ...]
    minutes: tuple[int, ...]
    until: date | None


@lru_cache(maxsize=64)
def parse(body: str) -> Rule:
    """Read an RRULE body. Raises ValueError for one that is none."""
    parts = {name: value for name, _, value in (part.partition("=") for part in body.upper().split(";"))}
    frequency = parts.get("FREQ", "")
    if frequency not in {"DAILY", "WEEKLY", "MONTHLY", "YEARLY", *STEP_S}:
        raise ValueError("the rule has no frequency that can be followed")
    until = parts.get("UNTIL", "")[:8]
    return Rule(
        frequency,
        max(1, int(parts.get("INTERVAL", "1"))),
        tuple(_weekday(day) for day in parts.get("BYDAY", "").split(",") if day),
        _numbers(parts.get("BYMONTHDAY", "")),
        _numbers(parts.get("BYMONTH", "")),
        _numbers(parts.get("BYHOUR", "")),
        _numbers(parts.get("BYMINUTE", "")),
        datetime.strptime(until, "%Y%m%d").replace(tzinfo=UTC).date() if until else None,
    )


def has_clock(body: str) -> bool:
    """Tell whether a rule says by itself at what time of day, or runs in steps shorter than a day."""
    rule = parse(body)
    return bool(rule.hours) or rule.frequency in STEP_S


def step_s(body: str) -> int:
    """Return the seconds from one time to the next of a rule that runs in steps shorter than a day; 0 for any other."""
    rule = parse(body) if body else None
    return STEP_S[rule.frequency] * rule.interval if rule is not None and rule.frequency in STEP_S else 0


def with_clock(body: str, clock: time) -> str:
    """Return the rule with this one time of day."""
    kept = [part for part in body.split(";") if not part.upper().startswith(("BYHOUR=", "BYMINUTE=", "BYSECOND="))]
    return ";".join([*kept, f"BYHOUR={clock.hour}", f"BYMINUTE={clock.minute}"])


def on_day(body: str, day: date) -> str:
    """Return the rule moved to the weekday of `day` if it names one weekday alone; any other stays as it is."""
    weekdays = parse(body).weekdays
    if len(weekdays) != 1 or weekdays[0][0]:
        return body
    name = WEEKDAYS[day.weekday()]
    return ";".join(f"BYDAY={name}" if part.upper().startswith("BYDAY=") else part for part in body.split(";"))


def next_after(body: str, first: date, clock: time, zone: tzinfo, after: datetime) -> datetime | None:
    """Return the first occurrence later than `after`, or None when there is none.

    `first` is the day from which intervals count, `clock` the time of day where the rule gives none. A wall time that
    a clock change leaves out happens as much later as the clock jumped; one that comes twice happens the first time.
    """
    rule = parse(body)
    if rule.frequency in STEP_S:
        return _next_step(rule, datetime.combine(first, clock, tzinfo=zone), after)
    clocks = _clocks(rule, clock)
    day = max(first, after.astimezone(zone).date())
    for _ in range(HORIZON_DAYS):
        if rule.until is not None and day > rule.until:
            return None
        if _falls_on(rule, first, day):
            for at in clocks:
                occurrence = datetime.combine(day, at, tzinfo=zone)
                if occurrence.timestamp() > after.timestamp():
                    return occurrence
        day += timedelta(days=1)
    return None


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(",") if number)


def _weekday(text: str) -> tuple[int, int]:
    if text[-2:] not in WEEKDAYS:
        raise ValueError("the rule names a weekday that is none")
    return int(text[:-2] or 0), WEEKDAYS.index(text[-2:])


def _clocks(rule: Rule, clock: time) -> list[time]:
    hours = rule.hours or (clock.hour,)
    minutes = rule.minutes or ((0,) if rule.hours else (clock.minute,))
    return sorted(time(hour, minute) for hour in hours for minute in minutes)


def _next_step(rule: Rule, start: datetime, after: datetime) -> datetime | None:
    """Hours and minutes pass by the instant, not by the wall clock."""
    step = rule.interval * STEP_S[rule.frequency]
    behind = after.timestamp() - start.timestamp()
    steps = int(behind // step) + 1 if behind >= 0 else 0
    found = (start.astimezone(UTC) + timedelta(seconds=steps * step)).astimezone(start.tzinfo)
    return None if rule.until is not None and found.date() > rule.until else found


def _falls_on(rule: Rule, first: date, day: date) -> bool:
    if rule.months and day.month not in rule.months:
        return False
    if rule.frequency == "DAILY":
        return (day - first).days % rule.interval == 0 and _on_weekday(rule, day)
    if rule.frequency == "WEEKLY":
        weeks = (_monday(day) - _monday(first)).days // 7
        wanted = {weekday for _, weekday in rule.weekdays} or {first.weekday()}
        return weeks % rule.interval == 0 and day.weekday() in wanted
    if rule.frequency == "MONTHLY":
        months = (day.year - first.year) * 12 + day.month - first.month
        return months % rule.interval == 0 and _on_month_day(rule, first, day)
    in_month = bool(rule.months) or bool(rule.weekdays) or day.month == first.month
    return (day.year - first.year) % rule.interval == 0 and in_month and _on_month_day(rule, first, day)


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _on_month_day(rule: Rule, first: date, day: date) -> bool:
    if rule.month_days:
        length = monthrange(day.year, day.month)[1]
        return (day.day in rule.month_days or day.day - length - 1 in rule.month_days) and _on_weekday(rule, day)
    if rule.weekdays:
        return _on_weekday(rule, day)
    return day.day == first.day


def _on_weekday(rule: Rule, day: date) -> bool:
    if not rule.weekdays:
        return True
    length = monthrange(day.year, day.month)[1]
    from_start, from_end = (day.day - 1) // 7 + 1, -((length - day.day) // 7 + 1)
    return any(weekday == day.weekday() and ordinal in {0, from_start, from_end} for ordinal, weekday in rule.weekdays)
