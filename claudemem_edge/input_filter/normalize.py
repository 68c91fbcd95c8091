"""Cleaning: what is kept of a text, and its folded twin for matching."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from claudemem_edge.language.simplified import Simplified

LINE_ENDS = dict.fromkeys(map(ord, "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"), "\n")
DROPPED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
MOST_GROWTH = 64
"""Characters a text may gain by compatibility forms: some characters stand for a whole sentence."""


def clean(text: str) -> str:
    """Return NFKC text of one line, without control, bidi, surrogate and private characters; runs of blanks are one.

    The end of a line is kept as a semicolon where no mark stands before it, because it ends a clause.
    """
    if not text.isprintable():
        text = _printable(text)
    composed = unicodedata.normalize("NFKC", text)
    if len(composed) > len(text) + MOST_GROWTH:
        composed = unicodedata.normalize("NFC", text)
    if "  " in composed or not composed.isprintable():
        return " ".join(composed.split())
    return composed.strip()


def fold(text: str, simplified: Simplified | None = None) -> str:
    """Return the text for matching: lower case, `simplified` applied, the same length character by character."""
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    if len(lowered) != len(text):
        lowered = "".join(low if len(low := character.lower()) == 1 else character for character in text)
    lowered = lowered.replace("\u2019", "'").replace("\u2018", "'")
    return simplified.apply(lowered) if simplified else lowered


def _printable(text: str) -> str:
    text = text.translate(LINE_ENDS).replace("\t", " ")
    text = "".join(
        character
        for character in text
        if character == "\n" or unicodedata.category(character) not in DROPPED_CATEGORIES
    )
    lines = [line for line in map(str.strip, text.split("\n")) if line]
    return " ".join(line + ";" if line[-1].isalnum() and line is not lines[-1] else line for line in lines)
