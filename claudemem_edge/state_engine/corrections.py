"""Corrections that do not say what they correct: "no, 73", "not 72 but 73", "no, at eleven"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from claudemem_edge.language.said_time import bare_hour
from claudemem_edge.state_engine import claims, item_change, item_orders, naming
from claudemem_edge.state_engine.item_answer import settle_hour
from claudemem_edge.state_engine.statements import forgetting, holds, origin, overlap

if TYPE_CHECKING:
    from claudemem_edge.shapes.memory import Claim, Item
    from claudemem_edge.shapes.reading import ClaimDraft, Span
    from claudemem_edge.shapes.times import TimeMention
    from claudemem_edge.state_engine.progress import Progress

RECENT_TURNS = 10
"""A correction that names nothing is about what was just said."""
NUMBER = re.compile(r"\d+(?:[.:]\d+)?")


def correct_all(progress: Progress) -> None:
    """Apply the corrections of an utterance to a claim, or to the time of an item, and say so if that was all of it."""
    reading = progress.reading
    ordered = any(one.kind in item_orders.MOVES for one in reading.commands)
    if ordered and any(one.record in {"item", "question"} for one in progress.changes):
        return  # the order has moved what was meant
    drafts = [one for one in reading.claims if one.corrects and not forgetting(progress, one.span)]
    for draft in drafts:
        if not draft.predicate:
            _correct(progress, draft)
    if not drafts and reading.times and any(one.kind == "correct" for one in reading.commands):
        item = _recent_item(progress)
        if item is not None:
            item_change.reschedule(progress, item, reading.times[0])
    if drafts and _nothing_else(progress, drafts):
        _confirm(progress)


def _nothing_else(progress: Progress, drafts: list[ClaimDraft]) -> bool:
    reading = progress.reading
    if reading.question or reading.reminders or len(drafts) < len(reading.claims):
        return False
    return reading.whole or progress.little_beside(draft.span for draft in drafts)


def _confirm(progress: Progress) -> None:
    """Say what a claim was changed to; for an item that is said already."""
    for change in progress.changes:
        value = dict(change.detail).get("object", "")
        if change.kind == "corrected" and value:
            progress.say("corrected", object=value)
    progress.settled = bool(progress.said)


def _correct(progress: Progress, draft: ClaimDraft) -> None:
    time = _time_in(progress, draft.span)
    claim = _named(progress, draft.because) if draft.because else _same_shape(progress, draft.object, time)
    hour = _hour(progress, draft) if time is None else None
    item = _item_meant(progress, draft) if time is not None or hour is not None else None
    if item is not None and (claim is None or item.turn >= claim.turn):
        if time is not None:
            item_change.reschedule(progress, item, time)
        elif hour is not None:
            item_change.put(progress, item, settle_hour(progress, hour, item))
        return
    if claim is None:
        return
    value = _new_value(claim, draft)
    if claims.alike(value, claim.object):
        return
    naming.tie(progress, claim.subject, claim.predicate, value)
    claims.replace(progress, [claim], (claim.subject, claim.predicate, value), origin(progress, draft.span))


def _hour(progress: Progress, draft: ClaimDraft) -> int | None:
    """Return the hour that a new value can be, when it is nothing but a number and an item was just spoken of."""
    recent = _recent_item(progress)
    just = recent is not None and progress.state.turn - recent.turn <= item_orders.JUST_TURNS
    bare = len(draft.object.split()) == 1 and not draft.because
    return bare_hour(draft.object.lower(), progress.read_in) if just and bare else None


def _item_meant(progress: Progress, draft: ClaimDraft) -> Item | None:
    """Return the item that a new time is for: the one that is named, else the recent one."""
    named = draft.because
    if not named or any(named in one.text or one.text in named for one in progress.reading.times):
        return _recent_item(progress)
    found = item_orders.by_words(progress, item_orders.open_items(progress), named)
    return found[0] if len(found) == 1 else None


def _named(progress: Progress, value: str) -> Claim | None:
    """Return the newest open claim that is this value, else the newest that holds it."""
    known = list(claims.open_claims(progress))
    exact = claims.same_value(known, value)
    wanted = value.casefold()
    within = (one for one in known if wanted in one.object.casefold() and holds(one.object, value))
    return exact[0] if exact else next(within, None)


def _same_shape(progress: Progress, value: str, time: TimeMention | None) -> Claim | None:
    """Return the claim opened last, if lately, whose value looks like this one."""
    shape = _shape(value)
    for claim in claims.open_claims(progress):
        if progress.state.turn - claim.turn > RECENT_TURNS:
            return None
        if time is None and _shape(claim.object) == shape:
            return claim
    return None


def _shape(value: str) -> str:
    return "number" if value and (value[0].isnumeric() or sum(map(str.isnumeric, value)) * 2 >= len(value)) else "words"


def _new_value(claim: Claim, draft: ClaimDraft) -> str:
    """Put the new value in the old one's place, so that "72 kg" becomes "73 kg"."""
    named = draft.because
    if named and not claims.alike(named, claim.object) and named in claim.object:
        return claim.object.replace(named, draft.object)
    numbers = NUMBER.findall(claim.object)
    if len(numbers) == 1 and NUMBER.fullmatch(draft.object):
        return NUMBER.sub(draft.object, claim.object)
    return draft.object


def _time_in(progress: Progress, span: Span) -> TimeMention | None:
    return next((one for one in progress.reading.times if overlap(one.span, span)), None)


def _recent_item(progress: Progress) -> Item | None:
    """Return the newest open item with a time, if it came up lately."""
    state = progress.state
    for item in reversed(state.pending_items.values()):
        if item.state in {"pending", "triggered"} and item.due is not None:
            return item if state.turn - item.turn <= RECENT_TURNS else None
    return None
