"""Chooses among statements: all of them if they fit, else the best, told as fully as the room allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claudemem_edge.context_injector import framed, ledger, returns
from claudemem_edge.context_injector.relevance import bare
from claudemem_edge.context_injector.telegram import Telegram
from claudemem_edge.shapes.context import ContextLine

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from claudemem_edge.context_injector.asking import Ask
    from claudemem_edge.context_injector.sight import Sight
    from claudemem_edge.shapes.memory import Statement

NAMED_SPEAKER, DATED, QUESTION = 1.5, 1.4, 0.6
"""Factors for a statement of somebody the question names, for one with a time where a time is asked for, and for one
that only asks."""
STRONG = 0.6
"""Share of the question's weight that makes a statement an answer, whatever the question hangs on."""
WHOLE, FAINT = 0.95, 0.26
"""Share of the question's weight that is all of it; then what has less than so much of the best mark adds nothing."""
BESIDE = 2
"""Statements that may stand beside facts that answer."""
NEAREST, NEAR, BEGINNING, FAR = 2.0, 1.0, 0.5, 0.05
"""What being recent counts: for a question whose words point nowhere, for one that hangs on the talk, for one that
stands alone while the talk has only begun, and later."""
FADE = 0.8
NAMES, FRAMED_NAMES, CRAMPED = 3, 2, 110
"""Names told first; how many of those known by their frame alone, and the room above which they need no such place."""
TIGHT, QUOTED, QUOTED_LEANING, QUOTED_BEYOND = 220, 0.5, 0.2, 0.8
"""Share of the room for statements as said: in a block of so many characters, for a question that leans on the talk,
and of what is beyond them."""
FEW_TURNS = 8
"""Turns looked at for a question that does not lean on the talk."""
ROOMY = 1000
"""Characters from which on what was said last may fill up what evidence leaves over."""
LEAST_FOR_RETURN = 120
UNSURE = 0.8
"""Share of the room for the subject before, when nobody said that it is meant."""
ON_A_DAY = 0.5


def rate(sight: Sight, places: Mapping[int, float]) -> dict[int, float]:
    """Return statement id → share of the question's weight found in and around it, 0 to about 1.

    `places` is what was found of its terms alone (see `score`).
    """
    ask = sight.ask
    mass = ask.weights.mass
    found: dict[int, float] = {}
    for one, value in places.items():
        statement = sight.state.statements[one]
        if sight.visible(statement):
            factor = QUESTION if statement.question else 1.0
            if statement.speaker in ask.speakers:
                factor *= NAMED_SPEAKER
            if ask.when and statement.times:
                factor *= DATED
            found[one] = value / mass * factor
    for day in ask.days:
        for one in sight.said_on(day):
            found[one] = found.get(one, 0.0) + ON_A_DAY
    return found


def fits(sight: Sight, room: int) -> bool:
    """Tell whether all there is fits, as said."""
    return _all(sight, room) is not None


def lines(sight: Sight, marks: Mapping[int, float], room: int) -> list[ContextLine]:
    """Return the lines about what was said, together at most `room` characters with a line end between two."""
    everything = _all(sight, room)
    if everything is not None:
        return everything
    ask = sight.ask
    strong = max(marks.values(), default=0.0)
    mere = not ask.speakers and (bare(sight) or ask.weights.vague)
    leans = mere or (not ask.speakers and (ask.leans or ask.content < NAMES))
    alone = strong >= STRONG and room < ROOMY and not leans and not ask.young
    if alone and strong >= WHOLE:
        marks = {one: mark for one, mark in marks.items() if mark >= FAINT * strong}
    turns = returns.last_turns(sight, returns.TURNS if leans or ask.returns or ask.young else FEW_TURNS)
    before, share = _subject_before(sight, turns, room, strong) if leans or ask.returns else (None, 1.0)
    telegram = Telegram(sight, ask.folded, room)
    if leans and (sight.capitals or room <= CRAMPED):
        named, most = (ledger.names, NAMES) if sight.capitals else (framed.names, FRAMED_NAMES)
        for worth, name in named(sight, turns[:before])[:most]:
            telegram.name(name, worth)
    if before is not None:
        earlier = _ranked(turns[:before], marks, NEAR)
        _tell(sight, telegram, earlier, int(room * (1 - share)))
        if share == 1.0:
            telegram.enrich()
        _tell(sight, telegram, _ranked(turns[before:], marks, NEAR))
        _tell(sight, telegram, earlier)
    if before is None:
        marks = _quote(sight, telegram, marks, room, QUOTED_LEANING if leans else QUOTED)
    _tell(sight, telegram, marks if alone else {**marks, **_ranked(turns, marks, _recency(ask, strong, mere=mere))})
    if not telegram.full and not alone:
        _tell(sight, telegram, _older(sight, turns, telegram.room))
    telegram.enrich()
    return telegram.lines()


