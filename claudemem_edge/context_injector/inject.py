"""The injector's one entry: chooses what stands before the question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claudemem_edge.shapes.context import Context, ContextLine

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Lexicon
    from claudemem_edge.shapes.context import Profile
    from claudemem_edge.shapes.memory import MemoryState
    from claudemem_edge.shapes.reading import Reading
    from claudemem_edge.shapes.times import Moment


def inject(
    state: MemoryState,
    question: Reading,
    now: Moment,
    *,
    lexicon: Lexicon,
    profile: Profile,
    limit_chars: int,
    shown: frozenset[str] = frozenset(),
) -> Context:
    """Return the block for a question: at most `limit_chars` characters, empty when nothing is relevant.

    `shown` holds digests (see Memory.digests) of what the client's own messages already show.
    """
    lines: list[ContextLine] = []
    room = limit_chars
    for statement in reversed(state.statements.values()):
        if len(statement.text) + 1 > room:
            break
        lines.append(ContextLine("statement", statement.text, (statement.turn,)))
        room -= len(statement.text) + 1
    lines.reverse()
    return Context("\n".join(line.text for line in lines), tuple(lines))
