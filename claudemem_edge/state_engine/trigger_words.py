"""What an event that stands for a time is known by: "when I get home"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claudemem_edge.language.terms import terms

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Language


def words(text: str, language: Language | None) -> frozenset[str]:
    """Return what an event is known by: the words of it that do not only say that it happens."""
    idle = _table(language).get("idle", ())
    folded = text.lower()
    if language is None or not language.joined:
        return frozenset(set(terms(folded, language)) - {one for word in idle for one in terms(word, language)})
    if language.simplified:
        folded = language.simplified.apply(folded)
    for word in idle:
        folded = folded.replace(word, "")
    return frozenset(filter(str.isalnum, folded))


def is_every(trigger: str, language: Language | None) -> bool:
    """Tell whether an event is one that comes again: "every time I go out"."""
    return trigger.lower().startswith(tuple(_table(language).get("every", ("\0",))))


def _table(language: Language | None) -> dict[str, list[str]]:
    """Return table `[triggers]` of `reminders.toml`."""
    table: dict[str, list[str]] = language.tables.get("reminders", {}).get("triggers", {}) if language else {}
    return table
