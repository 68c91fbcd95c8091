"""Words that point back: it, that pill, there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Language, Scan
    from claudemem_edge.shapes.reading import Reference, Utterance


def find(utterance: Utterance, scan: Scan, language: Language) -> tuple[Reference, ...]:
    """Return the words of an utterance that point back, from left to right."""
    return ()
