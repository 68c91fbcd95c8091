"""Whom a pointing word means when something is claimed of "it" or "that pill": by kind and recency, never by guess."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claudemem_edge.state_engine import predicates

if TYPE_CHECKING:
    from claudemem_edge.shapes.memory import Entity
    from claudemem_edge.shapes.reading import ClaimDraft, Reference
    from claudemem_edge.state_engine.progress import Progress

OPEN_KINDS = frozenset({"", "any", "thing"})
"""What these point to is for the rest of the sentence to narrow down."""
NO_THINGS = frozenset({"person", "place", "organisation"})
FAR_TURNS = 12
"""How far back a bare pronoun reaches; "that pill" reaches as far as there was a pill."""


def reference_in(progress: Progress, words: str) -> Reference | None:
    """Return the pointing word of the utterance that a draft has in place of a name."""
    folded = words.casefold()
    return next((one for one in progress.reading.references if one.word.casefold() == folded), None)


def meant_by(progress: Progress, reference: Reference, draft: ClaimDraft, place: str = "subject_kind") -> Entity | None:
    """Return the entity a pointing word stands for in the subject (or object) of a claim; None if that is open."""
    kinds = {reference.kind, str(predicates.describe(draft.predicate, progress.lexicon).get(place, ""))}
    own_name = next(
        (
            one.object
            for one in progress.state.claims.values()
            if one.until is None and one.subject == "user" and one.predicate == "name"
        ),
        "",
    )
    nearest: list[Entity] = []
    turn = max(0, progress.state.turn - FAR_TURNS) if kinds <= OPEN_KINDS | {"person"} else 0
    for entity in progress.state.entity_map.values():
        seen = _seen_before(progress, entity, reference)
        if seen < turn or entity.name == own_name or not all(_fits(entity.kind, kind) for kind in kinds):
            continue
        nearest = [entity] if seen > turn else [*nearest, entity]
        turn = seen
    return nearest[0] if len(nearest) == 1 else None


def _fits(kind: str, wanted: str) -> bool:
    return wanted in {"", "any", kind} or (wanted == "thing" and kind not in NO_THINGS)


def _seen_before(progress: Progress, entity: Entity, reference: Reference) -> int:
    """Return the turn of the last sighting; one of this utterance counts only if the name stands before the word."""
    now = progress.state.turn
    named = [one.span[0] for one in progress.reading.mentions if one.name in {entity.name, *entity.aliases}]
    for sighting in reversed(entity.sightings):
        if sighting.turn < now or (named and min(named) < reference.span[0]):
            return sighting.turn
    return -1
