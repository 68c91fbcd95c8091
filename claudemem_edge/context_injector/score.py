"""Scores statements by what they share with a question, at and around the place where it was said."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from claudemem_edge.shapes.memory import MemoryState

IN_TURN = 0.8
"""What a term is worth to another clause of the turn it was said in …"""
ANSWER, AFTER, SECOND_AFTER, BEFORE = 0.75, 0.5, 0.25, 0.35
"""… to the turn that answers it, to the next turn, to the one after that, and to the turn before."""
FEW, GOING_ON = 6, tuple(0.25 * 0.85**turn for turn in range(6))
"""What a term said so seldom, a name mostly, is worth to the turns after these: the talk goes on about it."""
COMMON = 96
"""A term in more statements than this finds no places where another is rarer; else its newest statements count."""
VAGUE = 0.6
"""Share of what a term heard once would be worth, below which a term points nowhere."""
PLACES, CHARS_A_PLACE = 16, 30
"""Turns looked at closely: some, and one more for so many characters of room."""


@dataclass(slots=True)
class Weights:
    """The terms of a question that were heard, rarest first, as (worth, key, statements)."""

    known: list[tuple[float, int, Sequence[int]]] = field(default_factory=list)
    unknown: float = 0.0
    """What the terms never heard would be worth."""
    most: float = 1.0
    """What a term heard once would be worth."""
    unheard: list[str] = field(default_factory=list)
    """Those terms."""
    said: list[str] = field(default_factory=list)
    """The terms that were heard."""

    @property
    def vague(self) -> bool:
        """Tell whether the terms heard were heard so often that they point nowhere."""
        return not self.known or self.known[0][0] < VAGUE * self.most

    @property
    def heard(self) -> float:
        """What the terms heard are worth together."""
        return sum(worth for worth, _, _ in self.known)

    @property
    def mass(self) -> float:
        """What all terms are worth together; never nothing."""
        return self.heard + self.unknown or 1.0


def weigh(state: MemoryState, terms: Iterable[str], before: int) -> Weights:
    """Weigh the terms of a question; statements from id `before` on do not count: they are the question itself."""
    index = state.index
    total = len(index.order) + 1
    weights = Weights(most=log(total / 1.5) + 0.2)
    for term in dict.fromkeys(terms):
        key = index.key(term)
        row = index.find(key)
        count = len(row) if not row or row[-1] < before else bisect_left(row, before)
        if count:
            weights.said.append(term)
            weights.known.append((log(total / (count + 0.5)) + 0.2, key, row if count == len(row) else row[:count]))
        else:
            weights.unknown += log(2 * total) + 0.2
            weights.unheard.append(term)
    weights.known.sort(key=lambda one: -one[0])
    return weights


def score(state: MemoryState, weights: Weights, room: int) -> dict[int, float]:
    """Return statement id → score. Each term counts once for a statement, by the nearest place where it was said.

    A common term counts for the statements that hold it; it finds no places, unless there is no rarer one.
    """
    turns: dict[int, float] = {}
    anchors: dict[int, int] = {}
    rare: list[tuple[float, int, dict[int, float]]] = []
    common: list[tuple[float, int]] = []
    for worth, key, row in weights.known:
        if len(row) > COMMON and rare:
            common.append((worth, key))
            continue
        reach = _reach(state, row[-COMMON:], anchors)
        for turn, share in reach.items():
            turns[turn] = turns.get(turn, 0.0) + worth * share
        rare.append((worth, key, reach))
    best = sorted(turns, key=lambda turn: (turns[turn], turn), reverse=True)[: PLACES + room // CHARS_A_PLACE]
    return {one: value for turn in best for one, value in _of_turn(state, turn, anchors[turn], rare, common)}


def _reach(state: MemoryState, row: Sequence[int], anchors: dict[int, int]) -> dict[int, float]:
    """Return turn → how much of a term said in these statements is worth there; note a statement near each turn."""
    statements = state.statements
    reach: dict[int, float] = {}
    for one in row:
        statement = statements[one]
        turn = statement.turn
        reach[turn] = 1.0
        anchors[turn] = one
        follow = ANSWER if statement.question else AFTER
        if reach.get(turn + 1, 0.0) < follow:
            reach[turn + 1] = follow
        if reach.get(turn - 1, 0.0) < BEFORE:
            reach[turn - 1] = BEFORE
        if reach.get(turn + 2, 0.0) < SECOND_AFTER:
            reach[turn + 2] = SECOND_AFTER
        for near in (turn - 1, turn + 1, turn + 2):
            if near not in anchors:
                anchors[near] = one
        if len(row) <= FEW:
            for later, share in enumerate(GOING_ON, turn + 3):
                if reach.get(later, 0.0) < share:
                    reach[later] = share
                anchors.setdefault(later, one)
    return reach


def _of_turn(
    state: MemoryState,
    turn: int,
    anchor: int,
    rare: Sequence[tuple[float, int, dict[int, float]]],
    common: Sequence[tuple[float, int]],
) -> Iterable[tuple[int, float]]:
    """Give the statements of a turn with their scores; `anchor` is a statement in it or close by."""
    order, statements, index = state.index.order, state.statements, state.index
    near = 0.0
    more = list(common)
    for worth, key, reach in rare:
        share = reach.get(turn)
        if share is not None:
            elsewhere = worth * min(IN_TURN, share)
            near += elsewhere
            more.append((worth - elsewhere, key))
    at = bisect_left(order, anchor)
    while at > 0 and statements[order[at - 1]].turn >= turn:
        at -= 1
    while at < len(order) and statements[order[at]].turn < turn:
        at += 1
    while at < len(order) and statements[order[at]].turn == turn:
        value = near
        mine = index.keys_at(at)
        for gain, key in more:
            if key in mine:
                value += gain
        yield order[at], value
        at += 1
