"""Reminders that wait for an event: "when I get home", told by the user or seen by a device.

An event has come when somebody says just that, and nothing more: "I am home" does, "I will be home late" does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from claudemem_edge.shapes.times import ElapsedDue
from claudemem_edge.state_engine import item_change
from claudemem_edge.state_engine.trigger_words import is_every, words

if TYPE_CHECKING:
    from claudemem_edge.shapes.memory import Item
    from claudemem_edge.state_engine.progress import Progress

USER, EVENT = "user", "event"
SPEAKERS = frozenset({USER, EVENT})


def notice_events(progress: Progress) -> None:
    """Let every item sound whose event these words tell."""
    reading = progress.reading
    waiting = [one for one in progress.state.pending_items.values() if one.trigger and one.state == "pending"]
    if not waiting or reading.utterance.speaker not in SPEAKERS:
        return
    clauses = [one.text for one in reading.clauses if one.asserted and not one.question]
    told = [words(text, progress.read_in) for text in clauses]
    for item in waiting:
        language = progress.lexicon.languages.get(item.language)
        event = words(item.trigger, language)
        if event and event in told and item.due is None:
            _sound(progress, item, again=is_every(item.trigger, language))


def _sound(progress: Progress, item: Item, *, again: bool) -> None:
    """Tell the user at once; of what a device has seen, let the alarm tell whoever listens."""
    now = progress.now
    if progress.reading.utterance.speaker == EVENT:
        progress.ledger.set(item, due=ElapsedDue(now.boot_s, now.wall))
        item_change.tell(progress, "changed", item)
        return
    if not again:
        progress.ledger.set(item, state="triggered", fired_at=now)
    progress.change("triggered", "item", item.id, text=item.text)
    progress.say("item_now", what=item.text)
    progress.settled = progress.settled or len(progress.reading.clauses) == 1
