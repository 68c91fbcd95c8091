"""Whether a question has anything to do with a memory: an unrelated one gets no block."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import log10
from typing import TYPE_CHECKING

from claudemem_edge.language.per_language import PerLanguage
from claudemem_edge.language.terms import terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from claudemem_edge.context_injector.sight import Sight
    from claudemem_edge.language.pack import Language
    from claudemem_edge.shapes.reading import Reading

CAPITAL = re.compile(r"(?<=[^.!?]\s)[A-Z][a-z][\w'-]*")
"""A word with a capital that begins no sentence."""
JUST_SAID = 40
"""Statements."""
IDENTIFIER_CHARS = 4
NEVER = re.compile(r"(?!)")


@dataclass(slots=True, frozen=True)
class RelevanceTables:
    """Table `relevance` of `context.toml`."""

    demands: re.Pattern[str] = NEVER
    """How an utterance begins that asks for something without being a question."""
    shared: re.Pattern[str] = NEVER
    """Words that speak of what was said between the two, or point to it."""
    wishes: re.Pattern[str] = NEVER
    """Words of somebody who wants something done, whatever its form."""
    definite: re.Pattern[str] = NEVER
    """An article that means something known, with the `noun` after it."""
    attributes: frozenset[str] = frozenset()
    """Terms of words that are always of something: a price, an address."""
    least: float = 0.3
    """Share of the question's weight that must have been said in one place …"""
    tenfold: float = 0.0
    """… and how much more of it when the talk is ten times as long."""
    theme: float = 0.2
    """… and when its first term, what it is about, was never heard."""


def _tables(language: Language | None) -> RelevanceTables:
    table = language.tables.get("context", {}).get("relevance", {}) if language else {}
    if not table:
        return RelevanceTables()
    before, after = ("", "") if language and language.joined else (r"(?<![\w'])", r"(?!\w)")
    return RelevanceTables(
        re.compile(rf"\W{{0,3}}(?:{'|'.join(table['demands'])}){after}"),
        re.compile(f"{before}(?:{'|'.join(table['shared'])}){after}"),
        re.compile(f"{before}(?:{'|'.join(table['wishes'])}){after}"),
        re.compile(table["definite"]) if table.get("definite") else NEVER,
        frozenset(term for word in table["attributes"] for term in terms(word, language)),
        table["least"],
        table["tenfold"],
        table["theme"],
    )


tables = PerLanguage(_tables)


def related(sight: Sight, question: Reading, places: Mapping[int, float], *, whole: bool) -> bool:
    """Tell whether a question has to do with this memory. `whole`: all of it could be given.

    One that hangs on the talk has, and one of mere attributes: they must be of something. One with words of its own
    has not, when too little of it was ever said in one place. Little talk is given whole whatever is asked.
    """
    ask = sight.ask
    made = tables(sight.language)
    if ask.hangs or ask.points or ask.returns or ask.speakers or made.shared.search(ask.folded):
        return True
    demands = made.demands.match(ask.folded)
    if not demands and (made.wishes.search(ask.folded) or not question.question):
        return True
    weights = ask.weights
    strange = [term for term in weights.unheard if not _bridges(term, weights.said)]
    own = [term for term in strange if term not in made.attributes]
    telling = [term for clause in question.clauses for term in clause.terms]
    theme = next((term for term in telling if len(term) > 1), telling[0] if telling else "")
    if (
        whole
        or not own
        or _takes_up(sight, question, made)
        or theme in made.attributes
        or any(map(_identifies, ask.weights.said))
        or any(sight.said_on(day) for day in ask.days)
    ):
        return True
    unknown = weights.unknown * len(strange) / max(1, len(weights.unheard))
    share = max(places.values(), default=0.0) / (weights.heard + unknown or 1.0)
    least = made.least + made.tenfold * log10(len(sight.state.index.order) + 1)
    return share >= least + (made.theme if theme in own else 0.0)


def _bridges(term: str, said: Sequence[str]) -> bool:
    """Tell whether a pair of characters only joins a word that was said to the one beside it."""
    return len(term) == 2 and not term.isascii() and any(term[0] == one[-1] or term[1] == one[0] for one in said)


def _identifies(term: str) -> bool:
    """Tell whether a term names one thing by itself: an address, a type, a version; not a mere number."""
    return any(map(str.isdigit, term)) and not term.isdigit() and len(term) >= IDENTIFIER_CHARS


def bare(sight: Sight) -> bool:
    """Tell whether a question names nothing that was said but attributes: what they are of is the thing at hand."""
    attributes = tables(sight.language).attributes
    return bool(attributes) and all(term in attributes for term in sight.ask.weights.said)


def _takes_up(sight: Sight, question: Reading, made: RelevanceTables) -> bool:
    """Tell whether the question has a name that was said before, or speaks of "the" thing that was just said."""
    if any(mention.known for mention in question.mentions):
        return True
    index, unheard = sight.state.index, sight.ask.weights.unheard
    names = [term for name in CAPITAL.findall(question.utterance.text) for term in terms(name.lower(), sight.language)]
    if names and not any(name in unheard for name in names):
        return True
    since = index.order[-JUST_SAID:][0] if index.order else 0
    for found in made.definite.finditer(sight.ask.folded):
        for term in terms(found["noun"], sight.language):
            row = [one for one in index.find(index.key(term))[-2:] if one < sight.ask.before]
            if row and row[-1] >= since:
                return True
    return False
