"""Taking statements out, together with all that rests only on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from claudemem_edge.state_engine import entity_map
from claudemem_edge.state_engine.statements import own_words, show_again

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from claudemem_edge.shapes.memory import Claim, Entity, Topic
    from claudemem_edge.state_engine.progress import Progress


@dataclass(slots=True)
class Removed:
    """How many records went."""

    statements: int = 0
    claims: int = 0
    items: int = 0
    entities: int = 0

    def __iadd__(self, other: Removed) -> Self:
        """Add up."""
        self.statements += other.statements
        self.claims += other.claims
        self.items += other.items
        self.entities += other.entities
        return self

    def total(self) -> int:
        """Return the number of records."""
        return self.statements + self.claims + self.items + self.entities

    def told(self) -> int:
        """Return the number that means something to the person: sentences, or else records."""
        return self.statements or self.total()


def remove(progress: Progress, statement_ids: Iterable[int], *, reopen: bool = False) -> Removed:
    """Remove statements and what rests only on them. `reopen`: what they had corrected holds again.

    Our own replies go as well: they may repeat anything.
    """
    state = progress.state
    wanted = {one for one in statement_ids if one in state.statements}
    replies = {one.id for one in state.statements.values() if own_words(one)}
    for one in sorted(wanted | replies):
        progress.ledger.remove_statement(one)
    if state.last_reply is not None and state.last_reply not in state.statements:
        state.last_reply = None
    removed = Removed(statements=len(wanted - replies))
    if wanted:
        removed.claims = _claims(progress, wanted, reopen=reopen)
        removed.items = _items(progress, wanted)
        _forget_sightings(progress, wanted)
        clean_topics(progress)
    return removed


def drop_claim(progress: Progress, claim: Claim, *, reopen: bool = False) -> None:
    """Remove a claim; one that it had replaced no longer points at it."""
    progress.ledger.remove_claim(claim)
    for other in progress.state.claims.values():
        if other.replaced_by != claim.id:
            continue
        progress.ledger.set(other, replaced_by=None)
        if reopen and claim.open:
            progress.ledger.set(other, until=None)
            show_again(progress, other.object)


def drop_orphans(progress: Progress) -> int:
    """Drop entities of which no sighting and no claim is left; return how many."""
    orphans = [one for one in progress.state.entity_map.values() if not one.sightings and not _named(progress, one)]
    for entity in orphans:
        progress.ledger.remove_entity(entity, entity_map.names_of(entity))
    return len(orphans)


def clean_topics(progress: Progress) -> None:
    """Drop topics that have lost all their statements, and words of the others that stand nowhere any more."""
    state = progress.state
    alive = {one.topic for one in state.statements.values()}
    for topic in list(state.topic_chain):
        if topic.id not in alive:
            progress.ledger.remove_topic(topic)
            continue
        _prune(progress, topic)


def _prune(progress: Progress, topic: Topic) -> None:
    state = progress.state
    kept = {key: weight for key, weight in topic.salience.items() if key in state.index.postings}
    if len(kept) != len(topic.salience):
        progress.ledger.set(topic, salience=kept)
    if topic.anchor is not None and topic.anchor not in state.statements:
        progress.ledger.set(topic, anchor=None)


def _claims(progress: Progress, gone: Collection[int], *, reopen: bool) -> int:
    count = 0
    for claim in list(progress.state.claims.values()):
        left = tuple(one for one in claim.origin if one not in gone)
        if not left:
            drop_claim(progress, claim, reopen=reopen)
            count += 1
        elif left != claim.origin:
            progress.ledger.set(claim, origin=left)
    return count


def _items(progress: Progress, gone: Collection[int]) -> int:
    count = 0
    for item in list(progress.state.pending_items.values()):
        left = tuple(one for one in item.origin if one not in gone)
        if item.origin and not left:
            progress.ledger.remove_item(item)
            count += 1
        elif left != item.origin:
            progress.ledger.set(item, origin=left)
    return count


def _forget_sightings(progress: Progress, gone: Collection[int]) -> None:
    for entity in progress.state.entity_map.values():
        left = [one for one in entity.sightings if one.statement not in gone]
        if len(left) != len(entity.sightings):
            progress.ledger.set(entity, sightings=left)


def _named(progress: Progress, entity: Entity) -> bool:
    return any(entity.name in {one.subject, one.object} for one in progress.state.claims.values())
