"""Deeds: what somebody says to have done and when, and whether it was done: "did I take my pill today?".

A deed is a claim of its own each time it is told. Whether it was done is answered from what was told, never guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from claudemem_edge.language.terms import terms
from claudemem_edge.state_engine import spoken

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from claudemem_edge.language.pack import Language
    from claudemem_edge.shapes.memory import Claim
    from claudemem_edge.shapes.reading import Command, Span
    from claudemem_edge.shapes.times import TimeMention
    from claudemem_edge.state_engine.progress import Progress

DEED = "did"
USER = "user"
MEDICINE = "medicine"
KEPT = 30
"""How often one deed is held; older tellings end, so that they may be forgotten in time."""
TOLD_MOST = 4
DAY = timedelta(days=1)
HALF_A_DAY = timedelta(hours=12)
"""How far "at eight" goes back when it was read as the next eight o'clock, though what is told is over."""


@dataclass(slots=True, frozen=True)
class Deed:
    """Something done. `words` is what it is compared by; `grain` how exactly `at` is known."""

    at: datetime
    text: str
    words: frozenset[str]
    grain: str = "minute"


def time_of(progress: Progress, span: Span) -> datetime:
    """Return when a deed that is told now was done: the past time said beside it, else now."""
    said, now = _beside(progress.reading.times, span), progress.now.wall
    if progress.now.doubt or said is None or said.start is None or (said.end is not None and now < said.end):
        return now
    return next((at for at in (said.start, said.start - HALF_A_DAY) if at <= now), now)


def note(progress: Progress, claim: Claim, span: Span) -> None:
    """Say that a deed is noted, and that the same was told before on that day, if it was."""
    before = [one for one in _told(progress, claim.subject, day_of(claim.since)) if one.at != claim.since]
    words = _words(progress, claim.object)
    same = [one for one in before if one.words <= words or words <= one.words]
    if not progress.said:  # else we have said already that what it ends is done
        progress.say("did_noted", what=_line(progress, _deed(progress, claim)))
    if same:
        progress.say("did_before", list=_list(progress, same))
    progress.settled = progress.settled or progress.little_beside([span])
    held = [one for one in _claims(progress, claim.subject) if _words(progress, one.object) == words]
    for old in held[: max(0, len(held) - KEPT)]:
        progress.ledger.set(old, until=progress.now.wall)


def answer(progress: Progress, command: Command) -> None:
    """Say whether something was done: when, or that nobody has told."""
    asked = _words(progress, command.argument)
    period = _period(progress)
    told = _told(progress, _who(progress, command.who), period)
    if not command.who:
        told += [one for one in _done(progress, period) if all(one.at != other.at for other in told)]
    done = [one for one in told if asked <= one.words]
    perhaps = [one for one in told if one.words < asked]
    if done:
        progress.say("did_yes", list=_list(progress, done))
    elif perhaps:
        progress.say("did_perhaps", list=_list(progress, perhaps))
    else:
        progress.say("did_not_told")


def _who(progress: Progress, said: str) -> str:
    """Return whose deeds are asked about: a family word by the name its relation goes under."""
    text = progress.reading.utterance.text
    named = (one.name for one in progress.reading.mentions if text[slice(*one.span)].lower() == said.lower())
    return next(named, said) if said else USER


def _beside(times: tuple[TimeMention, ...], span: Span) -> TimeMention | None:
    """Return the time said nearest to a stretch of text; None when there is none."""
    started = [one for one in times if one.start is not None]
    return min(started, key=lambda one: max(one.span[0] - span[1], span[0] - one.span[1]), default=None)


def _period(progress: Progress) -> tuple[datetime, datetime]:
    """Return the time that is asked about: what was said, else today; the last day while nobody knows the date."""
    if progress.now.doubt:
        return progress.now.wall - DAY, progress.now.wall + DAY
    for one in progress.reading.times:
        if one.start is not None:
            return one.start, one.end or one.start + timedelta(hours=1)
    return day_of(progress.now.wall)


def day_of(at: datetime) -> tuple[datetime, datetime]:
    """Return the beginning of a day and of the next."""
    start = at.replace(hour=0, minute=0, second=0, microsecond=0)
    return start, start + DAY


def _claims(progress: Progress, subject: str = "") -> Iterator[Claim]:
    """Yield the deeds that hold, oldest first."""
    return (
        one
        for one in progress.state.claims.values()
        if one.predicate == DEED and one.until is None and (not subject or one.subject.lower() == subject.lower())
    )


def _told(progress: Progress, subject: str, period: tuple[datetime, datetime]) -> list[Deed]:
    start, end = period
    return [_deed(progress, one) for one in _claims(progress, subject) if start <= one.since < end]


def _done(progress: Progress, period: tuple[datetime, datetime]) -> list[Deed]:
    """Return the items that were done with in that time."""
    start, end = period
    return [
        Deed(one.done_at, one.text, _words(progress, one.text))
        for one in progress.state.pending_items.values()
        if one.done_at is not None and start <= one.done_at < end
    ]


def _deed(progress: Progress, claim: Claim) -> Deed:
    joint = "" if progress.language is not None and progress.language.joined else " "
    text = claim.object if claim.subject == USER else f"{claim.subject}{joint}{claim.object}"
    return Deed(claim.since, text, _words(progress, claim.object), _grain(progress, claim))


def _grain(progress: Progress, claim: Claim) -> str:
    """Return how exactly the time of a deed is known: "this morning" gives the day alone."""
    for one in claim.origin:
        statement = progress.state.statements.get(one)
        for said in statement.times if statement is not None else ():
            if said.start == claim.since and said.end is not None:
                return "day"
    return "minute"


def _list(progress: Progress, deeds: list[Deed]) -> str:
    newest = sorted(deeds, key=lambda one: one.at)[-TOLD_MOST:]
    return progress.phrase("list_joint").join(_line(progress, one) for one in newest)


def _line(progress: Progress, deed: Deed) -> str:
    return progress.phrase("did_line", when=spoken.when(progress, deed.at, deed.grain), what=deed.text)


def _words(progress: Progress, text: str) -> frozenset[str]:
    """Return what a deed is compared by: its terms, or its characters in a script without spaces.

    Whatever is a medicine is also just that, so that "my pill" finds "the amlodipine".
    """
    language = progress.read_in or progress.language
    folded = text.lower()
    names = [one.name.lower() for one in progress.state.entity_map.values() if one.kind == MEDICINE]
    table = _table(language)
    generic = any(name in folded for name in names)
    for word, meant in table.items():
        if word in folded:
            generic = generic or meant == MEDICINE
            folded = folded.replace(word, " " if meant == MEDICINE else meant)
    if language is not None and language.joined:
        found = set(filter(str.isalnum, folded))
    else:
        found = set(terms(folded, language))
    return frozenset(found | {MEDICINE}) if generic else frozenset(found)


def _table(language: Language | None) -> Mapping[str, str]:
    """Return table `[deeds]` of `predicates.toml`: word → the word it counts as, "medicine" for any medicine."""
    found: Mapping[str, str] = language.tables.get("predicates", {}).get("deeds", {}) if language else {}
    return found
