"""Points and spans in time: days, clocks, parts of the day, distances from now or from a day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from claudemem_edge.input_filter.time_calendar import CALENDAR_FIELDS, Reference, days_of
from claudemem_edge.input_filter.time_clock import (
    CLOCK_FIELDS,
    grain_of,
    hours_of,
    instants_on,
    next_instants,
    part_span,
)
from claudemem_edge.input_filter.time_days import Days
from claudemem_edge.input_filter.time_duration import Duration, shift

if TYPE_CHECKING:
    from collections.abc import Mapping

    from claudemem_edge.input_filter.time_pieces import Piece


@dataclass(slots=True, frozen=True)
class Setting:
    """What a time is read against: now, the tables of the language, and whether the sentence speaks of the past."""

    now: datetime
    tables: Mapping[str, Any]
    past: bool = False

    def reference(self) -> Reference:
        """Return the same for whole days."""
        return Reference(self.now.date(), self.past, self.tables)

    def midnight(self, day: date) -> datetime:
        """Return the beginning of a day."""
        return datetime.combine(day, time(), tzinfo=self.now.tzinfo)


@dataclass(slots=True, frozen=True)
class Answer:
    """A time resolved; see TimeMention."""

    start: datetime | None
    end: datetime | None
    grain: str
    ambiguous: bool = False
    elapsed: bool = False
    duration_s: int | None = None
    recurrence: str | None = None
    either_half: bool = False


def point(fields: Mapping[str, Any], setting: Setting) -> Answer | None:
    """Return the answer for anything but a range, a bound or a recurrence; None when there is no such time."""
    if "sign" in fields:
        return _distance(fields, setting)
    if "duration" in fields:
        return _window(fields, setting) if "window" in fields else _length(fields["duration"])
    if "present" in fields:
        return Answer(setting.now, None, "second")
    return _calendar_point(fields, setting)


def _length(duration: Duration) -> Answer:
    return Answer(None, None, duration.grain, duration_s=int(duration.total_s))


def calendar_part(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that say which day."""
    return {name: value for name, value in fields.items() if name in CALENDAR_FIELDS}


def _calendar_point(fields: Mapping[str, Any], setting: Setting) -> Answer | None:
    calendar = calendar_part(fields)
    days: Days | None = None
    if calendar:
        days = days_of(calendar, setting.reference())
        if days is None:
            return None
    if "now_clock" in fields:
        fields = {**fields, "hour": setting.now.hour, "minute": setting.now.minute, "exact": 1}
    if "hour" in fields:
        return _clock(fields, days, setting)
    if "part" in fields:
        return _part(fields, days, setting)
    if days is None:
        return None
    return Answer(setting.midnight(days.start), setting.midnight(days.end), days.grain)


def _clock(fields: Mapping[str, Any], days: Days | None, setting: Setting) -> Answer:
    grain = grain_of(fields)
    either_half = len(hours_of(fields, setting.tables)) > 1
    if days is None:
        start, ambiguous = next_instants(fields, setting.now, setting.tables, past=setting.past)
        return Answer(start, None, grain, ambiguous=ambiguous, either_half=either_half)
    instants = instants_on(days.start, fields, setting.now, setting.tables)
    if days.start == setting.now.date() and len(instants) > 1 and not setting.past:
        instants = [one for one in instants if one >= setting.now] or instants[-1:]
    if _nearest_weekday(fields) and instants[0] < setting.now and not setting.past:
        instants = [one + timedelta(weeks=1) for one in instants]
    return Answer(instants[0], None, grain, ambiguous=len(instants) > 1, either_half=either_half)


def _nearest_weekday(fields: Mapping[str, Any]) -> bool:
    """Tell whether the day was a bare weekday, so that an hour gone by today means next week."""
    return set(fields) & CALENDAR_FIELDS == {"weekday"}


def _part(fields: Mapping[str, Any], days: Days | None, setting: Setting) -> Answer:
    start, end = part_span(days.start if days else setting.now.date(), fields, setting.now, setting.tables)
    gone = start if "ahead" in fields else end
    if days is None and gone <= setting.now and not setting.past:
        start, end = start + timedelta(days=1), end + timedelta(days=1)
    if days is None and setting.past and start > setting.now:
        start, end = start - timedelta(days=1), end - timedelta(days=1)
    return Answer(start, end, "hour")


def _distance(fields: Mapping[str, Any], setting: Setting) -> Answer | None:
    """Go a length from now or from a day: in two hours, three days ago, two weeks after Easter."""
    duration: Duration = fields["duration"]
    base_piece: Piece | None = fields.get("base")
    base = setting.now
    elapsed = base_piece is None and duration.short
    if base_piece is not None:
        anchor = point(base_piece.fields, setting)
        if anchor is None or anchor.start is None:
            return None
        base = anchor.start
    start = shift(base, duration, int(fields["sign"]))
    if duration.short:
        return Answer(start, None, duration.grain, ambiguous=duration.guessed, elapsed=elapsed)
    clock = {name: value for name, value in fields.items() if name in CLOCK_FIELDS}
    calendar = calendar_part(fields)
    days = Days(start.date(), start.date() + timedelta(days=1), "day")
    if calendar:
        if "weekday" in calendar:
            monday = start.date() - timedelta(days=start.date().weekday())
            near = days_of({"weekday": calendar["weekday"]}, Reference(monday))
        else:
            near = days_of({**calendar, "year": start.year}, Reference(start.date(), tables=setting.tables))
        if near is None:
            return None
        days = Days(near.start, near.start + timedelta(days=1), "day")
    if clock:
        return _clock(clock, days, setting) if "hour" in clock else _part(clock, days, setting)
    if duration.days % 1:
        return Answer(start, None, "hour")
    return Answer(setting.midnight(days.start), setting.midnight(days.end), "day")


def _window(fields: Mapping[str, Any], setting: Setting) -> Answer:
    """Return the span from now that far, forwards or backwards: within two weeks, the past three minutes."""
    duration: Duration = fields["duration"]
    edge = shift(setting.now, duration, int(fields["window"]))
    start, end = (setting.now, edge) if edge > setting.now else (edge, setting.now)
    return Answer(start, end, duration.grain)
