"""Names and relations that mean one person: "my son is called Tom" makes Tom and the son one entity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claudemem_edge.state_engine import claims, entity_map, predicates
from claudemem_edge.state_engine.statements import forgetting

if TYPE_CHECKING:
    from claudemem_edge.shapes.memory import Entity
    from claudemem_edge.state_engine.progress import Progress


def tie_all(progress: Progress) -> None:
    """Tie the names that an utterance gives, before anything is noted under either of them."""
    for draft in progress.reading.claims:
        if not draft.denies and not forgetting(progress, draft.span):
            tie(progress, draft.subject, draft.predicate, draft.object)


def tie(progress: Progress, subject: str, predicate: str, name: str) -> None:
    """Tie a name to the entity that a claim of this predicate gives it to."""
    word = subject
    if predicate != "name":
        word = predicates.relation_word(predicate, progress.read_in, progress.reading.utterance.folded)
    if not word or not name or word == "user":
        return
    related, named = entity_map.find(progress, word), entity_map.find(progress, name)
    if related is None:
        entity_map.add_alias(progress, named or entity_map.add(progress, name, "person"), word)
    elif named is None and (predicate == "name" or not _has_name(progress, related)):
        entity_map.add_alias(progress, related, name)
    elif named is not None and named is not related and not _has_name(progress, related):
        _merge(progress, named, related)


def _has_name(progress: Progress, entity: Entity) -> bool:
    """Tell whether somebody known by a relation has been given a name: a second son is somebody else."""
    names = (entity.name, *entity.aliases)
    return not all(predicates.is_relation(name, progress.lexicon) for name in names)


def _merge(progress: Progress, named: Entity, related: Entity) -> None:
    """Let one entity take over the names, sightings and claims of the other."""
    progress.ledger.remove_entity(named, entity_map.names_of(named))
    for name in (named.name, *named.aliases):
        entity_map.add_alias(progress, related, name)
    seen = sorted((*named.sightings, *related.sightings), key=lambda one: one.statement)
    progress.ledger.set(related, sightings=seen[-entity_map.SIGHTINGS_KEPT :])
    for claim in list(progress.state.claims.values()):
        if claim.subject == named.name:
            progress.ledger.set(claim, subject=related.name)
    held: dict[str, object] = {}
    for claim in list(claims.open_claims(progress)):
        if claim.subject == related.name and predicates.single(claim.predicate, progress.lexicon):
            if claim.predicate in held:
                claims.close(progress, claim, None)
            held[claim.predicate] = claim
