"""Phrases of a text: what stays when the words that only hold a sentence together are left out.

A negation stays with what it denies, whatever else goes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from claudemem_edge.context_injector.joined import Cutter
from claudemem_edge.context_injector.phrase import CONTENT, NAME, NUMBER, WEAK, Phrase
from claudemem_edge.language.per_language import PerLanguage
from claudemem_edge.language.terms import tables as term_tables

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Language

CURRENCY = "$€£¥"
TOKEN = re.compile(rf"[{CURRENCY}]?\d(?:[\d.,:/-]*\d)?%?\w*|[^\W\d_](?:[\w'’&-]*\w)?(?:\.\w+)*|&|[^\s\w]")
STOP, NEGATION = -1, -2
REACH = 3
"""Tokens within which a negation reaches the phrase it denies."""


@dataclass(slots=True)
class PhraseTables:
    """Table `phrases` of `context.toml`."""

    separator: str = ", "
    kinds: dict[str, int] = field(default_factory=dict)
    """Word → STOP, NEGATION or WEAK; any other word is content."""
    units: frozenset[str] = frozenset()
    linking: frozenset[str] = frozenset()
    cutter: Cutter | None = None
    """For a script that sets no blanks."""


class Token(NamedTuple):
    """A token of a text with blanks between words."""

    text: str
    start: int
    end: int
    rank: int


def _tables(language: Language | None) -> PhraseTables:
    if language is None:
        return PhraseTables()
    table = language.tables.get("context", {}).get("phrases", {})
    kinds = dict.fromkeys(term_tables(language).stop, STOP)
    kinds |= dict.fromkeys(table.get("weak", ()), WEAK) | dict.fromkeys(table.get("negations", ()), NEGATION)
    return PhraseTables(
        table.get("separator", ", "),
        kinds,
        frozenset(table.get("units", ())),
        frozenset(table.get("linking", ())),
        Cutter.of(table, term_tables(language).stop) if language.joined else None,
    )


tables = PerLanguage(_tables)


def phrases(text: str, language: Language | None) -> list[Phrase]:
    """Return the phrases of a text, in order."""
    made = tables(language)
    return made.cutter.phrases(text) if made.cutter is not None else _spaced(text, made)


def _spaced(text: str, made: PhraseTables) -> list[Phrase]:
    found: list[Phrase] = []
    run: list[Token] = []
    denied: int | None = None
    since = 0
    matches = [(one.group(), one.start(), one.end()) for one in TOKEN.finditer(text)]
    for at, (word, start, end) in enumerate(matches):
        following = matches[at + 1][0] if at + 1 < len(matches) else ""
        rank = _rank(word, run, following, made, first=at == 0)
        if run and (rank <= 0 or (start > run[-1].end + 1)):
            found.append(_phrase(text, run, denied))
            run, denied = [], None
        since += 1
        if rank > 0:
            run.append(Token(word, start, end, rank))
            if since > REACH + len(run):
                denied = None
        elif rank == WEAK:
            found.append(Phrase(word, word.lower(), WEAK, start, end))
        elif rank == NEGATION:
            denied, since = start, 0
        elif not word[0].isalnum():
            denied = None
    if run:
        found.append(_phrase(text, run, denied))
    return found


def _rank(word: str, run: list[Token], following: str, made: PhraseTables, *, first: bool) -> int:
    """Return what a token is to the phrase before it, if it goes on with one."""
    initial = word[0]
    if not initial.isalnum() and initial not in "&" + CURRENCY:
        return STOP
    if initial.isdigit() or (len(word) > 1 and word[1].isdigit()):
        return NUMBER
    low = word.lower()
    kind = made.kinds.get(low)
    if kind is None:
        kind = made.kinds.get(low.partition("'")[0]) if "'" in low else None
    if kind is None:
        return NAME if initial.isupper() and not first else CONTENT
    if run and (run[-1].text[-1].isdigit() and low in made.units):
        return NUMBER
    named = bool(run) and run[-1].text[0].isupper()
    leads = following[:1].isupper()
    if (initial.isupper() and not first and len(word) > 1 and (named or leads)) or (
        named and leads and low in made.linking
    ):
        return NAME
    return kind


def _phrase(text: str, run: list[Token], denied: int | None) -> Phrase:
    start, end = run[0].start, run[-1].end
    rank = max(one.rank for one in run)
    if run[0].text[0].isupper() and len(run) > 1 and run[1].text[0].isupper():
        rank = NAME
    if denied is not None:
        start = denied
        rank = min(rank, NUMBER)
    said = text[start:end]
    return Phrase(said, said.lower(), rank, start, end)
