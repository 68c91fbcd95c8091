"""Names in the text: people, places, organisations, medicines, devices, works, numbers.

What this memory knows comes first, then word lists and rules of `mentions.toml`; where two overlap the longer one
stands, but without spaces between words a rule adds nothing in front of a listed name. Only what is right most of the
time is a rule: a name that is none does more harm than one that is missed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from claudemem_edge.input_filter.mention_lists import compounds, listed, relations
from claudemem_edge.input_filter.mention_tables import mention_rules
from claudemem_edge.input_filter.proper_names import proper_end, proper_start
from claudemem_edge.shapes.reading import Mention

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from claudemem_edge.input_filter.mention_tables import MentionRule
    from claudemem_edge.language.pack import Language, Scan
    from claudemem_edge.shapes.reading import Span, Utterance
    from claudemem_edge.shapes.terms import TermIndex

KNOWN = "names"
"""What stands for a rule when the memory itself knew the name."""


def find(utterance: Utterance, scan: Scan, language: Language, names: TermIndex) -> tuple[Mention, ...]:
    """Return the names in an utterance, from left to right; `names` are those this memory knows."""
    found: list[Mention] = []
    if scan.lists:
        found += compounds(utterance, scan, language)
        found += relations(utterance, scan, language)
        found += listed(utterance, scan, language)
    ends = {(mention.span[1], mention.kind) for mention in found} if language.joined else set()
    for rule in language.candidates("mentions", scan):
        found += (
            mention
            for mention in _by_rule(mention_rules(language)[rule.id], utterance)
            if (mention.span[1], mention.kind) not in ends
        )
    hits = names.hits(utterance.folded, scan.pieces)
    known = [Mention(hit.value, "", (hit.start, hit.end), KNOWN, known=True) for hit in hits]
    if not found and not known:
        return ()
    return _without_overlap(_with_kinds(known, found) + found, len(utterance.folded))


def _by_rule(rule: MentionRule, utterance: Utterance) -> Iterator[Mention]:
    at = 0
    while match := rule.rule.pattern.search(utterance.folded, at):
        start, end = _name_span(rule, match, utterance.text)
        if start < end:
            yield Mention(utterance.text[start:end], rule.kind, (start, end), rule.rule.id)
        at = end if start < end else match.start() + 1


def _name_span(rule: MentionRule, match: re.Match[str], text: str) -> Span:
    """Return where the name in a match stands once its capitals are looked at; an empty span when it is none."""
    start, end = match.span("name")
    if rule.proper:
        proper, last = match.span("proper")
        end = proper_end(text, proper, last, rule.words_not_names)
        if end <= (match.start("needed") if rule.needed else proper):
            return start, start
    if rule.leads_up:
        suffix = match.start("leads_up")
        start = proper_start(text, start, suffix, rule.words_not_names)
        if start >= suffix:
            return end, end
    return start, end


def _with_kinds(known: list[Mention], found: list[Mention]) -> list[Mention]:
    """Give the known names the kind that a list or rule sees at the same place."""
    kinds = {mention.span: mention.kind for mention in found}
    return [replace(mention, kind=kinds.get(mention.span, "")) for mention in known]


def _without_overlap(found: list[Mention], length: int) -> tuple[Mention, ...]:
    """Keep the longest of those that overlap; of equals the first, so that known names come before all else."""
    found.sort(key=lambda mention: mention.span[0] - mention.span[1])
    kept: list[Mention] = []
    taken = bytearray(length)
    for mention in found:
        start, end = mention.span
        if not any(taken[start:end]):
            taken[start:end] = b"1" * (end - start)
            kept.append(mention)
    kept.sort(key=lambda mention: mention.span)
    return tuple(kept)
