"""Cuts a folded text into pieces: time words, numerals, literals such as 2026-03-15, and gaps between them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from claudemem_edge.input_filter.time_grammar import DIGIT, GAP, NUMBER, TERM, UNKNOWN

if TYPE_CHECKING:
    from claudemem_edge.input_filter.time_grammar import Grammar

DIGITS = re.compile(r"[0-9]+")
MOST_DIGITS = 15
SPOKEN_ONE_BY_ONE = "digits"
SPECIAL_GROUPS = frozenset({"value", "over", "under"})


@dataclass(slots=True)
class Piece:
    """A stretch of the text: a word with its value, or what a rule made of several, with its fields."""

    kind: str
    start: int
    end: int
    value: Any = None
    fields: dict[str, Any] = field(default_factory=dict)
    rule: str = ""
    """Id of the rule that made it; "" for words, and for what forms made."""


def cut(folded: str, grammar: Grammar) -> list[Piece]:
    """Return the pieces of a text from left to right. Blanks are nothing; unknown stretches are one gap each."""
    pieces: list[Piece] = []
    at, find = 0, grammar.starts.search
    while (found := find(folded, at)) is not None:
        start, end = found.span()
        if start > at and folded[at:start] != " ":
            _gap(pieces, at, start)
        piece: Piece | None = None
        if found.lastgroup == DIGIT:
            piece = _digits(folded, start, grammar)
        elif found.lastgroup != UNKNOWN:
            piece = _word(folded, start, found.group(TERM), grammar)
        if piece is None:
            _gap(pieces, start, end)
        else:
            pieces.append(piece)
            end = piece.end
        at = end
    if at < len(folded):
        _gap(pieces, at, len(folded))
    return pieces


def _gap(pieces: list[Piece], start: int, end: int) -> None:
    if pieces and pieces[-1].kind == GAP:
        pieces[-1].end = end
    else:
        pieces.append(Piece(GAP, start, end))


def _digits(folded: str, at: int, grammar: Grammar) -> Piece:
    run = DIGITS.match(folded, at)
    assert run is not None  # noqa: S101 (the caller saw a digit here)
    end = run.end()
    following = folded[end : end + 1]
    if end - at > 2 or (following and following in grammar.literal_marks):
        for rule, makes in grammar.literals:
            found = rule.pattern.match(folded, at)
            if found is not None:
                piece = _literal(found, makes, grammar)
                piece.rule = rule.id
                piece.fields |= rule.fields.get("set", {})
                return piece
    if end - at > MOST_DIGITS:
        return Piece(GAP, at, end)
    kind = SPOKEN_ONE_BY_ONE if folded[at] == "0" and end - at > 1 else NUMBER
    return Piece(kind, at, end, int(folded[at:end]))


def _literal(found: re.Match[str], makes: str, grammar: Grammar) -> Piece:
    groups = {name: text for name, text in found.groupdict().items() if text is not None}
    piece = Piece(makes, found.start(), found.end())
    if "over" in groups:
        piece.value = int(groups["over"]) / max(int(groups["under"]), 1)
    elif "value" in groups:
        text = groups["value"]
        piece.value = int(text) if text.isdigit() else float(text.replace(",", "."))
    words = grammar.tables.get("literal_words", {})
    for name, text in groups.items():
        if name not in SPECIAL_GROUPS:
            piece.fields[name] = int(text) if text.isdigit() else words.get(text, text)
    return piece


def _word(folded: str, start: int, term: str | None, grammar: Grammar) -> Piece | None:
    """Return the longest here of a time word, which is known, and a numeral."""
    kind, value = grammar.terms[term] if term is not None else ("", None)
    end = start + len(term) if term is not None else start
    if term is None or term in grammar.terms_of_numerals:
        numeral = grammar.numerals.read(folded, start)
        if numeral is not None and numeral.end > end:
            return Piece(numeral.kind, start, numeral.end, numeral.value)
    return Piece(kind, start, end, value) if term is not None else None
