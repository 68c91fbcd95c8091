"""The injector's one entry: chooses what stands before the question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claudemem_edge.context_injector import budget, choice, held
from claudemem_edge.context_injector.asking import understand
from claudemem_edge.context_injector.budget import Block
from claudemem_edge.context_injector.relevance import related
from claudemem_edge.context_injector.score import score
from claudemem_edge.context_injector.sight import Sight
from claudemem_edge.shapes.context import Context

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Lexicon
    from claudemem_edge.shapes.context import Profile
    from claudemem_edge.shapes.memory import MemoryState
    from claudemem_edge.shapes.reading import Reading
    from claudemem_edge.shapes.times import Moment

LITTLE = 120
"""Characters of talk so short that giving all of it costs nothing, whatever is asked."""


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
    code = question.utterance.language or state.language
    language = lexicon.get(code)
    room = budget.limit(profile, limit_chars, code)
    if room <= 0:
        return Context()
    ask = understand(state, question, language, now)
    sight = Sight(state, ask, now, lexicon, shown)
    places = score(state, ask.weights, room)
    marks = choice.rate(sight, places)
    known = held.find(sight, question, profile, marks, room, whole=choice.fits(sight, room))
    held_true = known.about or any(line.kind != "date" for line in known.lines)
    if not held_true and not related(sight, question, places, whole=choice.fits(sight, min(room, LITTLE))):
        return Context()
    block = Block(room)
    for line in known.lines:
        block.add(line)
    room = block.room - bool(block.lines)
    # Where a question points back, a claim that answers is of what it points to (see held): nothing is missing.
    alone = (known.answers or (known.due and not ask.leans)) and not ask.returns
    for line in choice.beside(sight, marks, room) if alone else choice.lines(sight, marks, room):
        block.add(line)
    return block.context()
