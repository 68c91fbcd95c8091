"""Time expressions: the entry of the time grammar.

Cut into pieces (`time_pieces`), join by the language's rules (`time_reduce`), resolve against now (`time_resolve`).
The policy for what words mean stands at the head of each `times.toml`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claudemem_edge.input_filter import time_fallback
from claudemem_edge.input_filter.normalize import fold
from claudemem_edge.input_filter.time_alignment import aligned, plain
from claudemem_edge.input_filter.time_grammar import GAP, Grammar, grammar_of
from claudemem_edge.input_filter.time_pieces import cut
from claudemem_edge.input_filter.time_point import Setting
from claudemem_edge.input_filter.time_reduce import PAST, reduce
from claudemem_edge.input_filter.time_resolve import resolve
from claudemem_edge.shapes.terms import words_apart
from claudemem_edge.shapes.times import TimeMention

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claudemem_edge.input_filter.time_pieces import Piece
    from claudemem_edge.input_filter.time_point import Answer
    from claudemem_edge.language.pack import Language, Lexicon
    from claudemem_edge.shapes.reading import Span
    from claudemem_edge.shapes.times import Moment

MOST_GRAMMARS = 32
HAS_LETTERS = re.compile(r"[^\W\d_]")


@dataclass(slots=True, frozen=True)
class TimesRead:
    """What was understood, left to right, and the places where a time was said but not understood."""

    mentions: tuple[TimeMention, ...] = ()
    unclear: tuple[Span, ...] = ()


NOTHING = TimesRead()
_grammars: dict[int, tuple[Language, Grammar | None]] = {}
"""By identity of the language, which is kept beside so that the identity stays its own."""


def read_times(text: str, now: Moment, lexicon: Lexicon, hint: str = "") -> TimesRead:
    """Find and resolve the time expressions of a text in its own language; spans are in the text as given.

    `hint` is a language code; where it names one that `time_fallback.prepare` was told of, absolute dates are all.
    """
    if hint and time_fallback.prepared(hint):
        return TimesRead(tuple(time_fallback.absolute_dates(text, now.wall, hint)))
    folded, origins = aligned(text)
    language = lexicon.of(folded, hint) or (None if HAS_LETTERS.search(folded) else lexicon.get(""))
    if language is None:
        return NOTHING
    folded = fold(folded, language.simplified)
    return _read(text, folded, origins, words_apart(folded), now, language)


def times_of_utterance(
    text: str, folded: str, words: Sequence[str], now: Moment, language: Language, hint: str = ""
) -> TimesRead:
    """Do the same for an utterance whose text is clean, folded and scanned already (see Scan.pieces for `words`)."""
    if hint and time_fallback.prepared(hint):
        return TimesRead(tuple(time_fallback.absolute_dates(text, now.wall, hint)))
    return _read(text, plain(folded), None, words, now, language)


def _read(
    text: str, folded: str, origins: list[int] | None, words: Sequence[str], now: Moment, language: Language
) -> TimesRead:
    grammar = _grammar(language)
    if grammar is None or not grammar.may_hold_time(folded, words):
        return NOTHING
    pieces = reduce(cut(folded, grammar), grammar)
    if not pieces:
        return NOTHING
    mentions: list[TimeMention] = []
    unclear: list[Span] = []
    setting = Setting(now.wall, grammar.tables, past=any(piece.kind == PAST for piece in pieces))
    for at, piece in enumerate(pieces):
        vague = piece.kind in grammar.tables["unclear"]
        if not vague and not (piece.rule and piece.kind in grammar.tables["results"]):
            continue
        span = (piece.start, piece.end)
        given = _given(span, origins)
        answer = None if vague or _leftover(pieces, at, grammar) else resolve(piece.fields, setting)
        if answer is None or _ends_too_soon(answer):
            unclear.append(given)
        else:
            mentions.append(_mention(text, given, answer, piece.rule))
    return TimesRead(tuple(mentions), tuple(unclear))


def _given(span: Span, origins: list[int] | None) -> Span:
    """Return a span of the matching form as one of the text as given."""
    return span if origins is None else (origins[span[0]], origins[span[1] - 1] + 1)


def _grammar(language: Language) -> Grammar | None:
    known = _grammars.get(id(language))
    if known is not None and known[0] is language:
        return known[1]
    while len(_grammars) >= MOST_GRAMMARS:
        del _grammars[next(iter(_grammars))]
    grammar = grammar_of(language)
    _grammars[id(language)] = (language, grammar)
    return grammar


def _leftover(pieces: list[Piece], at: int, grammar: Grammar) -> bool:
    """Tell whether a time word that no rule took touches the match: then it was not understood whole."""
    return any(
        0 <= beside < len(pieces) and grammar.codes[pieces[beside].kind] in grammar.leftovers
        for beside in (at - 1, at + 1)
        if not (0 <= beside < len(pieces)) or pieces[beside].kind != GAP
    )


def _ends_too_soon(answer: Answer) -> bool:
    """Tell whether what was said contradicts itself, as "late in March, on New Year's Day" does."""
    return answer.start is not None and answer.end is not None and answer.end <= answer.start


def _mention(text: str, span: Span, answer: Answer, rule: str) -> TimeMention:
    return TimeMention(
        text[span[0] : span[1]],
        span,
        answer.start,
        answer.end,
        answer.grain,
        recurrence=answer.recurrence,
        duration_s=answer.duration_s,
        ambiguous=answer.ambiguous,
        elapsed=answer.elapsed,
        rule=rule,
        either_half=answer.either_half,
    )
