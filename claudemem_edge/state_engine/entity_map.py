"""Entities: who and what was spoken of, under which names, and when last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claudemem_edge.shapes.memory import Entity, Sighting
from claudemem_edge.state_engine import pointing, predicates
from claudemem_edge.state_engine.statements import forgetting, origin

if TYPE_CHECKING:
    from claudemem_edge.shapes.reading import ClaimDraft, Mention
    from claudemem_edge.state_engine.progress import Progress

SIGHTINGS_KEPT = 3
BEFORE_MOST_CHARS = 3
NAMED_KINDS = frozenset({"place", "organisation", "medicine", "device", "work"})
SPEAKERS_WITHOUT_NAME = frozenset({"user", "assistant", "event", "door"})


def sight_all(progress: Progress) -> None:
    """Note every name of the utterance."""
    for mention in progress.reading.mentions:
        if not forgetting(progress, mention.span):
            _sight(progress, mention)


def subject_of(progress: Progress, draft: ClaimDraft) -> str:
    """Return whom a claim is about: "user", the named speaker, or an entity, which is made if it is new.

    "" when a pointing word stands in the place and may mean more than one, or nobody.
    """
    speaker = progress.reading.utterance.speaker
    if draft.subject == "user":
        return "user" if speaker in SPEAKERS_WITHOUT_NAME else speaker
    reference = pointing.reference_in(progress, draft.subject)
    if reference is not None:
        meant = pointing.meant_by(progress, reference, draft)
        if meant is not None:
            add_sighting(progress, meant, origin(progress, draft.span), progress.reading.attitude)
        return meant.name if meant is not None else ""
    known = find(progress, draft.subject)
    if known is not None:
        return known.name
    kind = "person" if predicates.is_relation(draft.subject, progress.lexicon) else _subject_kind(progress, draft)
    entity = add(progress, draft.subject, kind)
    add_sighting(progress, entity, origin(progress, draft.span), progress.reading.attitude)
    return entity.name


def object_of(progress: Progress, draft: ClaimDraft) -> str:
    """Return what is claimed, with the name a pointing word stands for; "" when that is open.

    A name that the predicate expects there becomes an entity.
    """
    reference = pointing.reference_in(progress, draft.object)
    if reference is not None:
        meant = pointing.meant_by(progress, reference, draft, "object_kind")
        return meant.name if meant is not None else ""
    kind = str(predicates.describe(draft.predicate, progress.lexicon).get("object_kind", ""))
    if kind in NAMED_KINDS and not draft.denies and find(progress, draft.object) is None:
        entity = add(progress, draft.object, kind)
        add_sighting(progress, entity, origin(progress, draft.span), progress.reading.attitude)
    return draft.object


def find(progress: Progress, name: str) -> Entity | None:
    """Return the entity with exactly this name or alias."""
    state = progress.state
    if name in state.entity_map:
        return state.entity_map[name]
    wanted = folded(name)
    for hit in state.names.hits(wanted):
        if hit.start == 0 and hit.end == len(wanted):
            return state.entity_map.get(hit.value)
    return None


def find_within(progress: Progress, words: str) -> Entity | None:
    """Return the entity whose name ends these words after next to nothing, as in "my son"."""
    wanted = folded(words)
    for hit in progress.state.names.hits(wanted):
        if hit.end == len(wanted) and hit.start <= BEFORE_MOST_CHARS:
            return progress.state.entity_map.get(hit.value)
    return None


def folded(name: str) -> str:
    """Return a name for matching, of the same length."""
    lowered = name.lower()
    return lowered if len(lowered) == len(name) else name


def drop_unshown(progress: Progress, name: str) -> None:
    """Drop an entity that nothing speaks of any more but statements not to be shown: a wrong name, put right."""
    state = progress.state
    entity = state.entity_map.get(name)
    if entity is None or any(one.open and name in {one.subject, one.object} for one in state.claims.values()):
        return
    seen = [state.statements[one.statement] for one in entity.sightings if one.statement in state.statements]
    if not any(one.shown for one in seen):
        progress.ledger.remove_entity(entity, names_of(entity))


def names_of(entity: Entity) -> tuple[str, ...]:
    """Return the folded names that lead to an entity."""
    return tuple(dict.fromkeys(folded(name) for name in (entity.name, *entity.aliases)))


def _sight(progress: Progress, mention: Mention) -> None:
    start, end = mention.span
    said = progress.reading.utterance.folded[start:end].strip()
    entity = progress.state.entity_map.get(mention.name) or find(progress, mention.name)
    if entity is None:
        entity = add(progress, mention.name, mention.kind)
    elif not entity.kind and mention.kind:
        progress.ledger.set(entity, kind=mention.kind)
    if said and said not in names_of(entity):
        add_alias(progress, entity, said)
    attitude = next((one.attitude for one in progress.reading.clauses if one.span[0] <= start < one.span[1]), 0.0)
    add_sighting(progress, entity, origin(progress, mention.span), attitude)


def add(progress: Progress, name: str, kind: str) -> Entity:
    """Keep a new entity under its name."""
    entity = Entity(name, kind)
    progress.ledger.add_entity(entity)
    progress.ledger.add_name(folded(name), name)
    progress.change("stored", "entity", name, kind=kind)
    return entity


def add_alias(progress: Progress, entity: Entity, alias: str) -> None:
    """Give an entity another name."""
    if folded(alias) in names_of(entity):
        return
    progress.ledger.set(entity, aliases=(*entity.aliases, alias))
    progress.ledger.add_name(folded(alias), entity.name)


def add_sighting(progress: Progress, entity: Entity, statements: tuple[int, ...], attitude: float) -> None:
    """Note that an entity was spoken of."""
    if not statements:
        return
    seen = Sighting(statements[0], progress.state.turn, attitude)
    kept = [one for one in entity.sightings if one.statement != seen.statement]
    progress.ledger.set(entity, sightings=[*kept, seen][-SIGHTINGS_KEPT:])


def _subject_kind(progress: Progress, draft: ClaimDraft) -> str:
    return str(predicates.describe(draft.predicate, progress.lexicon).get("subject_kind", ""))
