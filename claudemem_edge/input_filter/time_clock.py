"""Which hour is meant: three o'clock is 3:00 or 15:00, unless a part of the day or a meridiem decides."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

CLOCK_FIELDS = frozenset({"hour", "minute", "second", "meridiem", "part", "exact", "less"})
HALF = 12
SMALL_HOURS_END = 6


def hours_of(fields: Mapping[str, Any], tables: Mapping[str, Any]) -> list[int]:
    """Return the hours of the day that the fields may mean, earlier first; 24 and more run into the next day."""
    hour = int(fields["hour"])
    meridiem = fields.get("meridiem")
    part = tables.get("parts", {}).get(fields.get("part"))
    if hour > HALF:
        return [hour]
    if meridiem is not None:
        taken = hour % HALF + (HALF if meridiem == "pm" else 0)
        late = part is not None and part["window"] + HALF > 24 and taken < SMALL_HOURS_END
        return [taken + 24 if late else taken]
    if part is not None:
        window = int(part["window"])
        return [window + (hour - window) % HALF]
    if hour in {0, HALF} or fields.get("exact"):
        return [hour]
    return [hour, hour + HALF]


def at_hour(day: date, hour: int, fields: Mapping[str, Any], now: datetime) -> datetime:
    """Return the instant of that hour, with the minute and second of the fields, on the day's clock."""
    whole_days, hour = divmod(hour, 24)
    clock = time(hour, int(fields.get("minute", 0)), int(fields.get("second", 0)))
    instant = datetime.combine(day + timedelta(days=whole_days), clock, tzinfo=now.tzinfo)
    less = fields.get("less")
    return instant - timedelta(minutes=int(less)) if less else instant


def instants_on(day: date, fields: Mapping[str, Any], now: datetime, tables: Mapping[str, Any]) -> list[datetime]:
    """Return the instants that the clock fields may mean on a day, earlier first.

    In the small hours, "tonight at three" is the three o'clock of the night that is running.
    """
    found = []
    for hour in hours_of(fields, tables):
        running = hour >= 24 and day == now.date()
        if running and (early := at_hour(day, hour - 24, fields, now)) > now:
            found.append(early)
        else:
            found.append(at_hour(day, hour, fields, now))
    return found


def next_instants(
    fields: Mapping[str, Any], now: datetime, tables: Mapping[str, Any], *, past: bool = False
) -> tuple[datetime, bool]:
    """Return the next instant (the last one, of the past) that shows this clock, and whether a listener would ask.

    One would ask when both halves of today are still to come.
    """
    today = now.date()
    days = [today + timedelta(days=step) for step in ((-1, 0) if past else (-1, 0, 1))]
    instants = sorted(instant for day in days for instant in instants_on(day, fields, now, tables))
    if past:
        return max((one for one in instants if one <= now), default=instants[0]), False
    ahead = [one for one in instants if one >= now]
    two_ways = len(hours_of(fields, tables)) > 1
    return ahead[0], two_ways and len([one for one in ahead if one.date() == today]) > 1


def part_span(
    day: date, fields: Mapping[str, Any], now: datetime, tables: Mapping[str, Any]
) -> tuple[datetime, datetime]:
    """Return the beginning and the end of a part of the day."""
    part = tables["parts"][fields["part"]]
    return at_hour(day, int(part["from"]), {}, now), at_hour(day, int(part["to"]), {}, now)


def grain_of(fields: Mapping[str, Any]) -> str:
    """Return the precision of the clock fields."""
    if "second" in fields:
        return "second"
    return "minute" if "minute" in fields or "less" in fields else "hour"
