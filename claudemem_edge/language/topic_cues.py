"""Words by which talk opens, continues, closes and returns to a subject: table `cues` of `topics.toml`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claudemem_edge.language.per_language import PerLanguage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claudemem_edge.language.pack import Language

NOTHING = re.compile(r"(?!)")


@dataclass(slots=True, frozen=True)
class TopicCues:
    """All but `closes` and `returns` are for `match` at the beginning of a folded utterance."""

    opens: re.Pattern[str] = NOTHING
    may_open: re.Pattern[str] = NOTHING
    continues: re.Pattern[str] = NOTHING
    closes: re.Pattern[str] = NOTHING
    returns: re.Pattern[str] = NOTHING
    short: int = 60
    """Characters within which a closing word closes; in a longer utterance it is said by the way."""

    def takes_leave(self, folded: str) -> bool:
        """Tell whether an utterance does nothing but close its subject."""
        return len(folded) <= self.short and self.closes.search(folded) is not None


def _compiled(patterns: Sequence[str], lead: str, tail: str) -> re.Pattern[str]:
    return re.compile(f"{lead}(?:{'|'.join(patterns)}){tail}") if patterns else NOTHING


def _cues(language: Language | None) -> TopicCues:
    table = language.tables.get("topics", {}).get("cues", {}) if language else {}
    word_start, word_end = ("", "") if language and language.joined else (r"(?<!\w)", r"(?!\w)")
    lead = r"\W{0,3}"
    return TopicCues(
        _compiled(table.get("opens", ()), lead, word_end),
        _compiled(table.get("may_open", ()), lead, word_end),
        _compiled(table.get("continues", ()), lead, word_end),
        _compiled(table.get("closes", ()), word_start, word_end),
        _compiled(table.get("returns", ()), word_start, word_end),
        table.get("short", 60),
    )


topic_cues = PerLanguage(_cues)
