"""The one time a reminder has, out of all that were said around its words: "at five, to fetch Sam, tomorrow"."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING

from claudemem_edge.language.said_time import clock_alone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claudemem_edge.language.pack import Language
    from claudemem_edge.shapes.reading import Span
    from claudemem_edge.shapes.times import TimeMention

CLOCK_GRAINS = frozenset({"second", "minute", "hour"})
HALF_DAY = timedelta(hours=12)
DAY_S = 86400


@dataclass(slots=True, frozen=True)
class Settled:
    """The time, whether it was understood as a whole, and where the words to keep stand: a time may belong to them."""

    time: TimeMention | None
    clear: bool
    text: Span


def settle(inside: Sequence[TimeMention], text: Span, language: Language) -> Settled:
    """Join the times beside the words; what fits nothing and comes after them belongs to them ("tickets for Saturday").

    Where there is none beside them, the one among them counts; a mere length only if there is nothing else. In a script
    without spaces a day after a clock time begins the words: "at three remind me: tomorrow the form is due".
    """
    beside = [one for one in inside if one.span[1] <= text[0] or text[1] <= one.span[0]]
    telling = [one for one in beside if one.start is not None or one.recurrence]
    if not telling:
        return Settled(min(beside or inside, key=lambda one: one.start is None, default=None), True, text)
    time, clear, (first, last) = telling[0], True, text
    for one in telling[1:]:
        joined = join(time, one, language)
        if language.joined and joined is not None and clock_alone(time, language) and one.span[1] <= text[0]:
            first = one.span[0]
        elif joined is not None:
            time = joined
        elif one.span[0] >= text[1] and telling[0].span[1] <= text[0]:
            last = one.span[1]
        else:
            clear = False
    return Settled(time, clear, (first, last))


def ahead_of(settled: Settled, ahead: Sequence[TimeMention]) -> Settled:
    """Return the time so much earlier: "the doctor is at nine, remind me an hour before". Not clear if it cannot be."""
    seconds = ahead[0].duration_s if len(ahead) == 1 else None
    time = settled.time
    if time is None or time.start is None or not seconds or (time.grain not in CLOCK_GRAINS and seconds % DAY_S):
        return replace(settled, clear=False)
    shift = timedelta(seconds=seconds)
    start, end = time.start - shift, time.end and time.end - shift
    plain = [
        part for part in (time.recurrence or "").split(";") if part and not part.startswith(("BYHOUR", "BYMINUTE"))
    ]
    early = replace(
        time,
        start=start,
        end=end,
        grain="minute" if time.grain in CLOCK_GRAINS else time.grain,
        recurrence=";".join(plain) or None,
    )
    return replace(settled, time=early, clear=settled.clear and (not plain or start.date() == time.start.date()))


def join(one: TimeMention, other: TimeMention, language: Language) -> TimeMention | None:
    """Return what a day and a clock time said apart mean together; None for two times of one kind."""
    for day, clock in ((one, other), (other, one)):
        if clock.start is not None and clock_alone(clock, language) and day.start is not None and _lacks_clock(day):
            return _at(day, day.start, clock, clock.start.time())
    return None


def _lacks_clock(day: TimeMention) -> bool:
    if day.elapsed or "BYHOUR" in (day.recurrence or ""):
        return False
    return day.grain == "day" or bool(day.recurrence) or (day.grain in CLOCK_GRAINS and day.end is not None)


def _at(day: TimeMention, start: datetime, clock: TimeMention, said: time) -> TimeMention:
    """Return the day at that clock time; where both halves fit, a part of the day decides."""
    at = datetime.combine(start.date(), said, tzinfo=start.tzinfo)
    halves = [at.replace(hour=at.hour % 12), at.replace(hour=at.hour % 12) + HALF_DAY] if clock.either_half else [at]
    if len(halves) > 1 and day.grain in CLOCK_GRAINS and day.end is not None:
        halves = [half for half in halves if start <= half < day.end] or halves
    return replace(
        clock,
        start=halves[0],
        recurrence=day.recurrence,
        ambiguous=len(halves) > 1,
        either_half=len(halves) > 1,
        rule=day.rule,
        span=min(day.span, clock.span),
    )
