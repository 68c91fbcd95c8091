"""Phrases of a script that sets no blanks between words: a text is cut at the words that say little."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from claudemem_edge.context_injector.phrase import CONTENT, NAME, NEGATION, NUMBER, STOP, WEAK, WHOLE, Phrase
from claudemem_edge.language.terms import alternation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

QUOTED = re.compile("[《“「『【][^《“「『【》”」』】]{1,30}[》”」』】]")
EDGE = " -–·.:/+&，"
MARKS = r"[^\w\s()\-·.:/+%&]+|\s+(?![-–]\s)(?<![-–]\s)"
"""Where a text is cut in any case: marks, and blanks but for those around a dash."""


@dataclass(slots=True)
class Cutter:
    """Cuts a text into phrases. `kinds`: word → WHOLE (never cut), WEAK, STOP or NEGATION."""

    kinds: dict[str, int]
    pattern: re.Pattern[str]
    name: re.Pattern[str] | None
    lead: str

    @classmethod
    def of(cls, table: Mapping[str, Any], stop: Iterable[str]) -> Cutter:
        """Make a cutter from the table `phrases` and the stop words of a language."""
        kinds = dict.fromkeys(stop, STOP)
        kinds |= dict.fromkeys(table.get("split", ""), STOP) | dict.fromkeys(table.get("weak", ()), WEAK)
        kinds |= dict.fromkeys(table.get("negations", ()), NEGATION) | dict.fromkeys(table.get("whole", ()), WHOLE)
        for character in table.get("adverbs", ""):
            kinds.pop(character, None)
        single = set(table.get("split", "")) | {one for one in table.get("negations", ()) if len(one) == 1}
        words = alternation(word for word in kinds if len(word) > 1 or word in single)
        adverbs = f"|[{table['adverbs']}](?=[{table['after_adverbs']}])" if table.get("adverbs") else ""
        ends = "|".join(map(re.escape, table.get("name_ends", ())))
        return cls(
            kinds,
            re.compile(f"{words}{adverbs}|{MARKS}"),
            re.compile(rf"[^\d\s]\S*(?:{ends})(?:\([^()]+\))?\Z") if ends else None,
            EDGE + table.get("lead", ""),
        )

    def phrases(self, text: str) -> list[Phrase]:
        """Return the phrases of a text, in order."""
        found: list[Phrase] = []
        quoted = [one.span() for one in QUOTED.finditer(text)]
        start = 0
        denied: int | None = None
        for mark in self.pattern.finditer(text):
            at, after = mark.span()
            kind = self.kinds.get(mark.group(), STOP)
            if kind == WHOLE or any(first < at < last - 1 for first, last in quoted):
                continue
            if self._piece(text, start, at, denied, quoted, found):
                denied = None
            if kind == WEAK:
                found.append(Phrase(mark.group(), mark.group(), WEAK, at, after))
            elif kind == NEGATION:
                denied = at if denied is None else denied
            elif not text[at].isalnum():
                denied = None
            start = after
        self._piece(text, start, len(text), denied, quoted, found)
        return found

    def _piece(
        self, text: str, start: int, end: int, denied: int | None, quoted: list[tuple[int, int]], found: list[Phrase]
    ) -> bool:
        """Add what stands between two cuts, with the negation before it; tell whether there was anything."""
        while start < end and text[start] in self.lead:
            start += 1
        while start < end and text[end - 1] in EDGE:
            end -= 1
        if text[start:end].endswith(")") and "(" not in text[start:end]:
            end -= 1
        said = text[start:end]
        if not said or (len(said) == 1 and not said.isalnum()):
            return False
        if any(first < start < last for first, last in quoted) or (
            self.name is not None and len(said) > 2 and self.name.match(said)
        ):
            rank = NAME
        else:
            rank = NUMBER if any(map(str.isdigit, said)) else CONTENT
        if denied is not None:
            start = denied
            said = text[start:end]
        found.append(Phrase(said, said.lower(), rank, start, end, denied is not None))
        return True
