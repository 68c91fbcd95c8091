"""The filter's one entry: calls the readers in order and puts their findings together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claudemem_edge.input_filter import clauses, normalize
from claudemem_edge.shapes.reading import Clause, Reading, Utterance

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Lexicon
    from claudemem_edge.shapes.terms import TermIndex
    from claudemem_edge.shapes.times import Moment


def read(text: str, *, speaker: str, now: Moment, lexicon: Lexicon, names: TermIndex, hint: str = "") -> Reading:
    """Read one utterance of any speaker. `names` are the entities this memory knows; `hint` a language code."""
    kept = normalize.clean(text)
    folded = normalize.fold(kept, {})
    language = lexicon.of(folded, hint)
    utterance = Utterance(speaker, kept, folded, language.code if language else "")
    return Reading(
        utterance,
        clauses=tuple(
            Clause(kept[start:end].strip(), (start, end), clauses.terms(folded[start:end]))
            for start, end in clauses.spans(folded)
        ),
    )
