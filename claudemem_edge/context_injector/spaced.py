"""Phrases of a script with blanks between words: a text is cut at the words that say little."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from claudemem_edge.context_injector.phrase import CONTENT, NAME, NEGATION, NUMBER, STOP, WEAK, Phrase
from claudemem_edge.language.terms import alternation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MARKS = r"[^\w\s'’&$€£¥%.,:/+-]+|[.,:/](?=\s|\Z)|(?<=\s)[-–—+.,:]+(?=\s)"
"""Where a text is cut in any case: marks, but for those inside a number, a word or an address."""
CAPITAL = re.compile(r"(?<![\w'])[A-Z\u00c0-\u00de]")
DIGIT = re.compile(r"\d")
REACH = 24
"""Characters within which a negation reaches the phrase it denies."""


@dataclass(slots=True)
class Cutter:
    """Cuts a text into phrases. `kinds`: word → STOP, WEAK or NEGATION."""

    kinds: dict[str, int]
    units: frozenset[str]
    linking: frozenset[str]
    pattern: re.Pattern[str]

    @classmethod
    def of(cls, table: Mapping[str, Any], stop: Iterable[str]) -> Cutter:
        """Make a cutter from the table `phrases` and the stop words of a language."""
        kinds = dict.fromkeys(stop, STOP) | dict.fromkeys(table.get("weak", ()), WEAK)
        kinds |= dict.fromkeys(table.get("negations", ()), NEGATION)
        words = rf"(?<![\w'’-]){alternation(kinds)}(?:'s)?(?![\w'’-])"
        return cls(
            kinds,
            frozenset(table.get("units", ())),
            frozenset(table.get("linking", ())),
            re.compile(f"{words}|{MARKS}"),
        )

    def phrases(self, text: str) -> list[Phrase]:
        """Return the phrases of a text, in order."""
        found: list[Phrase] = []
        lowered = text.lower()
        folded = lowered if len(lowered) == len(text) else text
        start = 0
        denied: int | None = None
        for mark in self.pattern.finditer(folded):
            at, after = mark.span()
            word = mark.group()
            if word[0].isalpha():
                if self._belongs(text, start, at, after, word):
                    continue
                kind = self.kinds.get(word.removesuffix("'s"), STOP)
            else:
                kind = None
            if _piece(text, folded, start, at, denied, found):
                denied = None
            if kind == WEAK:
                found.append(Phrase(text[at:after], word, WEAK, at, after))
            elif kind == NEGATION:
                denied = at
            elif kind is None:
                denied = None
            start = after
        _piece(text, folded, start, len(text), denied, found)
        return found

    def _belongs(self, text: str, start: int, at: int, after: int, word: str) -> bool:
        """Tell whether a word is part of what stands around it: a unit after a number, a word inside a name."""
        before = text[at - 2 : at - 1] if at - start >= 2 else ""
        if before.isdigit():
            return word in self.units
        leads = text[after : after + 1] == " " and text[after + 1 : after + 2].isupper()
        if text[at].isupper():
            if at == 0 or after - at == 1:
                return False
            return leads or (bool(before) and _capital_before(text, start, at))
        return leads and word in self.linking and bool(before) and _capital_before(text, start, at)


def _capital_before(text: str, start: int, at: int) -> bool:
    """Tell whether the word before a place begins with a capital."""
    begin = text.rfind(" ", start, at - 1) + 1
    return text[max(begin, start) : at].strip()[:1].isupper()


def _piece(text: str, folded: str, start: int, end: int, denied: int | None, found: list[Phrase]) -> bool:
    """Add what stands between two cuts, with the negation before it; tell whether there was anything."""
    while start < end and not (text[start].isalnum() or text[start] in "$€£¥"):
        start += 1
    while start < end and not (text[end - 1].isalnum() or text[end - 1] == "%"):
        end -= 1
    if start >= end:
        return False
    rank = CONTENT
    capital = CAPITAL.search(text, start, end)
    if capital is not None and (capital.start() > 0 or CAPITAL.search(text, 1, end) is not None):
        rank = NAME
    elif DIGIT.search(text, start, end) is not None:
        rank = NUMBER
    denies = denied is not None and start - denied <= REACH
    if denies and denied is not None:
        start = denied
        rank = min(rank, NUMBER)
    found.append(Phrase(text[start:end], folded[start:end], rank, start, end, denies))
    return True
