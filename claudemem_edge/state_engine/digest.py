"""What was told in a day or a week: what holds of it, what was done, what is to happen, and the rest."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

from claudemem_edge.errors import BadRequest
from claudemem_edge.state_engine import deeds, spoken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from claudemem_edge.shapes.memory import Statement
    from claudemem_edge.shapes.reading import Command
    from claudemem_edge.state_engine.progress import Progress

TOLD_MOST = 8
DAY = timedelta(days=1)


def answer(progress: Progress, command: Command) -> None:
    """Say what the user has told in the time asked about, today if none was said. Raises BadRequest to a door.

    A door names the first day and how many days: "2026-03-11 7".
    """
    said = next((one for one in progress.reading.times if one.start is not None), None)
    if command.argument and progress.from_door:
        start, end = _days(progress, command.argument)
        when = spoken.when(progress, start, "day")
    else:
        start = said.start if said is not None and said.start is not None else deeds.day_of(progress.now.wall)[0]
        end = said.end if said is not None and said.end is not None else start + DAY
        when = said.text if said is not None else progress.phrase("today")
    told = list(dict.fromkeys(_told(progress, start, end)))
    if not told:
        progress.say("digest_nothing", when=when)
        return
    joint = progress.phrase("list_joint")
    key = "digest" if len(told) <= TOLD_MOST else "digest_more"
    progress.say(key, when=when, list=joint.join(told[:TOLD_MOST]), more=len(told) - TOLD_MOST)


def _days(progress: Progress, argument: str) -> tuple[datetime, datetime]:
    day, _, count = argument.partition(" ")
    try:
        start = datetime.combine(date.fromisoformat(day), time(), progress.now.wall.tzinfo)
        return start, start + int(count or 1) * DAY
    except (ValueError, OverflowError):
        raise BadRequest("this is no day", hint="give it as in 2026-03-11") from None


def _told(progress: Progress, start: datetime, end: datetime) -> Iterator[str]:
    """Yield what was told in that time, each thing once: what says most first."""
    state = progress.state
    heard = {one.id: one for one in state.statements.values() if start <= one.said_at < end and one.speaker == "user"}
    covered: set[int] = set()
    for claim in state.claims.values():
        if claim.open and heard.keys() & set(claim.origin):
            covered.update(claim.origin)
            yield spoken.claim(progress, claim)
    for item in state.pending_items.values():
        if heard.keys() & set(item.origin):
            covered.update(item.origin)
            yield spoken.item_line(progress, item)
    for topic in state.topic_chain:
        spoken_of = [heard[one] for first, last in topic.spans for one in range(first, last + 1) if one in heard]
        telling = [one for one in spoken_of if one.id not in covered and one.shown and not one.question]
        best = next((one for one in telling if one.id == topic.anchor), max(telling, key=_length, default=None))
        if best is not None:
            yield best.text


def _length(statement: Statement) -> int:
    return len(statement.text)
