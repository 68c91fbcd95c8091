"""Cuts an utterance into clauses that can stand alone, and clauses into index terms."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claudemem_edge.input_filter.normalize import clean
from claudemem_edge.language.per_language import PerLanguage
from claudemem_edge.language.terms import JOINED, terms
from claudemem_edge.shapes.digest import TOGETHER_CHARS, clause_digest

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Language, Lexicon

__all__ = ["digest", "spans", "terms"]

BREAK = re.compile(
    r"[。！？!?；;…\n]+[”’」』\"')）】》]*"
    r"|\.+[”\"')]*(?=\s|$)"
    r"|[，,](?![0-9])"
    r"|\s[-–—]+\s|[–—]{2,}"
)
"""Where a clause may end. A point inside a number, an address or a version has no blank after it."""
INITIALS = re.compile(rf"(?:^|[\s.{JOINED}])[^\W\d_{JOINED}]\Z")
WORDLIKE = re.compile(r"\w")
PIECE_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
SOFT = frozenset("，, -–—")
SMALL = 24
"""Characters within which a piece may be without content."""


@dataclass(slots=True, frozen=True)
class CutTables:
    """What a language says about cutting: see `context.toml`, table `clauses`."""

    abbreviations: frozenset[str] = frozenset()
    openers: frozenset[str] = frozenset()
    """Words that may begin a clause after a comma; empty: any may."""
    stop: frozenset[str] = frozenset()
    shortest: int = 6
    """Characters a piece needs on both sides of a comma to be a clause of its own."""


def _tables(language: Language | None) -> CutTables:
    if language is None:
        return CutTables()
    table = language.tables.get("context", {}).get("clauses", {})
    return CutTables(
        frozenset(table.get("abbreviations", ())),
        frozenset(table.get("openers", ())),
        frozenset(language.tables.get("stopwords", {}).get("words", ())),
        table.get("shortest", 6),
    )


tables = PerLanguage(_tables)


def spans(folded: str, language: Language | None = None) -> list[tuple[int, int]]:
    """Return the spans of the clauses, in order, without their end marks.

    A piece without content ("Oh.", "Thanks!") goes with the piece after it, the last one with the piece before.
    """
    return _cut(folded, tables(language), together=True)


def digest(text: str, lexicon: Lexicon) -> frozenset[str]:
    """Return a digest for each clause of a text and each run of short ones; width and case make no difference."""
    folded = clean(text).lower()
    made = tables(lexicon.of(folded))
    found: set[str] = set()
    for together in (True, False):
        cut = _cut(folded, made, together=together)
        for at, (start, end) in enumerate(cut):
            found.add(clause_digest(folded[start:end]))
            for _, last in cut[at + 1 :]:
                if last - start > TOGETHER_CHARS:
                    break
                found.add(clause_digest(folded[start:last]))
    return frozenset(found)


def _cut(folded: str, made: CutTables, *, together: bool) -> list[tuple[int, int]]:
    """Cut a text; `together` keeps a piece without content with its neighbour."""
    found: list[tuple[int, int]] = []
    start = 0
    for mark in BREAK.finditer(folded):
        at, after = mark.span()
        kind = folded[at]
        if kind == ".":
            if _abbreviated(folded, start, at, made):
                continue
        elif kind in SOFT and not _stands_alone(folded, start, at, after, made):
            continue
        if together and at - start <= SMALL and _empty(folded[start:at], made) and (found or after < len(folded)):
            if after < len(folded):
                continue
            start = found.pop()[0]
        _add(folded, start, at, found)
        start = after
    if start < len(folded):
        if together and found and len(folded) - start <= SMALL and _empty(folded[start:], made):
            start = found.pop()[0]
        _add(folded, start, len(folded), found)
    return found


def _abbreviated(folded: str, start: int, at: int, made: CutTables) -> bool:
    word = folded[max(start, at - 12) : at]
    return bool(INITIALS.search(word)) or word.rpartition(" ")[2] in made.abbreviations


def _stands_alone(folded: str, start: int, at: int, after: int, made: CutTables) -> bool:
    """Tell whether both sides of a comma or dash are long enough, and the right side begins like a clause."""
    if at - start < made.shortest or len(folded) - after < made.shortest:
        return False
    if not made.openers:
        return True
    following = folded[after : after + 16].split(maxsplit=1)
    return bool(following) and following[0] in made.openers


def _empty(piece: str, made: CutTables) -> bool:
    stop = made.stop
    return all(word in stop for word in PIECE_WORD.findall(piece))


def _add(folded: str, start: int, end: int, found: list[tuple[int, int]]) -> None:
    while start < end and folded[start].isspace():
        start += 1
    while start < end and folded[end - 1].isspace():
        end -= 1
    if start < end and WORDLIKE.search(folded, start, end):
        found.append((start, end))
