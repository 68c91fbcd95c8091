"""Names in the text: people, places, medicines, devices, works."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Language, Scan
    from claudemem_edge.shapes.reading import Mention, Utterance
    from claudemem_edge.shapes.terms import TermIndex


def find(utterance: Utterance, scan: Scan, language: Language, names: TermIndex) -> tuple[Mention, ...]:
    """Return the names in an utterance, from left to right; `names` are those this memory knows."""
    return ()
