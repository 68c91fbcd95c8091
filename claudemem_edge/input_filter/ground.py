"""The ground that orders are looked for on: where one may begin, and the text with its times blotted out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claudemem_edge.language.per_language import PerLanguage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from claudemem_edge.input_filter.times import TimesRead
    from claudemem_edge.language.pack import Language, Rule
    from claudemem_edge.shapes.reading import Span
    from claudemem_edge.shapes.times import TimeMention

TIME = "\x01"
UNCLEAR_TIME = "\x02"
"""What stands in the masked text for each character of a time: patterns name them, and no cleaned text holds them."""
BEGIN, LINK = "begin", "link"
"""Pieces of a language that say after what an order may begin, and after what a reminder may besides."""
MARK = r"[,.!?;:…]\s?"


@dataclass(slots=True, frozen=True)
class Ground:
    """One utterance, prepared. All texts have the same length, so that a span fits each of them."""

    kept: str
    folded: str
    masked: str
    """Folded, with TIME and UNCLEAR_TIME in place of what the time grammar found."""
    breaks: tuple[Span, ...]
    """Marks after which an order may begin, as it may at the start."""
    links: tuple[Span, ...]
    """Words after which a reminder may begin besides."""
    times: tuple[TimeMention, ...]
    unclear: tuple[Span, ...]

    def matches(self, rule: Rule, *, masked: bool, linked: bool = False) -> Iterator[re.Match[str]]:
        """Give the rule's matches from left to right; none begins inside the one before."""
        text = self.masked if masked else self.folded
        breaks = sorted(self.breaks + self.links) if linked and self.links else self.breaks
        pattern = rule.pattern
        last = 0
        for begin in (0, *(end for _, end in breaks)):
            if begin >= last:
                found = pattern.match(text, begin)
                if found is not None and found.end() > begin:
                    yield found
                    last = found.end()

    def slice(self, match: re.Match[str], group: str) -> str:
        """Return the kept words of a group, "" when it took no part in the match."""
        start, end = match.span(group)
        return self.kept[start:end].strip(" ,;:") if start >= 0 else ""


def prepare(kept: str, folded: str, times: TimesRead, language: Language) -> Ground:
    """Blot out the times and find the places where an order may begin."""
    blots = [(time.span, TIME) for time in times.mentions] + [(span, UNCLEAR_TIME) for span in times.unclear]
    masked = _blot(folded, sorted(blots)) if blots else folded
    breaks, links = (
        tuple([match.span() for match in pattern.finditer(folded)]) if pattern is not None else ()
        for pattern in begins(language)
    )
    return Ground(kept, folded, masked, breaks, links, times.mentions, times.unclear)


def _begins(language: Language | None) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
    pieces = language.pieces if language is not None else {}
    link = pieces.get(LINK)
    return re.compile(pieces.get(BEGIN, MARK)), re.compile(link) if link else None


begins = PerLanguage(_begins)


def _blot(text: str, blots: Iterable[tuple[Span, str]]) -> str:
    parts: list[str] = []
    last = 0
    for (start, end), mark in blots:
        if start >= last:
            parts += text[last:start], mark * (end - start)
            last = end
    return "".join(parts) + text[last:]
