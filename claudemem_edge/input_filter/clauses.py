"""Cuts an utterance into clauses that can stand alone, and clauses into index terms."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING

from claudemem_edge.input_filter.normalize import clean, fold

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Lexicon

SENTENCE_END = re.compile(r"[。！？!?;；\n]+|\.(?=\s|$)|[，,](?=\s*)")
WORD = re.compile("[a-z0-9]+(?:[.'_@:/-][a-z0-9]+)*|[\u3400-\u9fff]+")


def spans(folded: str) -> list[tuple[int, int]]:
    """Return the spans of the clauses, in order, without their end marks."""
    found: list[tuple[int, int]] = []
    start = 0
    for mark in SENTENCE_END.finditer(folded):
        found.append((start, mark.start()))
        start = mark.end()
    found.append((start, len(folded)))
    return [(first, last) for first, last in found if folded[first:last].strip()]


def terms(folded: str) -> tuple[str, ...]:
    """Return index terms: whole Latin words and identifiers, Chinese bigrams (a lone character as it is)."""
    found: list[str] = []
    for word in WORD.findall(folded):
        if word[0] < "\u3400" or len(word) == 1:
            found.append(word)
        else:
            found.extend(word[at : at + 2] for at in range(len(word) - 1))
    return tuple(found)


def digest(text: str, lexicon: Lexicon) -> frozenset[str]:
    """Return a digest for each clause of a text; width and case make no difference."""
    folded = fold(clean(text), {})
    return frozenset(
        blake2b(folded[start:end].strip().encode(), digest_size=8).hexdigest() for start, end in spans(folded)
    )
