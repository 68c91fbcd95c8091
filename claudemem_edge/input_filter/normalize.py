"""Cleaning: what is kept of a text, and its folded twin for matching."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

KEPT_CONTROLS = {"\n": " ", "\t": " ", "\r": " "}
DROPPED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def clean(text: str) -> str:
    """Return NFKC text without control, bidi, surrogate and private characters; runs of blanks become one."""
    composed = unicodedata.normalize("NFKC", text)
    if not composed.isprintable() or "  " in composed:
        composed = "".join(
            KEPT_CONTROLS.get(character, "" if unicodedata.category(character) in DROPPED_CATEGORIES else character)
            for character in composed
        )
        return " ".join(composed.split())
    return composed.strip()


def fold(text: str, simplified: Mapping[int, int] | None = None) -> str:
    """Return the text for matching: lower case, `simplified` applied, the same length character by character."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(low if len(low := character.lower()) == 1 else character for character in text)
    return lowered.translate(simplified) if simplified and not lowered.isascii() else lowered
