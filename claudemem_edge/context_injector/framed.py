"""Names that frames of a sentence hold out, for scripts without capitals: what is proposed, taken up or asked about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claudemem_edge.context_injector import relevance
from claudemem_edge.language.per_language import PerLanguage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from claudemem_edge.context_injector.sight import Sight
    from claudemem_edge.language.pack import Language
    from claudemem_edge.shapes.memory import Statement

FADE = 0.85
"""What having been named is worth a turn later."""
KIND = 2.0
"""Factor for a name that came up where the question's kind of thing was spoken of: "this restaurant"."""
PROPOSED, TAKEN, ASKED = 1.0, 1.5, 1.2
TURNS = 24
"""How far back names are looked for."""


@dataclass(slots=True, frozen=True)
class Frames:
    """Table `names` of `context.toml`: patterns with a group `name`, each with its weight."""

    of_others: tuple[tuple[float, re.Pattern[str]], ...] = ()
    of_user: tuple[tuple[float, re.Pattern[str]], ...] = ()
    kind: re.Pattern[str] | None = None
    """A pointing word with the `kind` of thing it points to."""
    pairs: tuple[str, str] = ("", "")
    """Brackets that a name holds whole or not at all."""


def _frames(language: Language | None) -> Frames:
    table = language.tables.get("context", {}).get("names", {}) if language else {}
    if not table:
        return Frames()
    pieces = {"{name}": table["name"], "{end}": table["end"]}

    def compiled(pattern: str) -> re.Pattern[str]:
        for piece, meant in pieces.items():
            pattern = pattern.replace(piece, meant)
        return re.compile(pattern)

    return Frames(
        tuple((PROPOSED, compiled(pattern)) for pattern in table["proposed"]),
        tuple((TAKEN, compiled(pattern)) for pattern in table["taken"])
        + tuple((ASKED, compiled(pattern)) for pattern in table["asked"]),
        re.compile(table["kind"]),
        (table["pairs"][0], table["pairs"][1]),
    )


frames = PerLanguage(_frames)


def names(sight: Sight, turns: Sequence[Sequence[Statement]]) -> list[tuple[float, str]]:
    """Return (worth, name) of the names in these turns, heaviest first."""
    made = frames(sight.language)
    pointed = made.kind.search(sight.ask.folded) if made.kind else None
    kind = pointed["kind"] if pointed else ""
    worth: dict[str, float] = {}
    before = ""
    turns = turns[-TURNS:]
    for age, turn in zip(range(len(turns), 0, -1), turns, strict=True):
        said = "\n".join(one.text for one in turn)
        fits = KIND if kind and kind in f"{before}\n{said}" else 1.0
        for statement in turn:
            for name, weight in _found(statement, made):
                worth[name] = worth.get(name, 0.0) + weight * fits * FADE**age
        for name in worth:
            if name in said:
                worth[name] += FADE**age
        before = said
    ranked = sorted(worth.items(), key=lambda one: -one[1])
    common = relevance.tables(sight.language).attributes
    return [(value, name) for name, value in ranked if name not in sight.ask.folded and name not in common]


def _found(statement: Statement, made: Frames) -> Iterator[tuple[str, float]]:
    opening, closing = made.pairs
    for weight, pattern in made.of_user if statement.speaker == "user" else made.of_others:
        for match in pattern.finditer(statement.text):
            name = match["name"].strip()
            if name.count(opening) == name.count(closing):
                yield name, weight
