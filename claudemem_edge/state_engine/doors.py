"""Orders that only a door or the alarm gives, on records named by their id. A wrong one is refused, not asked about."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from claudemem_edge.errors import BadRequest
from claudemem_edge.state_engine import item_change, item_moves, item_orders
from claudemem_edge.state_engine.item_due import wall_due
from claudemem_edge.state_engine.items import new_item

if TYPE_CHECKING:
    from collections.abc import Callable

    from claudemem_edge.shapes.memory import Item
    from claudemem_edge.shapes.reading import Command
    from claudemem_edge.state_engine.progress import Progress

MISSED_AFTER_S = 60.0
SNOOZE_MOST_S = 366 * 86400.0
TEXT_MOST_CHARS = 2000


def obey(progress: Progress, command: Command) -> None:
    """Carry out an order on an item. Raises BadRequest."""
    if command.kind == "add":
        _add(progress, command.argument)
        return
    id_, _, rest = command.argument.strip().partition(" ")
    item = progress.state.pending_items.get(id_)
    if item is None:
        raise BadRequest("there is no item with this id", hint="ask for the pending items and use an id such as p7")
    ORDERS[command.kind](progress, item, rest.strip())


def _add(progress: Progress, text: str) -> None:
    kept = " ".join(text.split())
    if not kept or len(kept) > TEXT_MOST_CHARS:
        raise BadRequest("an item needs a text of 1 to 2000 characters", hint="give the text as the argument")
    item = new_item(progress, kept, "task", ())
    if not item.asked_at_door:
        progress.ledger.set(item, asked_at_door=progress.reading.utterance.speaker)
    item_change.tell(progress, "stored", item)


def _fire(progress: Progress, item: Item, _: str) -> None:
    """Let an item sound. One that recurs and was never answered moves on to its next occurrence, if that has come."""
    _require(item, item_change.OPEN)
    due = item.due
    if due is None:
        raise BadRequest("this item has no time", hint="give it one with change")
    following = item_change.next_due(item, due.at()) if item.state == "triggered" else None
    if following is not None and following.seconds_left(progress.now) <= 0:
        due = following
    late = -due.seconds_left(progress.now) > MISSED_AFTER_S
    now = progress.now
    progress.ledger.set(item, state="triggered", due=due, fired_at=now, told_at=now, heard=False, missed=late)
    progress.change("triggered", "item", item.id, due=due.at().isoformat(), text=item.text)


def _tell(progress: Progress, item: Item, _: str) -> None:
    """Note that the notice of an item was given again."""
    _require(item, item_change.OPEN)
    progress.ledger.set(item, told_at=progress.now)


def _acknowledge(progress: Progress, item: Item, _: str) -> None:
    _require(item, frozenset({"triggered"}))
    item_orders.acknowledge_item(progress, item)


def _expire(progress: Progress, item: Item, _: str) -> None:
    _require(item, item_change.OPEN)
    item_change.finish(progress, item, "expired")


def _done(progress: Progress, item: Item, _: str) -> None:
    _require(item, item_change.OPEN | {"expired"})
    item_orders.done(progress, item)


def _cancel(progress: Progress, item: Item, _: str) -> None:
    _require(item, item_change.OPEN | {"expired"})
    item_orders.cancel(progress, item)


def _snooze(progress: Progress, item: Item, seconds: str) -> None:
    _require(item, item_change.OPEN | {"expired"})
    try:
        delay_s = float(seconds or item_moves.SNOOZE_S)
    except ValueError:
        delay_s = 0.0
    if not 0.0 < delay_s <= SNOOZE_MOST_S:
        raise BadRequest("snooze needs a number of seconds", hint='such as "p7 600"')
    item_moves.snooze_for(progress, item, delay_s)


def _change(progress: Progress, item: Item, when: str) -> None:
    if progress.now.doubt:
        raise BadRequest("this machine's clock is not set", hint="put the item off by seconds, or set the clock")
    zone = progress.now.wall.tzinfo
    try:
        at = datetime.fromisoformat(when)
        at = at.replace(tzinfo=zone) if at.tzinfo is None else at.astimezone(zone)
    except (ValueError, OverflowError):
        raise BadRequest("change needs a date and time in ISO 8601", hint='such as "p7 2026-03-12T10:00"') from None
    if at.timestamp() <= progress.now.wall.timestamp():
        raise BadRequest("this time has gone by", hint="give a time to come")
    progress.ledger.set(
        item, due=wall_due(at), grain="minute", state="pending", kind="reminder", fired_at=None, missed=False
    )
    item_change.tell(progress, "changed", item)


def _require(item: Item, states: frozenset[str]) -> None:
    if item.state not in states:
        raise BadRequest("this item is over already", hint="ask for the pending items")


ORDERS: dict[str, Callable[[Progress, Item, str], None]] = {
    "fire": _fire,
    "tell": _tell,
    "acknowledge": _acknowledge,
    "expire": _expire,
    "done": _done,
    "cancel": _cancel,
    "snooze": _snooze,
    "change": _change,
}
KINDS = frozenset({*ORDERS, "add"})
