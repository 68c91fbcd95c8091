"""Cuts a folded text into pieces: time words, numerals, literals such as 2026-03-15, and gaps between them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from claudemem_edge.input_filter.time_grammar import GAP, NUMBER

if TYPE_CHECKING:
    from claudemem_edge.input_filter.time_grammar import Grammar

WORD = re.compile(r"[a-z]+|[^\W\d_a-z]+")
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
    at, length, joined = 0, len(folded), grammar.language.joined
    while at < length:
        character = folded[at]
        if character == " ":
            at += 1
            continue
        if character.isascii() and character.isdigit():
            piece = _digits(folded, at, grammar)
        else:
            word = _word(folded, at, grammar, joined=joined)
            piece = word or Piece(GAP, at, _gap_end(folded, at, joined=joined))
        if piece.kind == GAP and pieces and pieces[-1].kind == GAP:
            pieces[-1].end = piece.end
        else:
            pieces.append(piece)
        at = piece.end
    return pieces


def _gap_end(folded: str, at: int, *, joined: bool) -> int:
    if joined and not folded[at].isascii():
        return at + 1
    word = WORD.match(folded, at)
    end = word.end() if word else at + 1
    # An identifier such as b12 or abc-1 is one gap, digits and all.
    while word and end < len(folded) and folded[end].isascii() and folded[end].isalnum():
        end += 1
    return end


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


def _word(folded: str, at: int, grammar: Grammar, *, joined: bool) -> Piece | None:
    """Return the longest time word or numeral here."""
    character = folded[at]
    word = WORD.match(folded, at) if character.isascii() and character.isalpha() else None
    name = word.group() if word else character
    best: Piece | None = None
    for term, kind, value in grammar.terms.get(name, ()):
        if folded.startswith(term, at) and _ends_here(folded, at + len(term)):
            best = Piece(kind, at, at + len(term), value)
            break
    if name in grammar.numerals.first and (not joined or not word):
        numeral = grammar.numerals.read(folded, at)
        if numeral is not None and (best is None or numeral.end > best.end):
            best = Piece(numeral.kind, at, numeral.end, numeral.value)
    return best


def _ends_here(folded: str, end: int) -> bool:
    """Tell whether a word may end here: no Latin letter follows one."""
    return not (
        end < len(folded) and "a" <= folded[end - 1] <= "z" and (folded[end].isalpha() and folded[end] < "\u2e80")
    )
