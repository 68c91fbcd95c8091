"""Finding every place where words still stand, so that they can be forgotten there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claudemem_edge.language.terms import terms
from claudemem_edge.state_engine import entity_map
from claudemem_edge.state_engine.remove import Removed, drop_claim, remove
from claudemem_edge.state_engine.statements import holds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from claudemem_edge.shapes.memory import Claim, Item
    from claudemem_edge.state_engine.progress import Progress

SHORTEST_JOINED = 2
"""A single character of a script without spaces stands in too many words to be searched for."""


def words_of(progress: Progress, names: Iterable[str]) -> tuple[str, ...]:
    """Return the names to look for, with the form in which the filter folded them."""
    utterance = progress.reading.utterance
    found: dict[str, None] = {}
    for name in names:
        found[name] = None
        at = utterance.text.find(name)
        if at >= 0:
            found[utterance.folded[at : at + len(name)]] = None
    return tuple(name for name in found if len(name) >= SHORTEST_JOINED or name.isascii())


def forget_words(progress: Progress, words: Sequence[str], *, of_replies_only: bool = False) -> Removed:
    """Remove every record that holds one of these words. `of_replies_only`: but only what the assistant said."""
    state = progress.state
    indexed = set() if of_replies_only else _indexed(progress, words)
    ids = [
        one.id for one in state.statements.values()
        if (one.speaker == "assistant" or not of_replies_only)
        and (one.id in indexed or one.speaker in words or _any(one.text, words))
    ]  # fmt: skip
    removed = remove(progress, ids)
    if of_replies_only:
        return removed
    for claim in list(state.claims.values()):
        if claim.id in state.claims and _claim_holds(claim, words):
            drop_claim(progress, claim)
            removed.claims += 1
    for item in list(state.pending_items.values()):
        if _item_holds(item, words):
            progress.ledger.remove_item(item)
            removed.items += 1
    for entity in list(state.entity_map.values()):
        if any(_any(name, words) for name in (entity.name, *entity.aliases)):
            progress.ledger.remove_entity(entity, entity_map.names_of(entity))
            removed.entities += 1
    return removed


def _any(text: str, words: Sequence[str]) -> bool:
    return any(holds(text, word) for word in words)


def _claim_holds(claim: Claim, words: Sequence[str]) -> bool:
    return any(_any(text, words) for text in (claim.subject, claim.object, claim.because))


def _item_holds(item: Item, words: Sequence[str]) -> bool:
    return any(_any(text, words) for text in (item.text, item.trigger, item.on_failure))


def _indexed(progress: Progress, words: Sequence[str]) -> set[int]:
    """Return the statements the index knows under all terms of a word, whatever script they were written in."""
    index = progress.state.index
    found: set[int] = set()
    for word in words:
        keys = [index.key(term) for term in terms(entity_map.folded(word), progress.language)]
        if keys:
            found |= set.intersection(*(set(index.find(key)) for key in keys))
    return found
