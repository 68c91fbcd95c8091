"""What a memory is compared with: the last characters said, and BM25 over whole turns."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter

WORD = re.compile("[a-z0-9]+|[\u3400-\u9fff]")
K1, B = 1.5, 0.75
"""Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009): the usual values."""


class Window:
    """The last characters of what was said."""

    def __init__(self) -> None:
        self.text = ""

    def observe(self, text: str) -> None:
        """Append a turn."""
        self.text += "\n" + text

    def context(self, query: str, limit_chars: int) -> str:  # noqa: ARG002 (a window asks nothing)
        """Return the tail, without the question that was said last."""
        return self.text[-limit_chars:]


class Bm25:
    """Whole turns by their BM25 score, as many as fit. Chinese by characters and pairs of them."""

    def __init__(self) -> None:
        self.turns: list[tuple[str, Counter[str]]] = []
        self.containing: Counter[str] = Counter()
        self.length = 0

    def observe(self, text: str) -> None:
        """Index a turn."""
        counts = Counter(_terms(text))
        self.turns.append((text, counts))
        self.containing.update(counts.keys())
        self.length += counts.total()

    def context(self, query: str, limit_chars: int) -> str:
        """Return the best turns, the best first, cut at the limit."""
        mean = self.length / max(1, len(self.turns))
        terms = set(_terms(query))
        scored = sorted(
            ((self._score(counts, terms, mean), number) for number, (_, counts) in enumerate(self.turns)), reverse=True
        )
        block = "\n".join(
            self.turns[number][0] for score, number in scored if score > 0 and self.turns[number][0] != query
        )
        return block[:limit_chars]

    def _score(self, counts: Counter[str], terms: set[str], mean: float) -> float:
        found = 0.0
        for term in terms & counts.keys():
            df = self.containing[term]
            weight = math.log(1 + (len(self.turns) - df + 0.5) / (df + 0.5))
            found += weight * counts[term] * (K1 + 1) / (counts[term] + K1 * (1 - B + B * counts.total() / mean))
        return found


def _terms(text: str) -> list[str]:
    words = WORD.findall(text.lower())
    return words + [a + b for a, b in itertools.pairwise(words) if a >= "\u3400" and b >= "\u3400"]
