"""What a speaker asserts: facts, preferences, relations, decisions, values."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Language, Scan
    from claudemem_edge.shapes.reading import ClaimDraft, Clause, Mention, Utterance


def find(
    utterance: Utterance, clauses: tuple[Clause, ...], scan: Scan, language: Language, mentions: tuple[Mention, ...]
) -> tuple[ClaimDraft, ...]:
    """Return what the asserted clauses claim, from left to right."""
    return ()
