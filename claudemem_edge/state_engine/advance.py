"""The engine's one entry: lets a reading change a memory, whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claudemem_edge.shapes.outcome import Outcome
from claudemem_edge.state_engine import (
    claims,
    clock_set,
    commands,
    corrections,
    decay,
    entity_map,
    items,
    naming,
    questions,
    statements,
    topic_chain,
    triggers,
)
from claudemem_edge.state_engine.ledger import Ledger
from claudemem_edge.state_engine.progress import DOOR, Progress

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Lexicon
    from claudemem_edge.shapes.memory import MemoryState
    from claudemem_edge.shapes.options import MemoryOptions
    from claudemem_edge.shapes.reading import Reading
    from claudemem_edge.shapes.times import Moment

WITHOUT_CLAIMS = frozenset({"assistant", "event", DOOR})
GIVING_ORDERS = frozenset({"user", DOOR})


def advance(
    state: MemoryState, reading: Reading, now: Moment, *, lexicon: Lexicon, options: MemoryOptions, door: str = ""
) -> Outcome:
    """Change `state` by what was read. On an exception the memory is as it was. `door` is where it was said.

    Only the user gives orders and is answered; every other speaker's words are kept, and those of a named speaker
    make claims too. Raises BadRequest for a door's command that makes no sense, Full for a claim or item too many.
    """
    ledger = Ledger(state)
    try:
        outcome = _advance(Progress(ledger, reading, now, lexicon, options, door, None))
    except BaseException:
        ledger.rollback()
        raise
    ledger.close()
    return outcome


def _advance(progress: Progress) -> Outcome:
    state, reading = progress.state, progress.reading
    speaker = reading.utterance.speaker
    clock_set.follow(progress)
    if speaker != DOOR:
        state.turn += 1
    if speaker == "user" and reading.utterance.language:
        state.language = reading.utterance.language
    progress.language = progress.lexicon.get(state.reply_language or reading.utterance.language or state.language)
    if state.open_question is not None:
        questions.drop_expired(progress)
        questions.try_answer(progress)
    if _adds(reading, speaker):
        decay.require_room(progress)
    if reading.commands and speaker in GIVING_ORDERS and not progress.answered:
        commands.obey_all(progress)
    if speaker != DOOR:
        _learn(progress, speaker)
        decay.clean(progress)
    return _outcome(progress)


def _adds(reading: Reading, speaker: str) -> bool:
    """Tell whether this would keep something that no cleaning may drop."""
    if reading.commands and reading.whole:
        return any(command.kind == "add" for command in reading.commands)
    return bool((reading.claims and speaker not in WITHOUT_CLAIMS) or (reading.reminders and speaker == "user"))


def _learn(progress: Progress, speaker: str) -> None:
    reading = progress.reading
    if not (progress.answered and not reading.claims and len(reading.clauses) == 1):
        statements.store(progress)
        triggers.notice_events(progress)
    if reading.claims and speaker not in WITHOUT_CLAIMS:
        naming.tie_all(progress)
    if reading.mentions:
        entity_map.sight_all(progress)
    if reading.claims and speaker not in WITHOUT_CLAIMS:
        claims.learn_all(progress)
    if speaker == "user" and not progress.answered:
        if reading.claims or reading.commands:
            corrections.correct_all(progress)
        if reading.reminders:
            items.make_all(progress)
    if progress.statements:
        topic_chain.place(progress.ledger, progress.statements, reading, progress.read_in)
        if speaker == "assistant":
            statements.heard_reply(progress)


def _outcome(progress: Progress) -> Outcome:
    state, reading = progress.state, progress.reading
    say = progress.spoken()
    if say and not (progress.from_door or progress.keep_reply):
        statements.record_reply(progress, say)
    return Outcome(
        state.turn,
        tuple(progress.changes),
        say,
        bool(say) and (reading.whole or progress.answered or progress.settled),
        state.open_question,
        progress.language.code if progress.language else "",
    )
