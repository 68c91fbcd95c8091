"""Orders about items: done, cancel, snooze, by a voice or by a door."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from claudemem_edge.language.terms import terms
from claudemem_edge.shapes.times import ElapsedDue
from claudemem_edge.state_engine import item_change, spoken
from claudemem_edge.state_engine.item_due import Appointment, appoint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from claudemem_edge.shapes.memory import Item
    from claudemem_edge.shapes.reading import Command
    from claudemem_edge.state_engine.progress import Progress

SNOOZE_S = 600.0
ITEM_ID = re.compile(r"p\d+")
NAMED_MOST = 4
"""How many items a question names before it only counts them."""


def obey(progress: Progress, command: Command) -> None:
    """Carry out an order of the user on the item it means, or ask which one is meant."""
    found = meant(progress, command.argument)
    if len(found) == 1:
        ORDERS[command.kind](progress, found[0])
    elif found:
        ask_which(progress, command.kind, found)
    elif not command.argument:
        progress.say("nothing_pending")
    elif command.whole:
        progress.say("item_not_found")


def meant(progress: Progress, words: str) -> list[Item]:
    """Return the open items an order can mean: by id, by its words, the one that sounded last, the only one."""
    items = open_items(progress)
    named = words.lower().strip()
    if ITEM_ID.fullmatch(named):
        return [one for one in items if one.id == named]
    best = by_words(progress, items, named) if named else []
    if len(best) == 1:
        return best
    sounded = [one for one in best or items if one.state == "triggered"]
    if sounded:
        return [max(sounded, key=lambda one: one.fired_at.boot_s if one.fired_at else 0.0)]
    return best if best or named else items


def by_words(progress: Progress, items: Iterable[Item], words: str) -> list[Item]:
    """Return the items that share most terms with these words, if any."""
    wanted = set(terms(words.lower(), progress.language))
    scored = [(len(wanted & set(terms(one.text.lower(), progress.language))), one) for one in items]
    most = max((score for score, _ in scored), default=0)
    return [one for score, one in scored if score == most] if most else []


def open_items(progress: Progress) -> list[Item]:
    """Return the items that are still to happen or have sounded, oldest first."""
    return [one for one in progress.state.pending_items.values() if one.state in item_change.OPEN]


def ask_which(progress: Progress, order: str, items: list[Item]) -> None:
    """Say which items it may be, and let the next words tell."""
    joint = progress.phrase("list_joint")
    listed = joint.join(progress.phrase("item_named", id=one.id, what=one.text) for one in items[:NAMED_MOST])
    ids = tuple(one.id for one in items)
    progress.ask("which_item", "ask_which", about=order, choices=ids, count=len(items), items=listed)


def done(progress: Progress, item: Item) -> None:
    """End an item; a recurring one waits for its next time."""
    again = item_change.finish(progress, item, "done")
    if again is not None:
        progress.say("item_done_again", what=item.text, when=spoken.when(progress, again.at()))
    else:
        progress.say("item_done", what=item.text)


def cancel(progress: Progress, item: Item) -> None:
    """Call an item off for good."""
    item_change.finish(progress, item, "cancelled")
    progress.say("item_cancelled", what=item.text)


def snooze(progress: Progress, item: Item) -> None:
    """Put an item off: to the time that was said, or by ten minutes."""
    mention = next(iter(progress.reading.times), None)
    appointment = appoint(mention, progress.now)
    if appointment.due is not None and not appointment.missing:
        postpone(progress, item, appointment)
        return
    seconds = mention.duration_s if mention is not None and mention.duration_s else SNOOZE_S
    snooze_for(progress, item, seconds)


def snooze_for(progress: Progress, item: Item, seconds: float) -> None:
    """Put an item off by a distance on the boot clock."""
    now = progress.now
    wall = spoken.later(now.wall, seconds)
    postpone(progress, item, Appointment("", ElapsedDue(now.boot_s + seconds, wall), wall))


def postpone(progress: Progress, item: Item, appointment: Appointment) -> None:
    """Let an item sound again later; what recurs keeps its rule."""
    progress.ledger.set(item, due=appointment.due, state="pending", fired_at=None, missed=False)
    item_change.tell(progress, "snoozed", item)
    if appointment.at is not None:
        progress.say("item_snoozed", what=item.text, when=spoken.when(progress, appointment.at))


ORDERS: dict[str, Callable[[Progress, Item], None]] = {"done": done, "cancel": cancel, "snooze": snooze}
