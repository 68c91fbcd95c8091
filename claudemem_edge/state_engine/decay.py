"""Keeping a memory under its cap: what weighs least goes first, and never what something open rests on."""

from __future__ import annotations

from math import ceil, log
from typing import TYPE_CHECKING

from claudemem_edge.errors import Full
from claudemem_edge.state_engine import entity_map
from claudemem_edge.state_engine.item_change import OPEN
from claudemem_edge.state_engine.remove import clean_topics, drop_claim

if TYPE_CHECKING:
    from claudemem_edge.shapes.memory import Claim, Item
    from claudemem_edge.shapes.options import MemoryOptions
    from claudemem_edge.state_engine.progress import Progress

ROOM = 0.9
"""Cleaning goes on below the cap, so that the next turns do not clean again."""
OVER_MOST, OVER_LEAST_BYTES = 0.5, 1 << 16
"""By so much of its cap, or so many bytes, a memory may outgrow it between two cleanings."""
HALF = 0.5
"""Part of that for what may not be dropped: the rest is left for talk."""
RESTS_ON_MOST = 8
"""What was said more often than this rests on the last times alone: the others may go."""


def light_after_turns(options: MemoryOptions) -> int:
    """Return after how many turns a record weighs less than the limit below which it may go."""
    return ceil(log(options.clean_below_weight) / log(options.decay_per_turn))


def clean(progress: Progress) -> None:
    """Bring a memory that has outgrown its cap back under it, as far as its records are light enough.

    One that has outgrown it by far does not wait for its turn, and then loses heavy records too.
    """
    options, turn = progress.options, progress.state.turn
    if _bursts(progress) or (turn % options.clean_every_turns == 0 and progress.ledger.size() > options.scope_bytes):
        _bring_down(progress, turn - light_after_turns(options) + 1)
    if _bursts(progress):
        _bring_down(progress, turn)


def require_room(progress: Progress) -> None:
    """Make room for something that could not be dropped later. Raises Full when all there is taken by such."""
    turn = progress.state.turn
    if _bursts(progress, HALF):
        _bring_down(progress, turn - light_after_turns(progress.options) + 1)
    if _bursts(progress, HALF):
        _drop_ended(progress, turn + 1)
        progress.ledger.compact()
    if _bursts(progress, HALF):
        raise Full("this memory is full", hint="finish, cancel or forget something first")


def _bursts(progress: Progress, part: float = 1.0) -> bool:
    """Tell whether a memory has outgrown its cap by more than this part of what it may."""
    cap_bytes = progress.options.scope_bytes
    return progress.ledger.size() > cap_bytes + part * max(OVER_MOST * cap_bytes, OVER_LEAST_BYTES)


def _bring_down(progress: Progress, heavy_from: int) -> None:
    """Drop what may go of everything before turn `heavy_from`."""
    ledger = progress.ledger
    share = ROOM * progress.options.scope_bytes / ledger.size()
    _drop_ended(progress, heavy_from)
    _evict(progress, heavy_from, share)
    _let_go_of_evicted(progress)
    clean_topics(progress)
    _drop_unseen(progress, heavy_from)
    ledger.compact()


def _drop_ended(progress: Progress, heavy_from: int) -> None:
    """Drop what is over: closed claims and items that are no longer to happen."""
    for claim in [one for one in progress.state.claims.values() if not one.open and one.turn < heavy_from]:
        if not claim.pinned:
            drop_claim(progress, claim)
    for item in [one for one in progress.state.pending_items.values() if one.state not in OPEN]:
        if item.turn < heavy_from:
            progress.ledger.remove_item(item)


def _evict(progress: Progress, heavy_from: int, share: float) -> None:
    """Remove statements, oldest first, until the records take only this share of what they took."""
    ledger, state = progress.ledger, progress.state
    kept = _needed(progress)
    wanted = share * (ledger.bytes + state.index.row_bytes)
    victims = []
    for statement in state.statements.values():
        if statement.turn >= heavy_from:
            break
        if statement.id not in kept:
            victims.append(statement.id)
    for victim in victims:
        if ledger.bytes + state.index.row_bytes <= wanted:
            break
        ledger.remove_statement(victim)


def _needed(progress: Progress) -> set[int]:
    """Return the statements on which something open rests."""
    state = progress.state
    claims = [claim.origin for claim in state.claims.values() if claim.open]
    items = [item.origin for item in state.pending_items.values() if item.state in OPEN]
    needed = {one for origin in (*claims, *items) for one in origin[-RESTS_ON_MOST:]}
    if state.last_reply is not None:
        needed.add(state.last_reply)
    return needed


def _let_go_of_evicted(progress: Progress) -> None:
    """Have open records rest on the statements that are left, where any is: what they rested on may be no burden."""
    state = progress.state
    records: list[Claim | Item] = [*state.claims.values(), *state.pending_items.values()]
    for record in records:
        left = tuple(one for one in record.origin if one in state.statements)
        if left and left != record.origin:
            progress.ledger.set(record, origin=left)


def _drop_unseen(progress: Progress, heavy_from: int) -> None:
    """Drop entities not spoken of for long, of which no statement, claim or open item is left."""
    state = progress.state
    named = {name for claim in state.claims.values() for name in (claim.subject, claim.object)}
    for entity in list(state.entity_map.values()):
        seen = [one for one in entity.sightings if one.statement in state.statements]
        newest = max((one.turn for one in entity.sightings), default=0)
        if not seen and newest < heavy_from and entity.name not in named:
            progress.ledger.remove_entity(entity, entity_map.names_of(entity))
        elif seen and len(seen) != len(entity.sightings):
            progress.ledger.set(entity, sightings=seen)