def beside(sight: Sight, marks: Mapping[int, float], room: int) -> list[ContextLine]:
    """Return what else is told where facts answer a question already: all there is if it fits, else what is close."""
    everything = _all(sight, room)
    if everything is not None:
        return everything
    close = sorted((one for one in marks if marks[one] >= STRONG), key=lambda one: (-marks[one], -one))[:BESIDE]
    found: list[ContextLine] = []
    for statement in (sight.state.statements[one] for one in close):
        text = sight.full_label(statement) + sight.spelled(statement)
        if sight.visible(statement) and not statement.question and len(text) < room:
            room -= len(text) + 1
            found.append(ContextLine("statement", text, (statement.turn,), round(marks[statement.id], 3)))
    return found


def _quote(
    sight: Sight, telegram: Telegram, marks: Mapping[int, float], room: int, share: float
) -> Mapping[int, float]:
    """Put down what answers best as it was said, as far as there is room for that; return the marks of the rest."""
    most = int(room * share if share < QUOTED else max(room * share, (room - TIGHT) * QUOTED_BEYOND))
    rest, leave = dict(marks), telegram.room - most
    for one in sorted(marks, key=lambda id_: (marks[id_], id_), reverse=True):
        if telegram.room <= leave or ((room <= TIGHT or share < QUOTED) and marks[one] < STRONG):
            break
        if telegram.quote(sight.state.statements[one], marks[one], leave):
            del rest[one]
    return rest


def _recency(ask: Ask, strong: float, *, mere: bool) -> float:
    """Return what being recent counts: much for a question that only the talk explains, little in a long talk."""
    if mere:
        return NEAREST
    if ask.leans and not ask.speakers and (strong < STRONG or ask.young):
        return NEAR
    return BEGINNING if ask.young else FAR


def _tell(sight: Sight, telegram: Telegram, ranks: Mapping[int, float], leave: int = 0) -> None:
    for one in sorted(ranks, key=lambda id_: (ranks[id_], id_), reverse=True):
        if telegram.full:
            break
        if one not in sight.covered:
            telegram.tell(sight.state.statements[one], ranks[one], leave)


def _ranked(turns: Sequence[Sequence[Statement]], marks: Mapping[int, float], recency: float) -> dict[int, float]:
    """Return statement id → its mark and what it gains by being recent among these turns."""
    newest = turns[-1][0].turn if turns else 0
    return {
        one.id: marks.get(one.id, 0.0) + recency * FADE ** (newest - one.turn) for turn in turns for one in turn
    }  # fmt: skip


def _older(sight: Sight, turns: Sequence[Sequence[Statement]], room: int) -> dict[int, float]:
    """Return statements from before these turns, enough of them to fill the room, the newer the better."""
    oldest = turns[0][0].id if turns else 0
    found: dict[int, float] = {}
    for statement in sight.newest_first():
        if statement.id < oldest:
            found[statement.id] = 0.0
            room -= len(statement.text) // 3
            if room < 0:
                break
    return found


def _all(sight: Sight, room: int) -> list[ContextLine] | None:
    """Return all there is as said and in order, with its speakers if that fits; None when there is too much."""
    found: list[Statement] = []
    left = room
    for statement in sight.newest_first():
        left -= len(sight.text(statement)) + bool(found)
        if left < 0:
            return None
        found.append(statement)
    found = list(sight.without_repeats(found))[::-1]
    ways: tuple[Callable[[Statement], str], ...] = (
        lambda one: sight.full_label(one) + sight.spelled(one, roomy=True),
        lambda one: sight.full_label(one) + sight.spelled(one),
        sight.spelled,
        sight.text,
    )
    for say in ways:
        told = [ContextLine("statement", text, (one.turn,)) for one in found if (text := say(one))]
        if sum(len(line.text) + 1 for line in told) - 1 <= room:
            return told
    return []


def _subject_before(
    sight: Sight, turns: Sequence[Sequence[Statement]], room: int, strong: float
) -> tuple[int | None, float]:
    """Return where the running subject began if the one before it is meant, and that one's share of the room."""
    ask = sight.ask
    if ask.returns:
        return returns.began(sight, turns), 1.0
    alone = strong >= STRONG and ask.content >= 2
    if room < LEAST_FOR_RETURN or alone or ask.opens:
        return None, 1.0
    if ask.closes or not returns.closed(sight, turns):
        return None, 1.0
    return returns.began(sight, turns), UNSURE
