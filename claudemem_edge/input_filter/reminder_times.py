"""The one time a reminder has, out of all that were said around its words: "at five, to fetch Sam, tomorrow"."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from claudemem_edge.language.said_time import WINDOW, clock_alone, made_by

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from claudemem_edge.language.pack import Language
    from claudemem_edge.shapes.reading import Span
    from claudemem_edge.shapes.times import TimeMention

CLOCK_GRAINS = frozenset({"second", "minute", "hour"})
HALF_DAY = timedelta(hours=12)
DAY_S = 86400
NOON = 12


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
    for one in beside:
        if one not in telling and time.recurrence:
            time = _limited(time, one)
    return Settled(time, clear, (first, last))


def cut_apart(inside: Sequence[TimeMention], language: Language) -> bool:
    """Tell whether two times touch: then they are one expression that was not understood, but where one is a limit."""
    return any(
        one.span[1] == other.span[0] and not (_limits(one, language) or _limits(other, language))
        for one, other in pairwise(inside)
    )


def _limits(one: TimeMention, language: Language) -> bool:
    """Tell whether a time can say how long a repetition goes on, or from when."""
    open_ended = (one.start is None) != (one.end is None) and one.grain == "day" and not one.recurrence
    return made_by(one, language) == WINDOW or open_ended or (one.duration_s or 0) >= DAY_S


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


def in_the_morning(time: TimeMention, language: Language) -> TimeMention:
    """Return the morning of the two halves that fit: nobody is woken at seven in the evening without saying so."""
    if not time.either_half or time.start is None:
        return time
    late = time.start.hour >= NOON
    start = time.start + (HALF_DAY if clock_alone(time, language) else -HALF_DAY) if late else time.start
    return replace(time, start=start, ambiguous=False, either_half=False)


def join(one: TimeMention, other: TimeMention, language: Language) -> TimeMention | None:
    """Return what a day and a clock time, or a repetition and its limits, said apart mean together; None for others."""
    for day, clock in ((one, other), (other, one)):
        if made_by(day, language) == WINDOW and day.end is not None and clock.start is not None:
            return _within(day, day.end, clock, clock.start, language)
        if day.start is not None and day.end is None and day.grain == "day" and clock.recurrence and clock.start:
            return replace(clock, start=max(clock.start, datetime.combine(day.start, clock.start.timetz())))
        if clock.start is not None and clock_alone(clock, language) and day.start is not None and _lacks_clock(day):
            return _at(day, day.start, clock, clock.start.time())
    return None


def _within(
    window: TimeMention, end: datetime, time: TimeMention, start: datetime, language: Language
) -> TimeMention | None:
    """Return a repetition, or a clock time each day, until the window closes: "for the next five days at eight"."""
    if not time.recurrence and not clock_alone(time, language):
        return None
    begun = window.start is not None and start.date() == window.start.date()
    last = end.date() - timedelta(days=1) if begun else end.date()
    return _ending(time if time.recurrence else replace(time, recurrence="FREQ=DAILY"), last)


def _limited(time: TimeMention, limit: TimeMention) -> TimeMention:
    """Return a repetition that ends with a day ("until Friday") or after a length of time ("for a week")."""
    if limit.end is not None:
        return _ending(time, (limit.end - timedelta(microseconds=1)).date())
    if limit.duration_s and limit.duration_s >= DAY_S and time.start is not None:
        return _ending(time, time.start.date() + timedelta(days=limit.duration_s // DAY_S - 1))
    return time


def _ending(time: TimeMention, last: date) -> TimeMention:
    return replace(time, recurrence=f"{time.recurrence};UNTIL={last:%Y%m%d}")


def _lacks_clock(day: TimeMention) -> bool:
    if day.elapsed or "BYHOUR" in (day.recurrence or ""):
        return False
    return day.grain == "day" or bool(day.recurrence) or (day.grain in CLOCK_GRAINS and day.end is not None)


def _at(day: TimeMention, start: datetime, clock: TimeMention, said: time) -> TimeMention:
    """Return the day at that clock time; where both halves fit, a part of the day decides."""
    on = start.date()
    if day.recurrence and clock.start is not None and day.recurrence.startswith("FREQ=DAILY"):
        on = max(on, clock.start.date())  # today's eight o'clock may have gone by
    at = datetime.combine(on, said, tzinfo=start.tzinfo)
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
