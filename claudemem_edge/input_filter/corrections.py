"""Corrections: the words that begin one, and those whose meaning only the memory can know.

"No, Thursday" or "not 12, 8" says a new value without saying of what. Such a draft has an empty subject and an empty
predicate, `object` is the new value, `because` the old one if it was named, and `corrects` is set: the state engine
looks for the claim that is meant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from claudemem_edge.shapes.reading import ClaimDraft

if TYPE_CHECKING:
    from claudemem_edge.input_filter.claim_subjects import Ground
    from claudemem_edge.language.pack import Rule

STRIPPED = " ,，、。.;；:：!！\"'“”‘’"
STRONG = "strong"
OPENED = "opened"
"""Field of a rule: it needs a strong opener before it."""


def opening(ground: Ground, at: int, end: int) -> tuple[str, int]:
    """Return the strength of the correction that begins at `at` ("", weak or strong) and the place behind its words."""
    strength = ""
    at = ground.skip(at, end)
    while at in ground.openers:
        after, found = ground.openers[at]
        strength = strength if strength == STRONG else found
        at = ground.skip(after, end)
    return strength, at


def bare(rules: list[Rule], ground: Ground, at: int, end: int, strength: str) -> tuple[ClaimDraft, int] | None:
    """Return a correction that names values alone, and the place behind it."""
    for rule in rules:
        if rule.fields.get(OPENED, False) and strength != STRONG:
            continue
        match = rule.pattern.match(ground.folded, at, end)
        if match is None:
            continue
        new = _text(ground, match.span("new"))
        old = _text(ground, match.span("old")) if "old" in match.re.groupindex else ""
        if new:
            return ClaimDraft("", "", new, match.span(), rule.id, corrects=True, because=old), match.end()
    return None


def _text(ground: Ground, span: tuple[int, int]) -> str:
    start, end = span
    return ground.text[start:end].strip(STRIPPED) if start >= 0 else ""
