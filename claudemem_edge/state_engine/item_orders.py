"""Orders about items: done, cancel, snooze, by a voice or by a door."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from claudemem_edge.language.terms import terms
from claudemem_edge.state_engine import item_change, item_moves, items, spoken
from claudemem_edge.state_engine.item_due import appoint
from claudemem_edge.state_engine.item_places import in_order, pointed_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from claudemem_edge.shapes.memory import Item
    from claudemem_edge.shapes.reading import Command
    from claudemem_edge.state_engine.progress import Progress

MOVES = frozenset({"change", "later", "earlier"})
IF_ITEM = MOVES | {"call_off"}
"""Orders whose words may be about anything: they are orders where an item answers to them."""
EVERY = "*"
"""The argument of an order that is about all open items."""
ITEM_ID = re.compile(r"p\d+")
AHEAD_MOST_S = 12 * 3600.0
"""How long before its time a recurring item can be done with."""
THAT, JUST_TURNS = "-", 3
"""The argument of an order that points ("cancel that"), and how many turns ago what it points at was spoken of."""
NAMED_MOST = 4
"""How many items a question names before it only counts them."""


def obey(progress: Progress, command: Command) -> None:
    """Carry out an order of the user on the item it means, or ask which one is meant."""
    if command.kind in IF_ITEM and command.argument != THAT and not meant(progress, command.argument):
        return  # what is meant is no item: it may be a fact, which is for the corrections to find, or something else
    if command.argument == THAT:
        for item in _spoken_of(progress):
            ORDERS[command.kind](progress, item)
        return  # and if nothing was just spoken of, it is about something else
    words = "" if command.kind == "snooze" and progress.reading.times else command.argument
    found = open_items(progress) if words == EVERY else meant(progress, words)
    if words == EVERY and command.kind == "cancel" and len(found) > 1:
        cancel_all(progress, found)
        return
    if command.kind == "done":
        found = [one for one in found if not _of_another_day(progress, one)]
    if len(found) == 1 or (found and words == EVERY):
        for item in found:
            ORDERS[command.kind](progress, item)
    elif found:
        ask_which(progress, command, found)
    else:
        _without_item(progress, command, words)


def _without_item(progress: Progress, command: Command, words: str) -> None:
    """Answer an order that finds no item: "remind me in five minutes", with nothing to put off, asks for a new one."""
    if command.kind == "snooze" and progress.reading.times:
        time = progress.reading.times[0]
        items.without_text(progress, command.span, appoint(time, progress.now, progress.read_in))
    elif command.kind != "done":  # without an item to end, "I have done it" is just a story
        progress.say("item_not_found" if words and words != EVERY else "nothing_pending")


def _spoken_of(progress: Progress) -> list[Item]:
    """Return the item that has sounded last, else the one just made or changed."""
    sounded = [one for one in meant(progress, "") if one.state == "triggered"]
    recent = [one for one in open_items(progress) if progress.state.turn - one.turn <= JUST_TURNS]
    return sounded[:1] or sorted(recent, key=lambda one: one.turn)[-1:]


def meant(progress: Progress, words: str) -> list[Item]:
    """Return the open items an order can mean: by id, by its words, the one that sounded last, the only one."""
    items = open_items(progress)
    named = words.lower().strip()
    if ITEM_ID.fullmatch(named):
        return [one for one in items if one.id == named]
    best = by_words(progress, items, named) if named else []
    if len(best) == 1:
        return best
    if named and not best:
        return pointed_at(progress, items, named)
    sounded = [one for one in best or items if one.state == "triggered"]
    if sounded:
        return [max(sounded, key=lambda one: one.fired_at.boot_s if one.fired_at else 0.0)]
    return best or items


def by_words(progress: Progress, items: Iterable[Item], words: str) -> list[Item]:
    """Return the items that share most with these words, if any."""
    scored = [(_likeness(progress, one.text.lower(), words.lower()), one) for one in items]
    most = max((score for score, _ in scored), default=0)
    return [one for score, one in scored if score == most] if most else []


def open_items(progress: Progress) -> list[Item]:
    """Return the items that are still to happen or have sounded, oldest first."""
    return [one for one in progress.state.pending_items.values() if one.state in item_change.OPEN]


def ask_which(progress: Progress, command: Command, items: list[Item]) -> None:
    """Say which items it may be, and let the next words tell. The question keeps the order, with its seconds."""
    items = in_order(items)
    joint = progress.phrase("list_joint")
    texts = [one.text for one in items]
    named = [(one, spoken.due(progress, one) if texts.count(one.text) > 1 else "") for one in items[:NAMED_MOST]]
    listed = joint.join(
        progress.phrase("item_named", id=one.id, what=f"{when} {one.text}".strip()) for one, when in named
    )
    ids = tuple(one.id for one in items)
    progress.ask(
        "which_item",
        "ask_which",
        about=f"{command.kind} {_detail(progress, command)}".strip(),
        choices=ids,
        count=len(items),
        items=listed,
    )


def _detail(progress: Progress, command: Command) -> str:
    """Return what an order needs besides its item: seconds, earlier ones below zero, or a time or hour in ISO 8601."""
    seconds = item_moves.said_seconds(progress) if command.kind in {"snooze", "later", "earlier"} else None
    if seconds:
        return f"{-seconds if command.kind == 'earlier' else seconds:.0f}"
    mention = item_moves.said_time(progress) if command.kind in MOVES else None
    if mention is not None:
        return mention.start.isoformat() if mention.start is not None else ""
    hour = item_moves.said_hour(progress) if command.kind == "change" else None
    return f"{item_moves.HOUR}{hour:02}" if hour is not None else ""


def _of_another_day(progress: Progress, item: Item) -> bool:
    """Tell whether a recurring item is so far ahead that what was done now was not its next time."""
    waits = item.state == "pending" and item.due is not None and bool(item.recurrence)
    return waits and item.due is not None and item.due.seconds_left(progress.now) > AHEAD_MOST_S


def _likeness(progress: Progress, text: str, words: str) -> int:
    """Return how many terms two texts share; in a script without spaces characters, if they are most of the shorter.

    The words of an order often stand in another sequence than those of the item ("the pills are taken").
    """
    language = progress.read_in or progress.language
    if language is None or not language.joined:
        return len(set(terms(text, language)) & set(terms(words, language)))
    one, other = set(filter(str.isalnum, text)), set(filter(str.isalnum, words))
    shared = len(one & other)
    return shared if shared * 3 >= min(len(one), len(other)) * 2 else 0


def done(progress: Progress, item: Item) -> None:
    """End an item; a recurring one waits for its next time."""
    again = item_change.finish(progress, item, "done")
    if again is not None:
        progress.say("item_done_again", what=item.text, when=spoken.when(progress, again.at()))
    else:
        progress.say("item_done", what=item.text)


def acknowledge_item(progress: Progress, item: Item) -> None:
    """Let the notice of an item rest; a recurring one waits for its next time."""
    progress.ledger.set(item, heard=True)
    progress.change("acknowledged", "item", item.id, text=item.text)
    progress.say("item_heard", what=item.text)


def cancel(progress: Progress, item: Item) -> None:
    """Call an item off for good."""
    item_change.finish(progress, item, "cancelled")
    progress.say("item_cancelled", what=item.text)


def cancel_all(progress: Progress, items: list[Item]) -> None:
    """Call off several items and say how many."""
    for item in items:
        item_change.finish(progress, item, "cancelled")
    progress.say("items_cancelled", count=len(items))


ORDERS: dict[str, Callable[[Progress, Item], None]] = {
    "done": done,
    "cancel": cancel,
    "call_off": cancel,
    "snooze": item_moves.snooze,
    "change": item_moves.change,
    "later": item_moves.put_later,
    "earlier": item_moves.put_earlier,
}
