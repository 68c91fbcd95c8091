"""The ledger of names: whom and what the talk has been about, likeliest first. For scripts with capitals."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claudemem_edge.context_injector.phrase import NAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from claudemem_edge.context_injector.phrase import Phrase
    from claudemem_edge.context_injector.sight import Sight
    from claudemem_edge.shapes.memory import Statement

WORD = re.compile(r"[^\W_]+(?:['.][^\W_]+)*")
CAPITAL = re.compile(r"[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f]")
FADE = 0.85
"""What a sighting is worth a turn later."""
OPENER = 0.5
"""Worth of having been named when the talk began."""
TURNS = 24
"""How far back names are looked for."""


@dataclass(slots=True)
class Form:
    """A name as first said, its words, and how much speaks for it."""

    text: str
    words: frozenset[str]
    worth: float = 0.0


def names(sight: Sight, turns: Sequence[Sequence[Statement]]) -> list[tuple[float, str]]:
    """Return (worth, name) of the names in these turns, heaviest first; a short form counts for the long one."""
    turns = turns[-TURNS:]
    forms: dict[str, Form] = {}
    for at, turn in enumerate(turns):
        for name in _said_in(sight, turn):
            form = forms.setdefault(name.lower(), Form(name, frozenset(WORD.findall(name.lower()))))
            if at == 0:
                form.worth = OPENER
    kept = [one for one in forms.values() if not any(one.words < other.words for other in forms.values())]
    for age, turn in enumerate(reversed(turns), 1):
        said = {word for one in turn for word in WORD.findall(one.text.lower().replace("'s", ""))}
        for form in kept:
            form.worth += FADE**age * len(form.words & said) / len(form.words)
    ranked = sorted(kept, key=lambda one: -one.worth)
    return [(one.worth, one.text) for one in ranked if one.text.lower() not in sight.ask.folded]


def _said_in(sight: Sight, turn: Sequence[Statement]) -> Iterator[str]:
    for statement in turn:
        if CAPITAL.search(statement.text):
            for phrase in sight.phrases(statement):
                if phrase.rank == NAME and not _in_time(phrase, statement) and (name := _bare(phrase.text)):
                    yield name


def _in_time(phrase: Phrase, statement: Statement) -> bool:
    """Tell whether a capital is that of a day or a month."""
    return any(phrase.start < one.span[1] and one.span[0] < phrase.end for one in statement.times)


def _bare(text: str) -> str:
    """Return a capitalised name without what stands before it; "" when it only describes what follows."""
    words = text.removesuffix("'s").split()
    while words and words[0][0].islower():
        words.pop(0)
    return "" if not words or words[-1][0].islower() else " ".join(words)
