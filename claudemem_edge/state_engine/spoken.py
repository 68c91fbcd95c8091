"""Dates and claims as a person hears them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from claudemem_edge.language import dates
from claudemem_edge.shapes.times import WallDue
from claudemem_edge.state_engine import predicates

if TYPE_CHECKING:
    from claudemem_edge.shapes.memory import Claim, Item
    from claudemem_edge.state_engine.progress import Progress

ANOTHER_YEAR = timedelta(days=400)


def when(progress: Progress, at: datetime, grain: str = "minute") -> str:
    """Return an instant in words, with its date."""
    return dates.spoken_when(progress.language, at, progress.now.wall, grain) if progress.language else ""


def clock(progress: Progress, at: datetime) -> str:
    """Return the time of day."""
    return dates.spoken_clock(progress.language, at) if progress.language else ""


def date(progress: Progress, at: datetime) -> str:
    """Return weekday and date with the year, which a date says when seen from another year."""
    return dates.spoken_when(progress.language, at, at - ANOTHER_YEAR, "day") if progress.language else ""


def due(progress: Progress, item: Item) -> str:
    """Return when an item is due, in words; "" when it has no time."""
    if item.due is None or progress.language is None:
        return ""
    every = dates.spoken_recurrence(progress.language, item.recurrence) if item.recurrence else ""
    clockless = isinstance(item.due, WallDue) and item.due.clock is None
    return every or when(progress, item.due.at(), "day" if clockless else "minute")


def claim(progress: Progress, one: Claim) -> str:
    """Return a claim in words to the person it was told by."""
    table = predicates.describe(one.predicate, progress.lexicon, progress.language)
    you, value = progress.phrase("you"), _value(progress, one, str(table.get("object_kind", "")))
    subject = you if one.subject == "user" else one.subject
    if one.subject != "user" and predicates.is_relation(one.subject, progress.lexicon):
        subject = progress.phrase("your_relation", subject=one.subject)
    key = str(table.get("key", one.predicate)).replace("{subject}", one.subject)
    third_person = predicates.user_word(progress.language)
    sentence = str(table.get("sentence", "")).replace(third_person, you) if third_person else ""
    sentence = sentence.replace("{subject}", subject).replace("{object}", value)
    shape = "claim_of_user" if one.subject == "user" else "claim_of_other"
    return progress.phrase(
        shape if sentence else "claim_plain", subject=subject, key=key, object=value, sentence=sentence
    )


def _value(progress: Progress, one: Claim, kind: str) -> str:
    """Return the object of a claim; a day, month or year kept as digits is said in words."""
    grain = {4: "year", 7: "month", 10: "day"}.get(len(one.object)) if kind == "time" else None
    if grain is None:
        return one.object
    try:
        at = datetime.fromisoformat(f"{one.object}-01-01"[:10])
    except ValueError:
        return one.object
    return when(progress, at.replace(tzinfo=progress.now.wall.tzinfo), grain)
