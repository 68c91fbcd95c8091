"""Changes of one item: its time, its state, and what is said about them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from claudemem_edge.shapes.times import WallDue
from claudemem_edge.state_engine import recurrence, spoken
from claudemem_edge.state_engine.item_answer import settle
from claudemem_edge.state_engine.trigger_words import is_every

if TYPE_CHECKING:
    from claudemem_edge.shapes.memory import Item
    from claudemem_edge.shapes.times import TimeMention
    from claudemem_edge.state_engine.item_due import Appointment
    from claudemem_edge.state_engine.progress import Progress

OPEN = frozenset({"pending", "triggered"})


def set_due(progress: Progress, item: Item, appointment: Appointment) -> None:
    """Give an item its time, as far as it is known, and let it wait for that."""
    starts = appointment.at.date() if appointment.recurrence and appointment.at else None
    progress.ledger.set(
        item,
        due=appointment.due,
        grain=appointment.grain,
        recurrence=appointment.recurrence,
        starts=starts,
        state="pending",
        fired_at=None,
        missed=False,
        kind="reminder" if appointment.due is not None else item.kind,
        turn=progress.state.turn,
    )


def tell(progress: Progress, kind: str, item: Item) -> None:
    """Tell the caller that an item was stored, changed, done, cancelled or snoozed."""
    due = item.due.at().isoformat() if item.due else ""
    progress.change(kind, "item", item.id, text=item.text, due=due, recurrence=item.recurrence)


def announce(progress: Progress, item: Item, appointment: Appointment, *, unclear: bool = False) -> None:
    """Say when the item is due, or ask for what is missing."""
    if not appointment.missing:
        if appointment.recurrence:
            grain = "minute" if recurrence.step_s(appointment.recurrence) else "day"
            first = spoken.when(progress, appointment.at, grain) if appointment.at else ""
            progress.say("item_every", when=spoken.due(progress, item), what=item.text, first=first)
        else:
            progress.say("item_set", when=spoken.due(progress, item), what=item.text)
        return
    if progress.state.open_question is not None:  # one question at a time
        progress.say("item_without_time", what=item.text)
        return
    _ask(progress, item, appointment, unclear=unclear)


def put(progress: Progress, item: Item, appointment: Appointment) -> None:
    """Move an item to an appointment, if it can have it, and say so, or ask for what is missing."""
    if appointment.usable:
        set_due(progress, item, appointment)
        tell(progress, "changed", item)
    announce(progress, item, appointment)


def reschedule(progress: Progress, item: Item, mention: TimeMention) -> None:
    """Move an item to the time a correction names; the day stays if only a clock time was said."""
    put(progress, item, settle(progress, mention, item))


def next_due(item: Item, after: datetime) -> WallDue | None:
    """Return when a recurring item is due next after a time; what was missed until then is passed over."""
    if not item.recurrence or item.due is None:
        return None
    due = item.due.at()
    zone = item.due.zone if isinstance(item.due, WallDue) else due.tzinfo or UTC
    found = recurrence.next_after(item.recurrence, item.starts or due.date(), due.time(), zone, after)
    return WallDue(found.date(), found.time(), zone) if found else None


def finish(progress: Progress, item: Item, state: str) -> WallDue | None:
    """End an item, or this occurrence of a recurring one; return when that is due again."""
    again = None
    if state == "done":
        progress.ledger.set(item, done_at=progress.now.wall)
    if state in {"done", "expired"} and item.due is not None:
        again = next_due(item, max(item.due.at(), progress.now.wall, key=datetime.timestamp))
    if again is not None:
        progress.ledger.set(item, state="pending", due=again, fired_at=None, missed=False)
    elif state in {"done", "expired"} and _waits_again(progress, item):
        progress.ledger.set(item, state="pending", due=None, fired_at=None, missed=False)
    else:
        progress.ledger.set(item, state=state)
    tell(progress, {"done": "done", "cancelled": "cancelled"}.get(state, "changed"), item)
    return again


def _waits_again(progress: Progress, item: Item) -> bool:
    return bool(item.trigger) and is_every(item.trigger, progress.lexicon.languages.get(item.language))


def _ask(progress: Progress, item: Item, appointment: Appointment, *, unclear: bool) -> None:
    at = appointment.at
    if appointment.missing == "half":
        early, late = (spoken.clock(progress, choice) for choice in appointment.choices)
        day = spoken.due(progress, item) if item.recurrence else spoken.when(progress, appointment.choices[0], "day")
        isos = tuple(choice.isoformat() for choice in appointment.choices)
        progress.ask(
            "item_half", "ask_half", about=item.id, choices=isos, what=item.text, day=day, early=early, late=late
        )
    elif appointment.missing == "clock":
        day = spoken.when(progress, at, "day") if at and not appointment.recurrence else spoken.due(progress, item)
        window = tuple(edge.isoformat() for edge in appointment.window or ())
        progress.ask("item_time", "ask_clock", about=item.id, choices=window, what=item.text, day=day)
    elif appointment.missing == "past" and at is not None:
        said = spoken.when(progress, at, appointment.grain)
        progress.ask("item_time", "ask_past", about=item.id, what=item.text, when=said)
    elif appointment.missing == "no_clock":
        progress.change("refused", "item", item.id, reason=progress.now.doubt)
        progress.ask("item_time", "ask_no_clock", about=item.id, what=item.text)
    else:
        progress.ask("item_time", "ask_unclear" if unclear else "ask_when", about=item.id, what=item.text)
