"""Our own question, while it is open, and the next utterance as its answer."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from claudemem_edge.language.said_time import bare_hour, clock_alone
from claudemem_edge.state_engine import claims, forget, item_change, item_moves, item_orders, recurrence
from claudemem_edge.state_engine.item_answer import settle, settle_hour
from claudemem_edge.state_engine.item_due import Appointment, at_clock, is_part_of_day, known_of, precise
from claudemem_edge.state_engine.item_places import pointed_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from claudemem_edge.shapes.memory import Item, OpenQuestion
    from claudemem_edge.shapes.times import TimeMention
    from claudemem_edge.state_engine.progress import Progress
MARKS = " ,.!?;:。、…~，！？；："
TEXT_MOST_CHARS = 120
"""What is longer is a story and not the name of a thing to do."""


def drop_expired(progress: Progress) -> None:
    """Drop a question that has waited too long."""
    question = progress.state.open_question
    if question is not None and progress.now.boot_s - question.asked_at.boot_s > progress.options.question_s:
        progress.state.open_question = None


def try_answer(progress: Progress) -> None:
    """Take the user's utterance as the answer to our question if it is one; the question is closed either way."""
    question = progress.state.open_question
    if question is None or progress.reading.utterance.speaker != "user":
        return
    progress.state.open_question = None
    if _calls_off(progress, question):
        progress.answered = True
        return
    progress.answered = HANDLERS[question.kind](progress, question)


def _calls_off(progress: Progress, question: OpenQuestion) -> bool:
    """Take "never mind", while we ask about an item, as calling that item off."""
    item = progress.state.pending_items.get(question.about)
    if item is None or not progress.reading.whole:
        return False
    off = any(one.kind == "no" or (one.kind == "cancel" and not one.argument) for one in progress.reading.commands)
    if off:
        item_orders.cancel(progress, item)
    return off


def _forget_all(progress: Progress, _: OpenQuestion) -> bool:
    answer = _yes_or_no(progress)
    if answer == "yes":
        forget.everything(progress)
    elif answer == "no":
        progress.say("kept_all")
    return bool(answer)


def _forget_these(progress: Progress, question: OpenQuestion) -> bool:
    answer = _yes_or_no(progress)
    if answer == "yes":
        forget.these(progress, question.choices)
    elif answer == "no":
        progress.say("kept_all")
    return bool(answer)


def _item_text(progress: Progress, question: OpenQuestion) -> bool:
    """Take what was said as the text of an item, and go on to its time."""
    item, reading = _item(progress, question), progress.reading
    text = reading.utterance.text.strip(MARKS)
    if item is None or reading.question or reading.commands or not 0 < len(text) <= TEXT_MOST_CHARS:
        return False
    progress.ledger.set(item, text=reading.reminders[0].text or text if reading.reminders else text)
    item_change.tell(progress, "changed", item)
    item_change.announce(progress, item, known_of(item))
    return True


def _item_time(progress: Progress, question: OpenQuestion) -> bool:
    item = _item(progress, question)
    if item is None:
        return False
    repeated = [one for one in progress.reading.reminders if not one.text or claims.alike(one.text, item.text)]
    if not (repeated or _is_short(progress)):
        return False
    window = tuple(datetime.fromisoformat(edge) for edge in question.choices)
    mention = next(iter(progress.reading.times), None)
    if mention is not None:
        item_change.put(progress, item, settle(progress, mention, item, window))
        return True
    hour = bare_hour(progress.reading.utterance.folded, progress.read_in)
    if hour is None:
        return _not_understood(progress, question)
    item_change.put(progress, item, settle_hour(progress, hour, item, window))
    return True


def _item_half(progress: Progress, question: OpenQuestion) -> bool:
    item = _item(progress, question)
    if item is None or not _is_short(progress):
        return False
    mention = next(iter(progress.reading.times), None)
    if mention is not None and mention.start is not None and not is_part_of_day(mention):
        return _another_clock(progress, question, item, mention)
    at = _chosen(progress, mention, tuple(datetime.fromisoformat(choice) for choice in question.choices))
    if at is None:
        return _not_understood(progress, question)
    item_change.put(progress, item, _at(progress, item, at))
    return True


