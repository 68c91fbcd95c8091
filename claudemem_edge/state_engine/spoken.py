"""Dates and claims as a person hears them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from claudemem_edge.language import dates
from claudemem_edge.state_engine import predicates

if TYPE_CHECKING:
    from claudemem_edge.shapes.memory import Claim, Item
    from claudemem_edge.state_engine.progress import Progress

ANOTHER_YEAR = timedelta(days=400)


def when(progress: Progress, at: datetime, grain: str = "minute") -> str:
    """Return an instant in words, with its date."""
    return dates.spoken_at(progress.language, at, progress.now, grain) if progress.language else ""


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
    return every or dates.spoken_due(progress.language, item, progress.now)


def item_line(progress: Progress, item: Item) -> str:
    """Return an item with its time, for a list."""
    at = due(progress, item)
    return progress.phrase("item_line" if at else "item_line_without_time", when=at, what=item.text, id=item.id)


def claim(progress: Progress, one: Claim) -> str:
    """Return a claim in words to the person it was told by."""
    table = predicates.describe(one.predicate, progress.lexicon, progress.language)
    forms = predicates.subject_forms(progress.language)
    subject, value = one.subject, _value(progress, one, str(table.get("object_kind", "")))
    sentence = str(table.get("sentence", ""))
    if one.subject == "user":
        subject, sentence = str(forms.get("user", "")), str(table.get("told", sentence))
    elif predicates.is_relation(one.subject, progress.lexicon):
        subject = str(forms.get("relation", "{subject}")).replace("{subject}", one.subject)
    if not sentence:
        return progress.phrase("claim_plain", subject=one.subject, object=value)
    sentence = sentence.replace("{subject}", subject)
    for third_person, you in forms.get("told", {}).items():
        sentence = sentence.replace(third_person, you)
    return sentence.replace("{object}", value).replace("{when}", when(progress, one.since, "day"))


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
