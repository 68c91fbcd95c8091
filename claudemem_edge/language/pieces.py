"""Parts of patterns, by name: `{name}` in a pattern stands for a piece of its file or language, or for a word list."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from claudemem_edge.errors import PackError, did_you_mean
from claudemem_edge.language.spelled import spelled_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

PIECE = re.compile(r"\{([a-z][a-z_]*)\}")
MAX_PIECE_WORDS = 400
MAX_DEPTH = 6


@dataclass(slots=True)
class Pieces:
    """The pieces that the rules of one file may name; behind them the short word lists, longest term first."""

    path: Path
    words: Mapping[str, Mapping[str, str]]
    own: Mapping[str, Any]

    def fill(self, pattern: str, rule: str) -> str:
        """Return a pattern with all its pieces filled in. Raises PackError for one that there is not."""
        pattern = _one_line(pattern)
        for _ in range(MAX_DEPTH):
            filled = PIECE.sub(lambda match: f"(?:{self._find(match.group(1), rule)})", pattern)
            if filled == pattern:
                return filled
            pattern = filled
        raise PackError(f"{self.path}: rule {rule}: pieces nest deeper than {MAX_DEPTH}")

    def terms(self, name: str, rule: str) -> Iterable[str]:
        """Return the terms of a word list, or all that a piece of plain words stands for. Raises PackError."""
        if name in self.words:
            return self.words[name]
        where = f"{self.path}: rule {rule}"
        piece = self.own.get(name)
        if not isinstance(piece, str):
            raise PackError(f"{where}: no word list {name}" + did_you_mean(name, [*self.own, *self.words]))
        try:
            return sorted(spelled_out(self.fill(piece, rule)))
        except ValueError as error:
            raise PackError(f"{where}: {name} is no need: {error}") from None

    def _find(self, name: str, rule: str) -> str:
        piece = self.own.get(name)
        if isinstance(piece, str):
            return _one_line(piece)
        terms = self.words.get(name, {})
        if 0 < len(terms) <= MAX_PIECE_WORDS:
            return "|".join(re.escape(term) for term in sorted(terms, key=lambda term: -len(term)))
        raise PackError(f"{self.path}: rule {rule}: no piece {name}" + did_you_mean(name, [*self.own, *self.words]))


def _one_line(pattern: str) -> str:
    """Join the lines of a pattern; blanks at their ends only serve the reader, and none begins a pattern."""
    return "".join(map(str.strip, pattern.splitlines())) if "\n" in pattern else pattern.lstrip(" ")
