"""Phrases of a text: what stays when the words that only hold a sentence together are left out.

A negation stays with what it denies, whatever else goes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from claudemem_edge.context_injector import joined, spaced
from claudemem_edge.language.per_language import PerLanguage
from claudemem_edge.language.terms import tables as term_tables

if TYPE_CHECKING:
    from claudemem_edge.context_injector.phrase import Phrase
    from claudemem_edge.language.pack import Language


@dataclass(slots=True, frozen=True)
class PhraseTables:
    """Table `phrases` of `context.toml`."""

    separator: str
    cutter: joined.Cutter | spaced.Cutter


def _tables(language: Language | None) -> PhraseTables:
    table = language.tables.get("context", {}).get("phrases", {}) if language else {}
    stop = term_tables(language).stop
    kind = joined.Cutter if language and language.joined else spaced.Cutter
    return PhraseTables(table.get("separator", ", "), kind.of(table, stop))


tables = PerLanguage(_tables)


def phrases(text: str, language: Language | None) -> list[Phrase]:
    """Return the phrases of a text, in order."""
    return tables(language).cutter.phrases(text)
