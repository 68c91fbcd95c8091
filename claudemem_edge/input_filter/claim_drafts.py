"""Turns a rule's match into drafts: fills in its texts, canonical names, and the subject."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from claudemem_edge.input_filter.claim_rules import BEGINS, BEGINS_ALONE, as_digits
from claudemem_edge.input_filter.proper_names import proper_end
from claudemem_edge.shapes.reading import ClaimDraft

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from claudemem_edge.input_filter.claim_rules import ClaimRule, DraftShape
    from claudemem_edge.input_filter.claim_subjects import Ground, Subject
    from claudemem_edge.language.pack import Language
    from claudemem_edge.shapes.reading import Span
    from claudemem_edge.shapes.times import TimeMention

STRIPPED = " ,，、。.;；:：!！\"'“”‘’"
DAY_PATTERNS = {"year": "%Y", "month": "%Y-%m"}
ANY_KIND = frozenset({"any", "thing"})
SLACK_CHARS = 1
"""How much may stand behind a name that fills its place: the word for a city, a tablet."""
RELATIONS = frozenset({"relation", "pet"})
"""Groups whose words stand for a relation, and are kept in the form of the list."""
NAME = "name"
ATTRIBUTE, IS = "attribute", "is"
"""The value of something of the user's; of anything whose owner is named in the subject."""
USER = "user"
RELATION_LISTS = ("relations", "roles")


@dataclass(slots=True, frozen=True)
class Built:
    """The drafts of one match, where it really ends, and the name that what follows is about."""

    drafts: list[ClaimDraft]
    end: int
    carry: str = ""


def build(
    rule: ClaimRule,
    match: re.Match[str],
    subject: Subject | None,
    ground: Ground,
    language: Language,
    times: tuple[TimeMention, ...],
) -> Built | None:
    """Return what a match claims; None when a name it asks for is not there."""
    values, end = _values(rule, match, ground, language)
    if subject is not None:
        values.setdefault("subject", subject.name)
    span = _span(match.start(), end, ground)
    drafts = [
        _dated(draft, ground, times)
        for shape in rule.drafts
        if (draft := _draft(shape, rule, span, values, subject, ground)) is not None
    ]
    return Built(drafts, end, _filled(rule.carry, values)) if drafts else None


def _values(rule: ClaimRule, match: re.Match[str], ground: Ground, language: Language) -> tuple[dict[str, str], int]:
    """Return the value of each group, empty where it says nothing, and the end of the match less what was no name."""
    values: dict[str, str] = {}
    last = match.end()
    for group in match.re.groupindex:
        start, end = match.span(group)
        kind = rule.kinds.get(group)
        if start < 0:
            subject = kind if rule.drafts[0].subject == f"{{{group}}}" else None
            values[group] = ground.earlier(subject, match.start()) if subject is not None else ""
        elif kind is not None and kind.endswith(BEGINS_ALONE):
            values[group], stop = _beginning(kind, start, ground)
            last = stop if end == last else last
        elif kind is not None:
            values[group] = _named(kind, start, end, ground)
        elif group in RELATIONS:
            values[group] = _canonical(match.group(group), language)
        elif group in rule.numbers:
            values[group] = as_digits(ground.folded, start, end, language)
        else:
            stop = proper_end(ground.text, start, end, all_words=True) if group in rule.capital else end
            last = stop if stop < end == last else last
            values[group] = ground.text[start:stop].strip(STRIPPED)
    return values, last


def _beginning(kind: str, start: int, ground: Ground) -> tuple[str, int]:
    """Return the name that begins at a place, and its end."""
    mention = ground.named.get(start)
    if mention is None or mention.kind != kind.removesuffix(BEGINS_ALONE):
        return "", start
    return mention.name, mention.span[1]


def _named(kind: str, start: int, end: int, ground: Ground) -> str:
    """Return the name that fills a stretch of text, or the pointing word in it; "" when there is none."""
    mention = ground.named.get(start)
    if mention is not None and mention.kind == kind.removesuffix(BEGINS):
        if kind.endswith(BEGINS):
            return ground.text[start:end].strip(STRIPPED)
        if mention.span[1] >= end - SLACK_CHARS:
            return mention.name
    for at in range(start, end):
        after, points_to = ground.pointers.get(at, (0, ""))
        if 0 < after <= end and (points_to == kind or points_to in ANY_KIND):
            meant = ground.named.get(ground.past_blanks(after))
            if meant is not None:  # "that aspirin" points to nothing but what it names
                return meant.name if meant.kind == kind else ""
            return ground.earlier(kind, at) or ground.text[at:after]
    return ""


def _canonical(word: str, language: Language) -> str:
    for name in RELATION_LISTS:
        found = language.words.get(name, {}).get(word)
        if found is not None:
            return found
    return word


def _filled(template: str, values: Mapping[str, str]) -> str:
    try:
        return template.format_map(values).strip()
    except KeyError:
        return ""


def _draft(
    shape: DraftShape,
    rule: ClaimRule,
    span: Span,
    values: Mapping[str, str],
    subject: Subject | None,
    ground: Ground,
) -> ClaimDraft | None:
    predicate = _filled(shape.predicate, values)
    value = _filled(shape.object, values)
    about = _subject(shape, predicate, values, subject, ground, span[0])
    nameless = any(f"{{{group}}}" in shape.object and not values[group] for group in rule.kinds)
    if not predicate or not value or not about or nameless:
        return None
    if shape.object.strip("{}") in rule.kinds and not shape.denies and value.lower() in ground.pointing:
        return None
    if predicate == NAME and subject is not None and subject.kind == "relation" and not shape.subject:
        predicate, about = subject.relation, ground.speaker
    if predicate == ATTRIBUTE and ground.speaker != USER:
        predicate, about = IS, ground.table.possession.format(owner=ground.speaker, subject=about)
    return ClaimDraft(
        about,
        ground.table.relations.get(predicate, predicate),
        value,
        span,
        rule.rule.id,
        denies=shape.denies,
        because=values.get("because", ""),
    )


def _subject(
    shape: DraftShape,
    predicate: str,
    values: Mapping[str, str],
    subject: Subject | None,
    ground: Ground,
    start: int,
) -> str:
    if shape.subject:
        filled = _filled(shape.subject, values)
        return ground.speaker if filled == USER else filled
    if subject is None:
        return ground.speaker
    kind = ground.table.subject_kinds.get(predicate, "")
    if subject.points_to and subject.points_to in {kind, *ANY_KIND}:
        return ground.earlier(kind, start) or subject.name
    return subject.name


def _span(start: int, end: int, ground: Ground) -> Span:
    while end > start and ground.text[end - 1] in STRIPPED:
        end -= 1
    return start, end


def _dated(draft: ClaimDraft, ground: Ground, times: tuple[TimeMention, ...]) -> ClaimDraft:
    """Put the day itself in place of words for it, which would be wrong tomorrow."""
    if draft.predicate not in ground.table.of_times:
        return draft
    start, end = draft.span
    for time in times[bisect_left(times, start, key=_start) :]:
        if time.span[0] >= end:
            break
        if start <= time.span[0] and time.span[1] <= end and time.start is not None and not time.recurrence:
            day = time.start.strftime(DAY_PATTERNS.get(time.grain, "%Y-%m-%d"))
            if time.grain == "week" and time.end is not None:
                day += "/" + (time.end - timedelta(days=1)).strftime("%Y-%m-%d")
            return replace(draft, object=day)
    return draft


def _start(time: TimeMention) -> int:
    return time.span[0]
