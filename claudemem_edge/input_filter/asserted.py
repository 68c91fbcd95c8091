"""What a clause is worth: a question, something asserted, or words that are not meant as they stand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from claudemem_edge.language.pack import Language, Rule, Scan
    from claudemem_edge.shapes.reading import Span

NO_ORDERS = frozenset({"hypothetical", "joke", "story", "quote", "assistant", "reported"})
"""Effects that make an order somebody else's, or only supposed. All but `reported` keep a clause from making claims."""
HARD_END = re.compile(r"[.!?;。…]")
QUOTED = re.compile(r'["“「『]([^"“”「」『』]{1,400})["”」』]')
MOST_TAG_CHARS = 12
OPENING = frozenset('"“「『')


@dataclass(slots=True)
class Verdict:
    """`orders` is False where a command or reminder would be somebody else's, or only supposed."""

    question: bool = False
    asserted: bool = True
    orders: bool = True


def judge(
    folded: str, spans: Sequence[Span], scan: Scan, language: Language
) -> tuple[list[Verdict], list[tuple[str, Span]]]:
    """Return a verdict for each clause, and the rules that fired with where."""
    verdicts = [Verdict() for _ in spans]
    fired: list[tuple[str, Span]] = []
    if "?" in folded:
        _ask(folded, spans, verdicts)
    if not OPENING.isdisjoint(folded):
        _quote(folded, spans, verdicts)
    for rule in language.candidates("questions", scan):
        reach, reached = rule.fields.get("reach", "clause"), 0
        for at, span in _places(rule, folded, spans):
            fired.append((rule.id, span))
            effect = rule.fields["effect"]
            if effect == "question" and span[0] >= _tag(folded, spans[at]):
                verdicts[at].question = True
            elif at >= reached:
                first, reached = _reach(reach, at, folded, spans)
                for verdict in verdicts[first:reached]:
                    _apply(effect, verdict)
    return verdicts, fired


def _places(rule: Rule, folded: str, spans: Sequence[Span]) -> Iterator[tuple[int, Span]]:
    """Give the clauses that a rule speaks of, with where it fired."""
    pattern = rule.pattern
    try_ = {"start": pattern.match, "whole": pattern.fullmatch}.get(rule.fields.get("at", ""), pattern.search)
    for at, (start, end) in enumerate(spans):
        found = try_(folded, start, end)
        if found is not None:
            yield at, found.span()


def _reach(reach: str, at: int, folded: str, spans: Sequence[Span]) -> Span:
    """Return the clauses that an effect found in clause `at` extends to: it alone, the rest of its sentence, or all."""
    if reach == "utterance":
        return 0, len(spans)
    after = at + 1
    if reach == "sentence":
        while after < len(spans) and not HARD_END.search(folded, spans[after - 1][1], spans[after][0]):
            after += 1
    return at, after


def _apply(effect: str, verdict: Verdict) -> None:
    if effect == "question":
        verdict.question = True
    if effect != "reported":
        verdict.asserted = False
    if effect in NO_ORDERS:
        verdict.orders = False


def _ask(folded: str, spans: Sequence[Span], verdicts: Sequence[Verdict]) -> None:
    for at, (_, end) in enumerate(spans):
        until = spans[at + 1][0] if at + 1 < len(spans) else len(folded)
        if "?" in folded[end:until]:
            if _tag(folded, spans[at]) < end:
                verdicts[at].question = True
            else:
                _apply("question", verdicts[at])


def _tag(folded: str, span: Span) -> int:
    """Return where a short question begins that only follows what is asserted ("…, and you?"); the end if none does."""
    start, end = span
    comma = folded.rfind(",", start, end)
    return comma if start < comma and end - comma <= MOST_TAG_CHARS else end


def _quote(folded: str, spans: Sequence[Span], verdicts: Sequence[Verdict]) -> None:
    """Mark the clauses that stand wholly inside quotation marks."""
    for quoted in QUOTED.finditer(folded):
        first, last = quoted.span()
        for at, (start, end) in enumerate(spans):
            if first <= start and end <= last:
                _apply("quote", verdicts[at])
