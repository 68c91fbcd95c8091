"""Statements: what is kept of an utterance, and when one is no longer shown as it stands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from claudemem_edge.shapes.memory import Statement
from claudemem_edge.state_engine.gather import gathered

if TYPE_CHECKING:
    from claudemem_edge.shapes.reading import Clause, Span
    from claudemem_edge.shapes.times import TimeMention
    from claudemem_edge.state_engine.progress import Progress

FORGETTING = frozenset({"forget_last", "forget_task", "forget_topic", "forget_entity", "forget_all"})
SPOKEN_TO_US = FORGETTING | {
    "list_memory", "list_pending", "cancel", "snooze", "repeat", "reply_language", "whose_memory",
    "ask_time", "ask_date",
}  # fmt: skip
"""Orders whose words are no part of what was told."""


def overlap(one: Span, other: Span) -> bool:
    """Tell whether two spans share a character."""
    return one[0] < other[1] and other[0] < one[1]


def forgetting(progress: Progress, span: Span) -> bool:
    """Tell whether these words stand in an order to forget: nothing is learned from them."""
    return any(one.kind in FORGETTING and overlap(one.span, span) for one in progress.reading.commands)


def store(progress: Progress) -> None:
    """Keep the clauses of the utterance, but for those that only give an order."""
    reading = progress.reading
    speaker = _kept_speaker(progress)
    for clause in gathered(reading) if progress.read_in and not progress.read_in.joined else reading.clauses:
        if reading.commands and _only_an_order(progress, clause.span):
            continue
        _store_clause(progress, clause, speaker)


def origin(progress: Progress, span: Span) -> tuple[int, ...]:
    """Return the statements of this utterance that hold these words, or else all of them."""
    state = progress.state
    if len(progress.statements) > 1:
        words = progress.reading.utterance.text[span[0] : span[1]].strip()
        held = tuple(one for one in progress.statements if words and words in state.statements[one].text)
        if held:
            return held
    return tuple(progress.statements)


def record_reply(progress: Progress, text: str) -> None:
    """Keep what we say ourselves, for "say that again" alone; it takes the place of what we said before."""
    state = progress.state
    _drop_own_reply(progress)
    language = progress.language.code if progress.language else ""
    reply = Statement(progress.ledger.new_id(), state.turn, "assistant", text, progress.now.wall, language, shown=False)
    progress.ledger.add_statement(reply, ())
    state.last_reply = reply.id


def heard_reply(progress: Progress) -> None:
    """Let the model's answer be what "say that again" repeats."""
    _drop_own_reply(progress)
    progress.state.last_reply = progress.statements[-1]


def own_words(statement: Statement) -> bool:
    """Tell whether a statement is something the daemon said itself: that alone has no digest."""
    return statement.digest == 0


def holds(text: str, value: str) -> bool:
    """Tell whether a text holds a value as a whole: "72" stands in "72 kg", not in "172" or "72.5"."""
    text, value = text.casefold(), value.casefold()
    at = text.find(value) if value else -1
    while at >= 0:
        end = at + len(value)
        if not (_grows(text, at, at - 1) or _grows(text, end - 1, end)):
            return True
        at = text.find(value, at + 1)
    return False


def hide_holding(progress: Progress, value: str, rests: tuple[int, ...], keep: tuple[int, ...] = ()) -> None:
    """Show no statement any more that holds the old value of a claim which rested on the statements `rests`.

    A statement on which an open claim with the very same value rests is about something else and stays; so do those
    to `keep`, which say themselves that it no longer holds.
    """
    state = progress.state
    wanted = value.casefold()
    holding = [one for one in state.statements.values() if one.shown and wanted in one.text.casefold()]
    holding = [one for one in holding if one.id not in keep and holds(one.text, wanted)]
    if not holding:
        return
    claims = [one for one in state.claims.values() if one.until is None and wanted in one.object.casefold()]
    elsewhere = {id_ for claim in claims if holds(claim.object, value) for id_ in claim.origin}
    for statement in holding:
        if statement.id not in elsewhere or statement.id in rests:
            progress.ledger.set(statement, shown=False)


def show_again(progress: Progress, value: str) -> None:
    """Show statements that were hidden for a value which holds again, unless they hold another old one."""
    old = [one.object for one in progress.state.claims.values() if not one.open]
    for statement in progress.state.statements.values():
        hidden = not statement.shown and not own_words(statement) and holds(statement.text, value)
        if hidden and not any(holds(statement.text, one) for one in old):
            progress.ledger.set(statement, shown=True)


def _drop_own_reply(progress: Progress) -> None:
    state = progress.state
    before = state.statements.get(state.last_reply) if state.last_reply is not None else None
    if before is not None and own_words(before):
        progress.ledger.remove_statement(before.id)


def _grows(text: str, inner: int, outer: int) -> bool:
    """Tell whether the character at `outer` makes a longer word or number of the one at `inner`."""
    if not 0 <= outer < len(text):
        return False
    if text[outer] in ".," and text[inner].isdigit():
        beyond = outer + outer - inner
        return 0 <= beyond < len(text) and text[beyond].isdigit()
    return _joins(text[inner]) and _joins(text[outer]) and text[inner].isdigit() == text[outer].isdigit()


def _joins(character: str) -> bool:
    return character.isalnum() and character < "\u2e80"


def _kept_speaker(progress: Progress) -> str:
    """Return the speaker's name, as the same object for every statement of that person."""
    speaker = progress.reading.utterance.speaker
    newest = next(reversed(progress.state.statements.values()), None)
    return newest.speaker if newest is not None and newest.speaker == speaker else speaker


def _only_an_order(progress: Progress, span: Span) -> bool:
    reading = progress.reading
    if forgetting(progress, span):
        return True
    if not any(one.kind in SPOKEN_TO_US and overlap(one.span, span) for one in reading.commands):
        return False
    told = [one.span for one in reading.claims] + [one.span for one in reading.reminders]
    return reading.whole or not any(overlap(one, span) for one in told)


def _store_clause(progress: Progress, clause: Clause, speaker: str) -> None:
    utterance, state = progress.reading.utterance, progress.state
    start, end = clause.span
    statement = Statement(
        progress.ledger.new_id(),
        state.turn,
        speaker,
        clause.text,
        progress.now.wall,
        utterance.language,
        _times(progress, clause) if progress.reading.times and not progress.now.doubt else (),
        clause.attitude,
        0,
        hash((state.salt, utterance.folded[start:end].strip())),
        clause.question,
    )
    progress.ledger.add_statement(statement, clause.terms)
    progress.statements.append(statement.id)
    progress.change("stored", "statement", statement.id)


def _times(progress: Progress, clause: Clause) -> tuple[TimeMention, ...]:
    """Return the times said inside a clause, with spans in its own text."""
    start, end = clause.span
    shift = max(progress.reading.utterance.text.find(clause.text, start), start)
    return tuple(
        replace(mention, span=(mention.span[0] - shift, mention.span[1] - shift))
        for mention in progress.reading.times
        if start <= mention.span[0] and mention.span[1] <= end
    )
