"""Which of several items is meant by its place in the list ("the second one") or by its time ("the 9 pm one")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claudemem_edge.state_engine.item_due import CLOCK_GRAINS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from claudemem_edge.shapes.memory import Item
    from claudemem_edge.shapes.times import TimeMention
    from claudemem_edge.state_engine.progress import Progress

BESIDE_CHARS, BESIDE_CHARS_JOINED = 3, 1
"""Room for a word that only counts, such as "one"; in scripts without spaces it takes a single character."""


def in_order(items: Iterable[Item]) -> list[Item]:
    """Return items as they are listed: soonest first, those without a time last."""
    return sorted(items, key=lambda one: (one.due is None, one.due.at().timestamp() if one.due else 0.0))


def pointed_at(progress: Progress, items: Sequence[Item], words: str, beside_chars: int = 0) -> list[Item]:
    """Return the items that these words mean by a place in the list, else those of a time that was said.

    With more than so many characters beside that, the words name something else that is not on the list; 0: as many
    as a mere order may have.
    """
    joined = progress.read_in is not None and progress.read_in.joined
    beside_chars = beside_chars or (BESIDE_CHARS_JOINED if joined else BESIDE_CHARS)
    listed = in_order(items)
    places = progress.phrase("place_words").split("|")
    last = [word for word in progress.phrase("last_words").split("|") if _alone(words, word, beside_chars)]
    found = [at for at, word in enumerate(places) if _alone(words, word, beside_chars)]
    if found or last:
        return listed[found[0] : found[0] + 1] if found else listed[-1:]
    times = [one for one in progress.reading.times if _alone(words, one.text.lower(), beside_chars)]
    return [item for item in listed if any(_is_due(item, time) for time in times)]


def _alone(words: str, word: str, beside_chars: int) -> bool:
    """Tell whether a word stands among words, in scripts with spaces as one of its own, with little beside it."""
    before, found, after = words.partition(word)
    apart = not word.isascii() or not (before[-1:].isalnum() or after[:1].isalnum())
    return bool(found) and apart and len(before.strip() + after.strip()) <= beside_chars


def _is_due(item: Item, time: TimeMention) -> bool:
    if item.due is None or time.start is None:
        return False
    due, said = item.due.at(), time.start
    if time.grain not in CLOCK_GRAINS:
        return due.date() == said.date()
    same_hour = due.hour == said.hour or (time.ambiguous and due.hour % 12 == said.hour % 12)
    return same_hour and due.minute == said.minute
