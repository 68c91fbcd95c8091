"""The engine's one entry: lets a reading change a memory, whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claudemem_edge.shapes.memory import Statement
from claudemem_edge.shapes.outcome import Change, Outcome

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Lexicon
    from claudemem_edge.shapes.memory import MemoryState
    from claudemem_edge.shapes.options import MemoryOptions
    from claudemem_edge.shapes.reading import Reading
    from claudemem_edge.shapes.times import Moment


def advance(
    state: MemoryState, reading: Reading, now: Moment, *, lexicon: Lexicon, options: MemoryOptions, door: str = ""
) -> Outcome:
    """Change `state` by what was read. On an exception the memory is as it was. `door` is where it was said."""
    state.turn += 1
    changed = []
    for clause in reading.clauses:
        statement = Statement(
            state.next_id, state.turn, reading.utterance.speaker, clause.text, now.wall, reading.utterance.language
        )
        state.next_id += 1
        state.statements[statement.id] = statement
        state.index.add(statement.id, clause.terms)
        changed.append(Change("stored", "statement", str(statement.id)))
    return Outcome(state.turn, tuple(changed))
