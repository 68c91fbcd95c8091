"""Index terms of a text: light stems of Latin words, whole identifiers, bigrams of scripts without spaces."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from claudemem_edge.language.per_language import PerLanguage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
    alone: frozenset[str] = frozenset()
    """Characters of a script without blanks that are no term when they stand alone."""
    cut: re.Pattern[str] | None = None
    """Words and characters at which a run of a script without blanks is cut before it is paired."""
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
        frozenset(stop.get("alone", "")),
        _cut(stop) if language.joined else None,
        {form: stem for stem, forms in stems.get("irregular", {}).items() for form in forms.split()},
        {letter: tuple(sorted(steps, key=lambda one: -len(one.ending))) for letter, steps in by_letter.items()},
    )


def _cut(stop: Mapping[str, Any]) -> re.Pattern[str]:
    return re.compile(alternation({*(word for word in stop.get("words", ()) if len(word) > 1), *stop.get("cut", "")}))


def alternation(words: Iterable[str]) -> str:
    """Return a pattern for the longest of some words that looks at the first character once."""
    by_first: dict[str, set[str]] = {}
    for word in words:
        by_first.setdefault(word[0], set()).add(re.escape(word[1:]))
    groups = [
        f"{re.escape(first)}(?:{'|'.join(sorted(rests, key=lambda rest: (-len(rest), rest)))})"
        for first, rests in sorted(by_first.items())
    ]
    return f"(?=[{''.join(map(re.escape, sorted(by_first)))}])(?:{'|'.join(groups)})" if groups else "(?!)"


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
            if made.cut is None:
                _add_pairs(word, made, found)
            else:
                for run in made.cut.split(word):
                    if run:
                        _add_pairs(run, made, found)
        elif word.isalpha():
            found.append(stem(word, made))
        else:
            _add_compound(word, made, found)
    return tuple(found)


def _add_pairs(run: str, made: TermTables, found: list[str]) -> None:
    if len(run) > 1:
        found.extend(map("".join, pairwise(run)))
    elif run not in made.alone and run not in made.stop:
        found.append(run)


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
