"""A later word about an item's time, put together with what is known of it already."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, time
from typing import TYPE_CHECKING

from claudemem_edge.language.said_time import clock_alone, part_alone
from claudemem_edge.shapes.times import ElapsedDue, WallDue
from claudemem_edge.state_engine import recurrence
from claudemem_edge.state_engine.item_due import (
    NO_CLOCK,
    Appointment,
    appoint,
    at_clock,
    both_halves,
    later,
    part_of_day,
    precise,
    wall_due,
)

if TYPE_CHECKING:
    from datetime import date

    from claudemem_edge.shapes.memory import Item
    from claudemem_edge.shapes.times import TimeMention
    from claudemem_edge.state_engine.progress import Progress

Window = tuple[datetime, ...]
"""First and last instant of a part of the day said before; empty when none was."""


def settle(progress: Progress, mention: TimeMention, item: Item, window: Window = ()) -> Appointment:
    """Return the appointment that a time makes of an item; a clock time or a day alone keeps the other as it was."""
    now, due = progress.now, item.due
    if isinstance(due, ElapsedDue) and mention.start is None and mention.duration_s:
        at = later(now.wall, mention.duration_s)
        return Appointment("", ElapsedDue(now.boot_s + mention.duration_s, at), at)
    kept = None
    if isinstance(due, WallDue) and mention.start is not None and not now.doubt:
        kept = _keeping(progress, mention, mention.start, item, due, window)
    return kept or appoint(mention, now, progress.read_in)


def _keeping(
    progress: Progress, mention: TimeMention, start: datetime, item: Item, due: WallDue, window: Window
) -> Appointment | None:
    """Return the appointment that keeps the day, the clock time or its half, whichever was left unsaid, if one was."""
    language = progress.read_in
    if clock_alone(mention, language):
        return _on_its_day(progress, item, start.time(), window, known=not mention.either_half)
    if part_alone(mention, language) and mention.end is not None and not mention.recurrence:
        return part_of_day(*_moved(start, mention.end, due.day), progress.now)
    if due.clock is None:
        return None
    if _is_day(mention):
        return _on_another_day(progress, item, start.date())
    if mention.recurrence and not recurrence.has_clock(mention.recurrence):
        return at_clock(mention.recurrence, due.clock, start, progress.now)
    return _in_its_half(appoint(mention, progress.now, language), due)


def settle_hour(progress: Progress, hour: int, item: Item, window: Window = ()) -> Appointment:
    """Return the appointment that a bare number makes of an item, as the answer to "at what time?"."""
    if progress.now.doubt:
        return NO_CLOCK
    clock = time(hour % 24)
    known = hour > 12 or hour == 0
    if isinstance(item.due, WallDue):
        return _on_its_day(progress, item, clock, window, known=known)
    wall = progress.now.wall
    today = datetime.combine(wall.date(), clock, tzinfo=wall.tzinfo)
    choices = [at for at in ((today,) if known else both_halves(today)) if at.timestamp() > wall.timestamp()]
    start = choices[0] if choices else datetime.combine(later(wall, 86400).date(), clock, tzinfo=wall.tzinfo)
    return precise(start, progress.now, "hour", ambiguous=not known and len(choices) != 1)


def _is_day(mention: TimeMention) -> bool:
    return mention.grain == "day" and mention.recurrence is None and mention.duration_s is None


def _in_its_half(appointment: Appointment, due: WallDue) -> Appointment:
    """Take the half of the day that the item had, where the new time leaves it open: "move it to Friday at ten"."""
    if appointment.missing != "half" or appointment.recurrence:
        return appointment
    fitting = _fitting(appointment.choices, due, ())
    return Appointment("", wall_due(fitting[0]), fitting[0], appointment.grain) if len(fitting) == 1 else appointment


def _moved(start: datetime, end: datetime, day: date) -> tuple[datetime, datetime]:
    days = day - start.date()
    return start + days, end + days


def _on_another_day(progress: Progress, item: Item, day: date) -> Appointment:
    due = item.due
    assert isinstance(due, WallDue)  # noqa: S101 (the caller has looked)
    moved = replace(due, day=day)
    if moved.seconds_left(progress.now) <= 0:
        return Appointment("past", at=moved.at(), grain="day")
    rule = recurrence.on_day(item.recurrence, day) if item.recurrence else ""
    return Appointment("", moved, moved.at(), item.grain, rule)


def _on_its_day(progress: Progress, item: Item, clock: time, window: Window, *, known: bool) -> Appointment:
    due = item.due
    assert isinstance(due, WallDue)  # noqa: S101 (the callers have looked)
    at = datetime.combine(due.day, clock, tzinfo=due.zone)
    choices: tuple[datetime, ...] = (at,) if known else both_halves(at)
    if len(choices) > 1:
        choices = _fitting(choices, due, window) or choices
    if not item.recurrence:
        return precise(choices[0], progress.now, "hour", ambiguous=len(choices) > 1)
    if len(choices) > 1:
        return Appointment("half", due, at, "minute", item.recurrence, choices)
    rule = recurrence.with_clock(item.recurrence, choices[0].time())
    return at_clock(rule, choices[0].time(), choices[0], progress.now)


def _fitting(choices: tuple[datetime, ...], due: WallDue, window: tuple[datetime, ...]) -> tuple[datetime, ...]:
    """Return the one of two half days that the part of the day, or else the time before, speaks for."""
    if window:
        first, last = window
        inside = tuple(at for at in choices if first.time() <= at.time() and (at < last or last.date() > first.date()))
        return inside if len(inside) == 1 else ()
    if due.clock is not None:
        return tuple(at for at in choices if (at.hour < 12) == (due.clock.hour < 12))
    return ()
