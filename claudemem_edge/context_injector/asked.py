"""Which predicates a question asks for, and whether it asks for those of something it points to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from claudemem_edge.context_injector.asking import tables
from claudemem_edge.language.per_language import PerLanguage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from claudemem_edge.context_injector.asking import Ask
    from claudemem_edge.language.pack import Language

POINTED_CHARS = 8
"""How close before what is asked for a pointing word must stand to say whose it is."""
NOTHING: Mapping[str, Any] = {}


def _asks(language: Language | None) -> dict[str, re.Pattern[str]]:
    table = language.tables.get("context", NOTHING).get("asks", NOTHING) if language else NOTHING
    before, after = ("", "") if language and language.joined else (r"(?<!\w)", r"(?!\w)")
    return {predicate: re.compile(f"{before}(?:{words}){after}") for predicate, words in table.items()}


asks = PerLanguage(_asks)


def asked_for(ask: Ask) -> tuple[frozenset[str], bool]:
    """Return the predicates a question asks for, and whether of something else: "I saw a film; what is its name?"."""
    found = {one: match for one, pattern in asks(ask.language).items() if (match := pattern.search(ask.folded))}
    points = tables(ask.language).points
    pointed = any(points.search(ask.folded[: match.start()][-POINTED_CHARS:]) for match in found.values())
    return frozenset(found), pointed
