"""Index terms of a text: light stems of Latin words, whole identifiers, bigrams of scripts without spaces."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from claudemem_edge.language.per_language import PerLanguage

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Language

JOINED = "\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Characters of scripts that set no spaces between words."""
WORD = re.compile(
    rf"[0-9]+(?:[.:/-][0-9]+)*[{JOINED}]"  # a number keeps its unit
    rf"|[^\W_{JOINED}]+(?:[.'_@:/+-][^\W_{JOINED}]+)*"
    rf"|[{JOINED}]+"
)
COMPOUND = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+\Z")
"""Words joined by hyphens are told apart; an identifier has a digit, a dot or an at sign and stays whole."""


@dataclass(slots=True, frozen=True)
class Suffix:
    """One step of a stemmer: `ending` becomes `instead` when at least `keep` letters stay before it."""

    ending: str
    instead: str
    keep: int
    undouble: bool = False


@dataclass(slots=True, frozen=True)
class TermTables:
    """What the tables of a language say about its terms."""

    stop: frozenset[str] = frozenset()
    function: frozenset[str] = frozenset()
    """Characters that only hold a sentence together: a pair of two of them is no term."""
    irregular: dict[str, str] = field(default_factory=dict)
    suffixes: dict[str, tuple[Suffix, ...]] = field(default_factory=dict)
    """Last letter → steps, longest ending first; the first that fits is taken."""


def _tables(language: Language | None) -> TermTables:
    if language is None:
        return TermTables()
    stems = language.tables.get("stems", {})
    stop = language.tables.get("stopwords", {})
    by_letter: dict[str, list[Suffix]] = {}
    for row in stems.get("suffix", ()):
        step = Suffix(row["ending"], row.get("instead", ""), row.get("keep", 3), row.get("undouble", False))
        by_letter.setdefault(step.ending[-1], []).append(step)
    return TermTables(
        frozenset(stop.get("words", ())),
        frozenset(stop.get("characters", "")),
        {form: stem for stem, forms in stems.get("irregular", {}).items() for form in forms.split()},
        {letter: tuple(sorted(steps, key=lambda one: -len(one.ending))) for letter, steps in by_letter.items()},
    )


tables = PerLanguage(_tables)


def stem(word: str, made: TermTables) -> str:
    """Return the light stem of a folded word."""
    known = made.irregular.get(word)
    if known is not None:
        return known
    for step in made.suffixes.get(word[-1], ()):
        cut = len(word) - len(step.ending)
        if cut >= step.keep and word.endswith(step.ending):
            base = word[:cut]
            if step.undouble and base[-1] == base[-2]:
                return base[:-1]
            return base + step.instead
    return word


def terms(folded: str, language: Language | None = None) -> tuple[str, ...]:
    """Return the index terms of a folded text, in order, repeats kept, without the stop words of its language."""
    made = tables(language)
    stop = made.stop
    found: list[str] = []
    for word in WORD.findall(folded):
        if word in stop:
            continue
        if word[0] >= "\u2e80":
            _add_pairs(word, made, found)
        elif word.isalpha():
            found.append(stem(word, made))
        else:
            _add_compound(word, made, found)
    return tuple(found)


def _add_pairs(run: str, made: TermTables, found: list[str]) -> None:
    if len(run) == 1:
        if run not in made.function:
            found.append(run)
        return
    stop, function = made.stop, made.function
    found.extend(
        first + second
        for first, second in pairwise(run)
        if first + second not in stop and not (first in function and second in function)
    )


def _add_compound(word: str, made: TermTables, found: list[str]) -> None:
    """Add a token with a digit or a mark inside: a possessive, a hyphenated word, or an identifier as it is."""
    if "'" in word:
        word = word.partition("'")[0]
        if len(word) > 1 and word not in made.stop:
            found.append(stem(word, made))
    elif "-" in word and COMPOUND.match(word):
        found.extend(stem(part, made) for part in word.split("-") if part not in made.stop)
    else:
        found.append(word)
