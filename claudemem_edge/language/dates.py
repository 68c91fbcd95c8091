"""Dates, lengths and recurrences in words that leave nothing open; the wording is `[spoken]` of `times.toml`."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from claudemem_edge.shapes.times import WallDue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from claudemem_edge.language.pack import Language
    from claudemem_edge.shapes.memory import Item
    from claudemem_edge.shapes.times import Moment

UNITS_S = (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))
DAY_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
WORKDAYS, WEEKEND = DAY_CODES[:5], DAY_CODES[5:]
CLOCK_GRAINS = frozenset({"hour", "minute", "second"})
ROUNDED_FROM_S = 120
"""From here on a distance is told in whole minutes."""


def spoken_when(language: Language, start: datetime, now: datetime, grain: str) -> str:
    """Return a time as a person should hear it: the date with its weekday, the clock unless the grain is a day or more.

    Near days are named as well ("tomorrow"), another year is said. Times of other zones are said on now's clock.
    """
    words = language.tables["times"]["spoken"]
    if start.tzinfo is not None and now.tzinfo is not None:
        start = start.astimezone(now.tzinfo)
    day = _span(words, start.date(), grain) or _day(words, start.date(), now.date())
    if grain not in CLOCK_GRAINS:
        return day
    return str(words["day_clock"]).format(day=day, clock=spoken_clock(language, start))


def spoken_at(language: Language, at: datetime, now: Moment, grain: str) -> str:
    """Return a time as `spoken_when`, but as a distance while nobody knows what the clock should show."""
    if not now.doubt or grain not in CLOCK_GRAINS:
        return spoken_when(language, at, now.wall, grain)
    return spoken_distance(language, at.timestamp() - now.wall.timestamp())


def spoken_distance(language: Language, seconds: float) -> str:
    """Return how far ahead a time is, or, for negative seconds, how long ago."""
    words = language.tables["times"]["spoken"]
    length_s = round(abs(seconds))
    if length_s >= ROUNDED_FROM_S:
        length_s = round(length_s / 60) * 60
    shape = words["now"] if not length_s else words["ahead" if seconds > 0 else "ago"]
    return str(shape).format(length=spoken_duration(language, length_s))


def spoken_due(language: Language, item: Item, now: Moment) -> str:
    """Return when an item is due: with the clock, or with as much of the day as was said; "" when it has no time."""
    if item.due is None:
        return ""
    if not isinstance(item.due, WallDue) or item.due.clock is not None:
        return spoken_at(language, item.due.at(), now, "minute")
    day = spoken_when(language, item.due.at(), now.wall, "day")
    words = language.tables["times"]["spoken"]
    part = _part(words["parts"], item.due.usual.hour) if item.grain in CLOCK_GRAINS else ""
    return str(words["day_part"]).format(day=day, part=part) if part else day


def spoken_clock(language: Language, at: datetime) -> str:
    """Return the time of day, never to be mistaken for its other half."""
    return _clock(language.tables["times"]["spoken"], at.hour, at.minute)


def short_date(language: Language, day: date) -> str:
    """Return a day in its shortest unmistakable form, with the year."""
    words = language.tables["times"]["spoken"]
    return str(words["short_date"]).format(**_of_day(words, day))


def spoken_duration(language: Language, seconds: float) -> str:
    """Return a length of time in days, hours, minutes and seconds; nothing is rounded but fractions of a second."""
    words = language.tables["times"]["spoken"]
    left = round(seconds)
    said = []
    for unit, size_s in UNITS_S:
        count, left = divmod(left, size_s)
        if count:
            said.append(_counted(words, count, unit))
    return str(words["length_joint"]).join(said) or _counted(words, 0, "second")


def spoken_recurrence(language: Language, rrule: str) -> str:
    """Return an RRULE body in words, as the readers of this package make them; "" for one they do not make."""
    words = language.tables["times"]["spoken"]
    rule = dict(part.split("=", 1) for part in rrule.upper().split(";") if "=" in part)
    units = {"SECONDLY": "second", "MINUTELY": "minute", "HOURLY": "hour", "DAILY": "day", "WEEKLY": "week"}
    unit = (units | {"MONTHLY": "month", "YEARLY": "year"}).get(rule.get("FREQ", ""))
    if unit is None:
        return ""
    said = _recurring_day(words, rule, unit, int(rule.get("INTERVAL", "1")))
    if "BYHOUR" in rule:
        clocks = [_clock(words, int(hour), int(rule.get("BYMINUTE", "0"))) for hour in rule["BYHOUR"].split(",")]
        said = str(words["repeat_clock"]).format(repeat=said, clock=_listed(words, clocks))
    if "UNTIL" in rule:
        last = datetime.strptime(rule["UNTIL"][:8], "%Y%m%d").date()  # noqa: DTZ007 (a day has no zone)
        said = str(words["repeat_until"]).format(repeat=said, day=str(words["day"]).format(**_of_day(words, last)))
    return said


def _recurring_day(words: Mapping[str, Any], rule: Mapping[str, str], unit: str, interval: int) -> str:
    values: dict[str, object] = {"unit": _unit(words, interval, unit), "count": interval}
    codes = tuple(code for code in rule.get("BYDAY", "").split(",") if code)
    if codes:
        shape = _weekday_shape(codes, interval)
        names = [words["weekdays"][DAY_CODES.index(code[-2:])] for code in codes]
        values |= {"weekdays": _listed(words, names), "weekday": names[0]}
        if shape == "repeat_nth":
            values["nth"] = _ordinal(words, int(codes[0][:-2]))
    elif "BYMONTHDAY" in rule:
        number = int(rule["BYMONTHDAY"])
        values |= {"day": number, "nth": _ordinal(words, number)}
        shape = "repeat_last_day" if number == -1 else "repeat_month_day"
        if "BYMONTH" in rule:
            values |= _of_day(words, date(2000, int(rule["BYMONTH"]), number))
            shape = "repeat_date"
    else:
        shape = "repeat" if interval == 1 else "repeat_several"
    return str(words[shape]).format(**values)


def _weekday_shape(codes: tuple[str, ...], interval: int) -> str:
    if codes[0][:-2]:
        return "repeat_nth"
    if interval > 1:
        return "repeat_weekdays_several"
    return {WORKDAYS: "repeat_workdays", WEEKEND: "repeat_weekend"}.get(codes, "repeat_weekdays")


def _span(words: Mapping[str, Any], day: date, grain: str) -> str:
    """Return a week or longer by its name; "" for a day."""
    if grain == "week":
        return str(words["week"]).format(**_of_day(words, day - timedelta(days=day.weekday())))
    shape = words.get(grain) if grain in {"month", "quarter", "year"} else None
    return str(shape).format(quarter=(day.month + 2) // 3, **_of_day(words, day)) if shape else ""


def _day(words: Mapping[str, Any], day: date, today: date) -> str:
    shape = words["day"] if day.year == today.year else words["day_of_year"]
    near = words["near"].get(str((day - today).days))
    if near is None:
        return str(shape).format(**_of_day(words, day))
    return str(words["near_day"]).format(near=near, **_of_day(words, day))


def _of_day(words: Mapping[str, Any], day: date) -> dict[str, object]:
    months: Sequence[str] = words.get("months", ())
    return {
        "year": day.year,
        "month": months[day.month - 1] if months else day.month,
        "day": day.day,
        "weekday": words["weekdays"][day.weekday()],
    }


def _clock(words: Mapping[str, Any], hour: int, minute: int) -> str:
    part = _part(words["clock_parts"], hour)
    shape = words["clock_minutes"] if minute else words["clock"]
    return str(shape).format(part=part, hour12=(hour - 1) % 12 + 1, hour2=f"{hour:02}", minute=f"{minute:02}")


def _part(parts: Sequence[Mapping[str, Any]], hour: int) -> str:
    return next((str(part["name"]) for part in parts if part["from"] <= hour < part["to"]), "")


def _unit(words: Mapping[str, Any], count: int, unit: str) -> str:
    one, many = words["units"][unit]
    return str(one if count == 1 else many)


def _counted(words: Mapping[str, Any], count: int, unit: str) -> str:
    return str(words["counted"]).format(count=count, unit=_unit(words, count, unit))


def _ordinal(words: Mapping[str, Any], number: int) -> str:
    if number == -1:
        return str(words["last"])
    endings: Mapping[str, str] = words.get("ordinal_endings", {})
    tens = str(number % 100)
    ending = endings.get(tens) or endings.get(str(number % 10)) or endings.get("", "")
    return str(words["ordinal"]).format(number=number, ending=ending)


def _listed(words: Mapping[str, Any], names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return str(words["list_joint"]).join(names[:-1]) + str(words["list_last"]) + names[-1]
