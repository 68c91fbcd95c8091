"""Ranges and bounds: from X to Y, before X, since X."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from claudemem_edge.input_filter.time_calendar import days_of
from claudemem_edge.input_filter.time_clock import grain_of, hours_of, instants_on
from claudemem_edge.input_filter.time_point import Answer, Setting, calendar_part, point

if TYPE_CHECKING:
    from collections.abc import Mapping

    from claudemem_edge.input_filter.time_pieces import Piece


def bound(fields: Mapping[str, Any], setting: Setting) -> Answer | None:
    """Return what lies before or after an edge. Its start or its end is None."""
    edge: Piece = fields["edge"]
    past = setting.past or "backward" in fields
    answer = point({**edge.fields, **calendar_part(fields)}, replace(setting, past=past))
    if answer is None or answer.start is None:
        return None
    side = fields["side"]
    whole = answer.end is not None and answer.grain not in {"hour", "minute", "second"}
    if side == "before" and (edge.fields.get("edge_of") == "end" or "close" in edge.fields):
        side = "through"
    if side == "since":
        return replace(answer, end=None)
    if side == "after":
        return replace(answer, start=answer.end if whole else answer.start, end=None)
    if side == "until" and whole and answer.grain in {"day", "week"}:
        return replace(answer, start=None)
    if side == "through" and whole:
        return replace(answer, start=None)
    return replace(answer, start=None, end=answer.start)


def stretch(fields: Mapping[str, Any], setting: Setting) -> Answer | None:
    """Return the span from a first to a last time. What one of them leaves open, the other decides."""
    outer = {**calendar_part(fields), **{name: fields[name] for name in ("part",) if name in fields}}
    first: dict[str, Any] = {**outer, **fields["first"].fields}
    last: dict[str, Any] = {**outer, **fields["last"].fields}
    if any(name in fields for fields in (first, last) for name in ("hour", "present", "part")):
        return _clock_range(first, last, setting)
    return _day_range(first, last, setting)


def _day_range(first: dict[str, Any], last: dict[str, Any], setting: Setting) -> Answer | None:
    if "day" in first and "month" not in first and "month_shift" not in first:
        first = {**{name: last[name] for name in ("month", "month_shift", "year", "lunar") if name in last}, **first}
    known_last = "year" in last or "year_shift" in last
    if known_last and "year" not in first and "year_shift" not in first and "day_shift" not in first:
        end = point(last, setting)
        if end is None or end.start is None:
            return None
        start = point(first, replace(setting, now=end.start, past=True))
    else:
        start = point(first, setting)
        if start is None or start.start is None:
            return None
        own = (
            setting if any(name.endswith("_shift") for name in last) else replace(setting, now=start.start, past=False)
        )
        end = point(last, own)
    if start is None or end is None or start.start is None or end.start is None:
        return None
    until = end.end or end.start
    return Answer(start.start, until, end.grain) if start.start < until else None


def _clock_range(first: dict[str, Any], last: dict[str, Any], setting: Setting) -> Answer | None:
    """Let the end that is sure decide the half of the day of the other; without a day, the next such stretch."""
    if "hour" not in first or "hour" not in last:
        return _mixed_range(first, last, setting)
    first_days, last_days = calendar_part(first), calendar_part(last)
    if not (first_days or last_days):
        return _free_range(first, last, setting)
    day = days_of(first_days or last_days, setting.reference())
    if day is None:
        return None
    starts = instants_on(day.start, first, setting.now, setting.tables)
    if not (first_days and last_days) or first_days == last_days:
        return _pair(starts, _spread(day.start, last, setting), len(hours_of(last, setting.tables)) > 1)
    end_day = days_of(last_days, setting.reference())
    if end_day is None:
        return None
    ends = instants_on(end_day.start, last, setting.now, setting.tables)
    return Answer(starts[0], ends[0], grain_of(last), ambiguous=len(starts) > 1 or len(ends) > 1)


def _spread(day: date, fields: Mapping[str, Any], setting: Setting) -> list[datetime]:
    today = instants_on(day, fields, setting.now, setting.tables)
    return [*today, *(one + timedelta(days=1) for one in today)]


def _pair(starts: list[datetime], ends: list[datetime], end_open: bool) -> Answer | None:  # noqa: FBT001 (private)
    """Choose the start and end that fit each other; `ends` holds the next day's too."""
    own_ends = ends[: len(ends) // 2]
    if len(starts) > 1 and not end_open:
        before = [one for one in starts if one < own_ends[0]]
        start = before[-1] if before else starts[0]
    else:
        start = starts[0]
    end = next((one for one in ends if one > start), None)
    if end is None:
        return None
    return Answer(start, end, "minute", ambiguous=len(starts) > 1 and end_open)


def _free_range(first: dict[str, Any], last: dict[str, Any], setting: Setting) -> Answer | None:
    today = setting.now.date()
    for step in (0, -1) if setting.past else (-1, 0, 1, 2):
        day = today + timedelta(days=step)
        starts = instants_on(day, first, setting.now, setting.tables)
        open_end = len(hours_of(last, setting.tables)) > 1
        if open_end and len(starts) > 1 and day == today:
            starts = [one for one in starts if one >= setting.now] or starts
        answer = _pair(starts, _spread(day, last, setting), open_end)
        if answer and answer.start and (answer.start <= setting.now if setting.past else answer.start >= setting.now):
            return answer
    return None


def _mixed_range(first: dict[str, Any], last: dict[str, Any], setting: Setting) -> Answer | None:
    """Read a range of which one end has no hour: a day, a part of one, now, or a distance from now.

    An hour without a day up to a date of the calendar is no range that anybody says.
    """
    if "hour" in first and not calendar_part(first) and "month" in last:
        return None
    start = point(first, setting)
    if start is None or start.start is None:
        return None
    own = setting if "sign" in last else replace(setting, now=start.start, past=False)
    end = point(last, own)
    if end is None or end.start is None:
        return None
    until = end.end or end.start
    if start.start >= until:
        return None
    return Answer(start.start, until, "minute", ambiguous=start.ambiguous or end.ambiguous)
