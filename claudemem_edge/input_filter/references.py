"""Words that point back: it, that pill, there.

They are found and typed here; whom or what they mean only a memory can tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from claudemem_edge.language.per_language import PerLanguage
from claudemem_edge.shapes.reading import Reference

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Language, Scan
    from claudemem_edge.shapes.reading import Utterance

LIST = "pointers"


def find(utterance: Utterance, scan: Scan, language: Language) -> tuple[Reference, ...]:
    """Return the words of an utterance that point back, from left to right; of two that overlap the longer."""
    rules = language.candidates("references", scan)
    hits = scan.spans(LIST)
    if not hits and not rules:
        return ()
    found = [
        Reference(
            utterance.text[start:end], _kind(kind, language), (start, end), f"{LIST}.{utterance.folded[start:end]}"
        )
        for start, end, kind in hits
        if _points(utterance.folded, start, end, _table(language)) and not _is_abbreviation(utterance.text, start, end)
    ]
    for rule in rules:
        for match in rule.pattern.finditer(utterance.folded):
            start, end = match.span("word")
            found.append(Reference(utterance.text[start:end], rule.fields.get("kind", ""), (start, end), rule.id))
    return _without_overlap(found, len(utterance.folded))


def _kind(value: str, language: Language) -> str:
    return "" if value == _table(language).get("any") else value


def _points(folded: str, start: int, end: int, table: dict[str, Any]) -> bool:
    """Tell whether a listed word points here, going by what stands around it."""
    if folded.startswith(tuple(table.get("not_before", ())), end) or folded.startswith(
        tuple(table.get("empty", ())), start
    ):
        return False
    return not any(
        start - len(word) < at <= start
        for word in table.get("not_in", ())
        if (at := folded.find(word, max(0, start - len(word) + 1), end + len(word))) >= 0
    )


def _is_abbreviation(text: str, start: int, end: int) -> bool:
    """Tell "IT" from "it": capitals throughout, in a text that is not all capitals."""
    return end - start > 1 and text[start:end].isupper() and not text.isupper()


def _without_overlap(found: list[Reference], length: int) -> tuple[Reference, ...]:
    found.sort(key=lambda reference: reference.span[0] - reference.span[1])
    kept: list[Reference] = []
    taken = bytearray(length)
    for reference in found:
        start, end = reference.span
        if not any(taken[start:end]):
            taken[start:end] = b"1" * (end - start)
            kept.append(reference)
    kept.sort(key=lambda reference: reference.span)
    return tuple(kept)


def _made_table(language: Language | None) -> dict[str, Any]:
    return dict(language.tables.get("references", {}).get("pointers", {})) if language is not None else {}


_table = PerLanguage(_made_table)
