"""Orders to the memory: forget, go back, what do you remember, done, cancel, later, say that again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claudemem_edge.input_filter.overlap import without_overlap
from claudemem_edge.shapes.reading import Command

if TYPE_CHECKING:
    import re

    from claudemem_edge.input_filter.ground import Ground
    from claudemem_edge.language.pack import Language, Rule, Scan
    from claudemem_edge.shapes.reading import Span

POLITE = "polite"
"""The `command` of rules for words that only surround an order: they are no order themselves."""
MOST_ANSWER_CHARS = {True: 12, False: 40}
"""A yes or no that may be all of an utterance is no longer than this, by whether words are joined."""
MOST_ORDERS = 32
MARKS = " ,.!?;:。、…~"


def candidates(folded: str, scan: Scan, language: Language) -> list[Rule]:
    """Return the rules that may find an order in a text: those for short answers are for short texts alone."""
    short = len(folded) <= MOST_ANSWER_CHARS[language.joined]
    return [
        rule
        for rule in language.candidates("commands", scan)
        if rule.fields["command"] != POLITE and (short or not rule.fields.get("alone"))
    ]


def find(ground: Ground, scan: Scan, language: Language) -> tuple[Command, ...]:
    """Return the orders of an utterance from left to right; of two that overlap, the longer one.

    Whether an order is `whole` is for the caller to say, who knows what else was understood.
    """
    found: list[Command] = []
    for rule in candidates(ground.folded, scan, language):
        found.extend(
            Command(
                rule.fields["command"],
                _argument(ground, rule, match, language),
                match.span(),
                rule.id,
                whole=False,
                who=ground.slice(match, "who") if "who" in rule.pattern.groupindex else "",
            )
            for match in ground.matches(rule, masked=rule.fields.get("times", False))
            if not (rule.fields.get("alone") and _leftover(ground, match))
        )
    return without_overlap(found)[:MOST_ORDERS]


def politeness(ground: Ground, scan: Scan, language: Language) -> list[tuple[str, Span]]:
    """Return where words stand that only surround an order, with their rules."""
    return [
        (rule.id, match.span())
        for rule in language.candidates("commands", scan)
        if rule.fields["command"] == POLITE
        for match in ground.matches(rule, masked=False)
    ]


def covers(text: str, spans: list[Span]) -> bool:
    """Tell whether these spans leave nothing of the text but marks and blanks."""
    last = 0
    for start, end in sorted(spans):
        if text[last:start].strip(MARKS):
            return False
        last = max(last, end)
    return not text[last:].strip(MARKS)


def _leftover(ground: Ground, match: re.Match[str]) -> bool:
    return match.start() > 0 or bool(ground.folded[match.end() :].strip(MARKS))


def _argument(ground: Ground, rule: Rule, match: re.Match[str], language: Language) -> str:
    """Return the argument that the rule fixes, or the words of its groups `argument…`, in their order."""
    fixed = rule.fields.get("argument")
    if fixed is not None:
        return str(fixed)
    parts = [ground.slice(match, name) for name in rule.pattern.groupindex if name.startswith("argument")]
    return ("" if language.joined else " ").join(filter(None, parts))