def _another_clock(progress: Progress, question: OpenQuestion, item: Item, mention: TimeMention) -> bool:
    """Take a whole time in place of one of the two; the same open hour again is asked about again."""
    if clock_alone(mention, progress.read_in) and mention.either_half:
        return _ask_again(progress, question)
    if item.recurrence and mention.start is not None:
        item_change.put(progress, item, _at(progress, item, mention.start))
    else:
        item_change.put(progress, item, settle(progress, mention, item))
    return True


def _at(progress: Progress, item: Item, at: datetime) -> Appointment:
    if not item.recurrence:
        return precise(at, progress.now)
    # The later half may still come today, even where the earlier one was put off to the next time.
    first = progress.now.wall if recurrence.parse(item.recurrence).interval == 1 else at
    return at_clock(item.recurrence, at.time(), first, progress.now)


def _which_item(progress: Progress, question: OpenQuestion) -> bool:
    if not _is_short(progress):
        return False
    known = [one for one in item_orders.open_items(progress) if one.id in question.choices]
    folded = progress.reading.utterance.folded
    named = [one for one in known if one.id in item_orders.ITEM_ID.findall(folded)]
    found = named or item_orders.by_words(progress, known, folded) or pointed_at(progress, known, folded, len(folded))
    if len(found) != 1:
        return False
    order, _, detail = question.about.partition(" ")
    if detail and order == "snooze":
        item_moves.snooze_for(progress, found[0], float(detail))
    elif detail.lstrip("-").isdigit():
        item_moves.shift_by(progress, found[0], float(detail))
    elif detail.startswith(item_moves.HOUR):
        item_change.put(progress, found[0], settle_hour(progress, int(detail[1:]), found[0]))
    elif detail:
        item_change.put(progress, found[0], precise(datetime.fromisoformat(detail), progress.now))
    else:
        item_orders.ORDERS[order](progress, found[0])
    return True


def _chosen(progress: Progress, mention: TimeMention | None, choices: tuple[datetime, ...]) -> datetime | None:
    """Return which of the two instants is meant by a part of the day, or by a word for the half."""
    if mention is not None and mention.start is not None and mention.end is not None:
        inside = [at for at in choices if _within_clock(at, mention.start, mention.end)]
        return inside[0] if len(inside) == 1 else None
    folded = progress.reading.utterance.folded
    for words, at in zip(("early_words", "late_words"), choices, strict=False):
        if any(word in folded for word in progress.phrase(words).split("|")):
            return at
    return None


def _within_clock(at: datetime, first: datetime, last: datetime) -> bool:
    """Tell whether a time of day lies in a part of the day, which may run past midnight."""
    opening, closing, clock = first.time(), last.time(), at.time()
    return opening <= clock < closing if opening < closing else clock >= opening or clock < closing


def _not_understood(progress: Progress, question: OpenQuestion) -> bool:
    """Ask once more when a time was said that we did not understand."""
    return bool(progress.reading.unclear_times) and _ask_again(progress, question)


def _ask_again(progress: Progress, question: OpenQuestion) -> bool:
    progress.ask(question.kind, "ask_again", about=question.about, choices=question.choices)
    return True


def _item(progress: Progress, question: OpenQuestion) -> Item | None:
    item = progress.state.pending_items.get(question.about)
    return item if item is not None and item.state in item_change.OPEN else None


def _yes_or_no(progress: Progress) -> str:
    kinds = [one.kind for one in progress.reading.commands]
    return next((kind for kind in kinds if kind in {"yes", "no"}), "")


def _is_short(progress: Progress) -> bool:
    """Tell whether an utterance can be a mere answer: little beside its time, no question, order or new reminder."""
    reading = progress.reading
    if reading.question or reading.reminders or reading.claims:
        return False
    if any(one.kind not in {"yes", "no", "correct", "snooze"} for one in reading.commands):
        return False
    return progress.little_beside(mention.span for mention in reading.times)


HANDLERS: dict[str, Callable[[Progress, OpenQuestion], bool]] = {
    "forget_all": _forget_all,
    "forget_these": _forget_these,
    "item_text": _item_text,
    "item_time": _item_time,
    "item_half": _item_half,
    "which_item": _which_item,
}
