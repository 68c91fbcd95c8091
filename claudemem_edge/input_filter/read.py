"""The filter's one entry: calls the readers in order and puts their findings together."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from claudemem_edge.input_filter import (
    asserted,
    attitude,
    claims,
    clauses,
    commands,
    ground,
    mentions,
    normalize,
    references,
    reminders,
    times,
)
from claudemem_edge.language.per_language import PerLanguage
from claudemem_edge.shapes.reading import Clause, Reading, Utterance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claudemem_edge.input_filter.times import TimesRead
    from claudemem_edge.language.pack import Language, Lexicon, Scan
    from claudemem_edge.shapes.reading import Command, ReminderDraft, Span
    from claudemem_edge.shapes.terms import TermIndex
    from claudemem_edge.shapes.times import Moment

STILL_ASSERTING = frozenset({"change", "done", "correct", "yes", "no"})
"""Orders whose words are also a statement: "I have taken my pills"."""
NO_CLAIMS = frozenset({"assistant", "event", "door"})
FEWEST_FOREIGN_WORDS = 4
ACCENTED = re.compile(r"[^\W\d_a-z]")


@dataclass(slots=True, frozen=True)
class _Orders:
    """Commands and reminders of an utterance, and whether they are all of it."""

    commands: tuple[Command, ...] = ()
    reminders: tuple[ReminderDraft, ...] = ()
    whole: bool = False
    polite: tuple[tuple[str, Span], ...] = ()


def read(text: str, *, speaker: str, now: Moment, lexicon: Lexicon, names: TermIndex, hint: str = "") -> Reading:
    """Read one utterance of any speaker. `names` are the entities this memory knows; `hint` a language code."""
    kept = normalize.clean(text)
    folded = normalize.fold(kept)
    language = lexicon.of(folded, hint)
    if language is None:
        return _unread(kept, folded, speaker, times.read_times(kept, now, lexicon, hint))
    if language.simplified:
        folded = language.simplified.apply(folded)
    scan = language.scan(folded)
    if _foreign(folded, scan, language, lexicon, hint):
        return _unread(kept, folded, speaker, times.TimesRead())
    found = times.times_of_utterance(kept, folded, scan.pieces, now, language, hint)
    return _understand(Utterance(speaker, kept, folded, language.code), found, scan, language, names)


def _understand(utterance: Utterance, found: TimesRead, scan: Scan, language: Language, names: TermIndex) -> Reading:
    folded = utterance.folded
    spans = clauses.spans(folded, language)
    verdicts, fired = asserted.judge(folded, spans, scan, language)
    attitudes, felt = attitude.weigh(folded, spans, scan, language)
    orders = _orders(utterance, found, spans, verdicts, scan, language) if utterance.speaker == "user" else _Orders()
    pieces = _clauses(utterance, spans, verdicts, attitudes, orders, language)
    named = mentions.find(utterance, scan, language, names)
    pointing = references.find(utterance, scan, language)
    claimed = (
        claims.find(utterance, pieces, scan, language, named, found.mentions)
        if utterance.speaker not in NO_CLAIMS
        else ()
    )
    rules = [*fired, *felt, *orders.polite]
    for records in (found.mentions, orders.commands, orders.reminders, named, pointing, claimed):
        rules.extend((record.rule, record.span) for record in records)
    requests = [draft.span for draft in orders.reminders]
    return Reading(
        utterance,
        clauses=pieces,
        commands=orders.commands,
        times=found.mentions,
        unclear_times=found.unclear,
        mentions=named,
        references=pointing,
        claims=claimed,
        reminders=orders.reminders,
        attitude=attitude.overall(attitudes),
        question=any(piece.question and not _inside(piece.span, requests) for piece in pieces),
        whole=orders.whole,
        fired=tuple(rules),
    )


def _orders(
    utterance: Utterance,
    found: TimesRead,
    spans: Sequence[Span],
    verdicts: Sequence[asserted.Verdict],
    scan: Scan,
    language: Language,
) -> _Orders:
    """Find commands and reminders, drop those that are somebody else's or only supposed, and see what is left."""
    if not (commands.candidates(utterance.folded, scan, language) or language.candidates("reminders", scan)):
        return _Orders()
    base = ground.prepare(utterance.text, utterance.folded, found, language)
    barred = [span for span, verdict in zip(spans, verdicts, strict=True) if not verdict.orders]
    drafts = tuple(
        draft for draft in reminders.find(base, scan, language) if draft.trigger or not _begins_in(draft.span, barred)
    )
    taken = [draft.span for draft in drafts]
    ordered = tuple(
        command
        for command in commands.find(base, scan, language)
        if not _begins_in(command.span, barred) and not _inside(command.span, taken)
    )
    if not drafts and not ordered:
        return _Orders()
    polite = commands.politeness(base, scan, language)
    around = [*base.breaks, *base.links, *(span for _, span in polite)]
    everything = [*taken, *(command.span for command in ordered), *around]
    said_once = {(command.kind, command.argument): command for command in reversed(ordered)}.values()
    return _Orders(
        tuple(
            replace(command, whole=commands.covers(utterance.folded, [command.span, *around]))
            for command in reversed(said_once)
        ),
        drafts,
        commands.covers(utterance.folded, everything),
        tuple(polite),
    )


