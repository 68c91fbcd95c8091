"""Finds where the running subject began, so that a return to the one before it can be served."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from claudemem_edge.language.topic_cues import topic_cues

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claudemem_edge.context_injector.sight import Sight
    from claudemem_edge.language.topic_cues import TopicCues
    from claudemem_edge.shapes.memory import MemoryState, Statement

TURNS = 64
"""How far back a subject is looked for."""
SPAN = 6
"""Turns over which a word said again ties what lies between."""
FEWEST = 2
"""Turns on either side of a change of subject."""
OPENS, MAY_OPEN, CONTINUES, TIES = 3.0, 1.0, 1.0, 8.0


def last_turns(sight: Sight, count: int = TURNS) -> list[list[Statement]]:
    """Return the last turns before the question, oldest first, each as its visible statements."""
    turns: list[list[Statement]] = []
    for statement in sight.newest_first():
        if turns and turns[-1][0].turn == statement.turn:
            turns[-1].append(statement)
        elif len(turns) == count:
            break
        else:
            turns.append([statement])
    for turn in turns:
        turn.reverse()
    turns.reverse()
    return turns


def began(sight: Sight, turns: Sequence[Sequence[Statement]]) -> int | None:
    """Return the place among `turns` where the subject running at their end most likely began."""
    cues = topic_cues(sight.language)
    ties = _ties(sight.state, turns)
    places = [
        at
        for at in range(FEWEST, len(turns) - FEWEST + 1)
        if turns[at][0].speaker not in {"assistant", "event"}
    ]  # fmt: skip
    return max(places, key=lambda at: _opening(turns[at], cues) - TIES * ties[at], default=None)


def closed(sight: Sight, turns: Sequence[Sequence[Statement]]) -> bool:
    """Tell whether one of the last two turns ended with leave taken of its subject."""
    cues = topic_cues(sight.language)
    return any(cues.takes_leave(turn[-1].text.lower()) for turn in turns[-2:])


def _opening(turn: Sequence[Statement], cues: TopicCues) -> float:
    folded = turn[0].text.lower()
    return (
        OPENS * bool(cues.opens.match(folded))
        + MAY_OPEN * bool(cues.may_open.match(folded))
        - CONTINUES * bool(cues.continues.match(folded))
    )


def _ties(state: MemoryState, turns: Sequence[Sequence[Statement]]) -> list[float]:
    """Return for each turn how much of the words around it is said on both sides of its beginning, 0 to about 1."""
    index = state.index
    edges = [0.0] * (len(turns) + 1)
    mass = [0.0] * len(turns)
    last: dict[int, int] = {}
    for at, turn in enumerate(turns):
        for statement in turn:
            for key in index.keys(statement.id):
                worth = len(index.find(key)) ** -0.5
                since = last.get(key)
                if since == at:
                    continue
                if since is not None and at - since <= SPAN:
                    edges[since + 1] += worth
                    edges[at + 1] -= worth
                last[key] = at
                mass[at] += worth
    across = list(accumulate(edges))
    sums = [0.0, *accumulate(mass)]
    count = len(turns)
    return [
        across[at] / (min(sums[at] - sums[max(0, at - SPAN)], sums[min(count, at + SPAN)] - sums[at]) or 1.0)
        for at in range(count)
    ]
