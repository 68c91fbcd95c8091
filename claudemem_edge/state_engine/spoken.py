"""Dates and claims as a person hears them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claudemem_edge.state_engine import predicates

if TYPE_CHECKING:
    from datetime import datetime

    from claudemem_edge.shapes.memory import Claim, Item
    from claudemem_edge.state_engine.progress import Progress


def when(progress: Progress, at: datetime, grain: str = "minute") -> str:
    """Return an instant in words, with its date."""
    day = progress.phrase("day", month=at.month, day=at.day)
    return day if grain == "day" else progress.phrase("day_and_clock", day=day, clock=clock(progress, at))


def clock(progress: Progress, at: datetime) -> str:
    """Return the time of day."""
    return progress.phrase("clock", hour=at.hour, minute=f"{at.minute:02}")


def date(progress: Progress, at: datetime) -> str:
    """Return weekday and date."""
    return progress.phrase("full_date", year=at.year, month=at.month, day=at.day)


def due(progress: Progress, item: Item) -> str:
    """Return when an item is due, in words; "" when it has no time."""
    if item.due is None or progress.language is None:
        return ""
    clockless = getattr(item.due, "clock", item.due) is None
    return when(progress, item.due.at(), "day" if clockless else "minute")


def claim(progress: Progress, one: Claim) -> str:
    """Return a claim in words to the person it was told by."""
    table = predicates.describe(one.predicate, progress.lexicon, progress.language)
    subject = progress.phrase("you") if one.subject == "user" else one.subject
    if one.subject != "user" and predicates.is_relation(one.subject, progress.lexicon):
        subject = progress.phrase("your_relation", subject=one.subject)
    key = str(table.get("key", one.predicate)).replace("{subject}", one.subject)
    sentence = str(table.get("sentence", "")).replace("{subject}", subject).replace("{object}", one.object)
    shape = "claim_of_user" if one.subject == "user" else "claim_of_other"
    return progress.phrase(
        shape if sentence else "claim_plain", subject=subject, key=key, object=one.object, sentence=sentence
    )