def _clauses(
    utterance: Utterance,
    spans: Sequence[Span],
    verdicts: Sequence[asserted.Verdict],
    attitudes: Sequence[float],
    orders: _Orders,
    language: Language,
) -> tuple[Clause, ...]:
    text, folded = utterance.text, utterance.folded
    ordering = [command.span for command in orders.commands if command.kind not in STILL_ASSERTING]
    ordering.extend(draft.span for draft in orders.reminders)
    spoken = utterance.speaker != "assistant"
    return tuple(
        [
            Clause(
                text[span[0] : span[1]],
                span,
                clauses.terms(folded[span[0] : span[1]], language),
                verdict.question,
                spoken and verdict.asserted and not (ordering and _inside(span, ordering)),
                feeling,
            )
            for span, verdict, feeling in zip(spans, verdicts, attitudes, strict=True)
        ]
    )


def _inside(span: Span, others: Sequence[Span]) -> bool:
    """Tell whether more than half of a span lies in the others."""
    covered = sum(max(0, min(span[1], end) - max(span[0], start)) for start, end in others)
    return 2 * covered > span[1] - span[0]


def _begins_in(span: Span, others: Sequence[Span]) -> bool:
    return any(start <= span[0] < end for start, end in others)


def _foreign(folded: str, scan: Scan, language: Language, lexicon: Lexicon, hint: str) -> bool:
    """Tell whether a text in Latin script is in another language than the pack's.

    It is when it has more everyday words of others; without any of either, by the door's hint and by its letters.
    """
    if language.script != "latin":
        return False
    others = len(scan.spans("foreign"))
    if not others and not hint and folded.isascii():
        return False
    words = folded.split()
    everyday = everyday_words(language)
    own = sum(word.strip(",.!?;:") in everyday for word in words)
    if own or others:
        return others > own
    code = hint.partition("-")[0].partition("_")[0].lower()
    return bool(code and code not in lexicon.languages) or (
        len(words) >= FEWEST_FOREIGN_WORDS and bool(ACCENTED.search(folded))
    )


def _everyday(language: Language | None) -> frozenset[str]:
    return frozenset(language.tables.get("foreign", {}).get("everyday", "").split()) if language else frozenset()


everyday_words = PerLanguage(_everyday)


def _unread(kept: str, folded: str, speaker: str, found: TimesRead) -> Reading:
    """Return a reading of words alone: no rule fires in a language without a pack."""
    return Reading(
        Utterance(speaker, kept, folded, ""),
        clauses=tuple(
            Clause(
                kept[start:end],
                (start, end),
                clauses.terms(folded[start:end]),
                question="?" in folded[end : end + 2],
                asserted=False,
            )
            for start, end in clauses.spans(folded)
        ),
        times=found.mentions,
        unclear_times=found.unclear,
        question="?" in folded,
    )
