"""Moves of an item in time: to a new time, later or earlier by so much, put off once it has sounded."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from claudemem_edge.language.said_time import bare_hour
from claudemem_edge.shapes.times import ElapsedDue
from claudemem_edge.state_engine import item_change, recurrence, spoken
from claudemem_edge.state_engine.item_answer import settle, settle_hour
from claudemem_edge.state_engine.item_due import NOTHING_SAID, Appointment, appoint, at_clock, known_of, later, precise

if TYPE_CHECKING:
    from claudemem_edge.shapes.memory import Item
    from claudemem_edge.shapes.times import TimeMention, WallDue
    from claudemem_edge.state_engine.progress import Progress

SNOOZE_S = 600.0
DAY_S = 86400
HOUR = "T"
"""What stands before an hour that is kept for an answer, as in ISO 8601."""


def said_time(progress: Progress) -> TimeMention | None:
    """Return the time an item is to have: the last that was said."""
    return progress.reading.times[-1] if progress.reading.times else None


def said_hour(progress: Progress) -> int | None:
    """Return the hour an item is to have, where nothing but its number was said."""
    return bare_hour(progress.reading.utterance.folded, progress.read_in)


def said_seconds(progress: Progress) -> float | None:
    """Return the distance that was said with an order, if any, whichever way it goes."""
    for mention in progress.reading.times:
        if mention.duration_s:
            return float(mention.duration_s)
        if mention.elapsed and mention.start is not None:
            return abs(mention.start.timestamp() - progress.now.wall.timestamp())
    return None


def change(progress: Progress, item: Item) -> None:
    """Give an item the time that was said, be it only the number of an hour."""
    mention = said_time(progress)
    hour = said_hour(progress)
    if mention is not None:
        item_change.put(progress, item, settle(progress, mention, item))
    elif hour is not None:
        item_change.put(progress, item, settle_hour(progress, hour, item))


def put_later(progress: Progress, item: Item) -> None:
    """Move an item that is still to come by the distance that was said, or to the time; put off one that sounds."""
    seconds = said_seconds(progress)
    if seconds is None and progress.reading.times:
        change(progress, item)
    elif item.state == "triggered":
        snooze_for(progress, item, seconds or SNOOZE_S)
    else:
        _shift(progress, item, seconds)


def put_earlier(progress: Progress, item: Item) -> None:
    """Move an item that is still to come by the distance that was said, or to the time."""
    seconds = said_seconds(progress)
    if seconds is None and progress.reading.times:
        change(progress, item)
    elif item.state == "pending":
        _shift(progress, item, -seconds if seconds else None)


def shift_by(progress: Progress, item: Item, seconds: float) -> None:
    """Move an item by so many seconds; one that sounds is put off by them."""
    if item.state == "triggered":
        snooze_for(progress, item, seconds)
    else:
        _shift(progress, item, seconds)


def _shift(progress: Progress, item: Item, seconds: float | None) -> None:
    due = item.due
    if due is None or not seconds:
        item_change.announce(progress, item, NOTHING_SAID)
    elif isinstance(due, ElapsedDue):
        moved = ElapsedDue(due.boot_s + seconds, later(due.wall, seconds))
        gone = moved.boot_s <= progress.now.boot_s
        item_change.put(progress, item, Appointment("past" if gone else "", moved, moved.wall))
    else:
        item_change.put(progress, item, _shifted(progress, item, due, seconds))


def _shifted(progress: Progress, item: Item, due: WallDue, seconds: float) -> Appointment:
    """Return the appointment on the wall clock so much later: an hour is an hour of the clock, a day the same clock."""
    at = due.at() + timedelta(seconds=seconds)
    if due.clock is None:
        if seconds % DAY_S:
            return known_of(item)
        return Appointment("clock", replace(due, day=at.date()), at, item.grain)
    if not item.recurrence:
        return precise(at, progress.now)
    rule = recurrence.with_clock(recurrence.on_day(item.recurrence, at.date()), at.time())
    return at_clock(rule, at.time(), at, progress.now)


def snooze(progress: Progress, item: Item) -> None:
    """Put an item off: by the distance that was said, to the time that was said, or by ten minutes."""
    reading, seconds = progress.reading, said_seconds(progress)
    if seconds or not (reading.times or reading.unclear_times):
        snooze_for(progress, item, seconds or SNOOZE_S)
        return
    appointment = appoint(next(iter(reading.times), None), progress.now, progress.read_in)
    if appointment.missing:
        item_change.put(progress, item, appointment)
    else:
        _postpone(progress, item, appointment)


def snooze_for(progress: Progress, item: Item, seconds: float) -> None:
    """Put an item off by a distance on the boot clock."""
    now = progress.now
    wall = later(now.wall, seconds)
    _postpone(progress, item, Appointment("", ElapsedDue(now.boot_s + seconds, wall), wall))


def _postpone(progress: Progress, item: Item, appointment: Appointment) -> None:
    """Let an item sound again later; what recurs keeps its rule."""
    key = "item_snoozed" if item.state == "triggered" else "item_set"
    progress.ledger.set(item, due=appointment.due, state="pending", kind="reminder", fired_at=None, missed=False)
    item_change.tell(progress, "snoozed", item)
    if appointment.at is not None:
        progress.say(key, what=item.text, when=spoken.when(progress, appointment.at))
