"""Items: reminders and tasks made of what was said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claudemem_edge.shapes.memory import Item
from claudemem_edge.state_engine.claims import alike
from claudemem_edge.state_engine.item_change import OPEN, announce, set_due, tell
from claudemem_edge.state_engine.item_due import NOTHING_SAID, Appointment, appoint, count_down
from claudemem_edge.state_engine.statements import forgetting, origin

if TYPE_CHECKING:
    from claudemem_edge.shapes.reading import ReminderDraft, Span
    from claudemem_edge.state_engine.progress import Progress

SAME_TIME_S = 60.0


def make_all(progress: Progress) -> None:
    """Make an item of every reminder of the utterance."""
    for draft in progress.reading.reminders:
        if not forgetting(progress, draft.span):
            _make(progress, draft)


def new_item(progress: Progress, text: str, kind: str, origin_ids: tuple[int, ...], trigger: str = "") -> Item:
    """Keep a new item under the next sayable id."""
    state = progress.state
    utterance = progress.reading.utterance
    item = Item(
        f"p{state.next_item}", kind, text, "pending", origin_ids, state.turn,
        trigger=trigger, asked_at_door=progress.door, language=utterance.language or state.language,
    )  # fmt: skip
    state.next_item += 1
    progress.ledger.add_item(item)
    return item


def _make(progress: Progress, draft: ReminderDraft) -> None:
    appointment = _appointment(progress, draft)
    if not draft.text and not draft.trigger:
        without_text(progress, draft.span, appointment)
        return
    rests_on = origin(progress, draft.span)
    known = _known(progress, draft, appointment)
    if known is not None:
        _again(progress, known, draft, appointment, rests_on)
        return
    item = new_item(progress, draft.text, "reminder" if draft.trigger else "task", rests_on, draft.trigger)
    if draft.urgent:
        progress.ledger.set(item, urgent=True)
    if appointment.due is not None:
        set_due(progress, item, appointment)
    tell(progress, "stored", item)
    if draft.trigger and appointment is NOTHING_SAID and not draft.unclear:
        progress.say("item_trigger", what=item.text, trigger=item.trigger)
    else:
        announce(progress, item, appointment, unclear=draft.unclear)


def _appointment(progress: Progress, draft: ReminderDraft) -> Appointment:
    said = draft.time
    if draft.counts_down and said is not None and said.start is None and said.duration_s:
        return count_down(said.duration_s, progress.now)
    return appoint(None if draft.unclear else said, progress.now, progress.read_in)


def without_text(progress: Progress, span: Span, appointment: Appointment) -> None:
    """Keep a reminder of which nobody has said what it is about, and ask."""
    item = new_item(progress, progress.phrase("something"), "task", origin(progress, span))
    if appointment.due is not None:
        set_due(progress, item, appointment)
    tell(progress, "stored", item)
    progress.ask("item_text", "ask_what", about=item.id)


def _known(progress: Progress, draft: ReminderDraft, appointment: Appointment) -> Item | None:
    """Return the open item that is the same thing at the same time, or waits for its time."""
    for item in reversed(progress.state.pending_items.values()):
        if item.state not in OPEN or item.trigger != draft.trigger or not alike(item.text, draft.text):
            continue
        unsaid = appointment is NOTHING_SAID and not draft.unclear
        if item.due is None or unsaid or _same_time(item, appointment):
            return item
    return None


def _same_time(item: Item, appointment: Appointment) -> bool:
    if item.due is None or appointment.due is None or item.recurrence != appointment.recurrence:
        return False
    apart_s = item.due.at().timestamp() - appointment.due.at().timestamp()
    return abs(apart_s) < SAME_TIME_S


def _again(
    progress: Progress, item: Item, draft: ReminderDraft, appointment: Appointment, rests_on: tuple[int, ...]
) -> None:
    """Let the one item rest on these words too: the same thing was said again."""
    progress.ledger.set(
        item, origin=tuple(dict.fromkeys((*item.origin, *rests_on))), urgent=item.urgent or draft.urgent
    )
    if item.due is None and appointment.due is not None:
        set_due(progress, item, appointment)
    tell(progress, "changed", item)
    if item.due is not None and appointment.due is None:
        appointment = Appointment("", item.due, item.due.at(), item.grain, item.recurrence)
    announce(progress, item, appointment, unclear=draft.unclear)
