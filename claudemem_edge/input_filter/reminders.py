"""What somebody wants to be reminded of, and when."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claudemem_edge.input_filter import reminder_times
from claudemem_edge.input_filter.ground import TIME, UNCLEAR_TIME
from claudemem_edge.language.per_language import PerLanguage
from claudemem_edge.shapes.reading import ReminderDraft

if TYPE_CHECKING:
    from claudemem_edge.input_filter.ground import Ground
    from claudemem_edge.language.pack import Language, Rule, Scan
    from claudemem_edge.shapes.reading import Span
    from claudemem_edge.shapes.times import TimeMention


MARKS = " ,;:"
SEPARATORS = " ,、"
"""What stands between times that are said in a row."""
TIMES = TIME + UNCLEAR_TIME
MOST_DRAFTS = 32


@dataclass(slots=True, frozen=True)
class _Tables:
    """What a language says about the words around a time: see its `reminders.toml`."""

    belonging: tuple[str, ...] = ()
    leading: re.Pattern[str] | None = None
    urgent: tuple[str, ...] = ()


def _tables(language: Language | None) -> _Tables:
    table = language.tables.get("reminders", {}) if language else {}
    words = "|".join(map(re.escape, table.get("leading", ())))
    blank = r"(?:^|\s)" if language and not language.joined else ""
    return _Tables(
        tuple(table.get("belonging", ())),
        re.compile(rf"{blank}(?:{words})\Z") if words else None,
        tuple(table.get("urgent", ())),
    )


tables = PerLanguage(_tables)


def find(ground: Ground, scan: Scan, language: Language) -> tuple[ReminderDraft, ...]:
    """Return the reminders of an utterance from left to right; where two rules match, the earlier of the file."""
    drafts: list[ReminderDraft] = []
    for rule in language.candidates("reminders", scan):
        for match in ground.matches(rule, masked=True, linked=True):
            start, end = match.span()
            if len(drafts) < MOST_DRAFTS and not any(start < draft.span[1] and draft.span[0] < end for draft in drafts):
                drafts.append(_draft(ground, rule, match, language))
    return tuple(sorted(drafts, key=lambda draft: draft.span)) if len(drafts) > 1 else tuple(drafts)


def _draft(ground: Ground, rule: Rule, match: re.Match[str], language: Language) -> ReminderDraft:
    span, about = match.span(), tables(language)
    inside = [time for time in ground.times if span[0] <= time.span[0] and time.span[1] <= span[1]]
    fixed = rule.fields.get("text")
    early = match.span("ahead") if "ahead" in rule.pattern.groupindex else (-1, -1)
    ahead = [time for time in inside if early[0] <= time.span[0] and time.span[1] <= early[1]]
    others = [time for time in inside if time not in ahead]
    settled = reminder_times.settle(others, match.span("text") if fixed is None else (0, 0), language)
    if early[0] >= 0:
        settled = reminder_times.ahead_of(settled, ahead)
    text_span, time = settled.text, settled.time
    if rule.fields.get("wakes") and time is not None:
        time = reminder_times.in_the_morning(time, language)
    around = f"{ground.folded[span[0] : text_span[0]]}\n{ground.folded[max(span[0], text_span[1]) : span[1]]}"
    taken = None if time is None or match.span("text" if fixed is None else 0) != text_span else time
    begin = _begin_of_row(ground.masked, span[0])
    return ReminderDraft(
        str(fixed) if fixed is not None else _text(ground, text_span, taken, about),
        (begin, span[1]),
        rule.id,
        time,
        unclear=bool(rule.fields.get("unclear"))
        or not settled.clear
        or reminder_times.cut_apart(others, language)
        or begin < span[0]
        or any(span[0] <= start and end <= span[1] for start, end in ground.unclear),
        trigger=ground.slice(match, "trigger") if "trigger" in rule.pattern.groupindex else "",
        counts_down=bool(rule.fields.get("counts_down")),
        urgent=any(word in around for word in about.urgent),
    )


def _begin_of_row(masked: str, start: int) -> int:
    """Return where the times begin that are said in a row before a reminder, of which its rule has taken the last."""
    before = masked[:start].rstrip(SEPARATORS)
    return len(before.rstrip(SEPARATORS + TIMES)) if before.endswith((TIME, UNCLEAR_TIME)) else start


def _text(ground: Ground, span: Span, time: TimeMention | None, about: _Tables) -> str:
    """Return the words to keep, without the time when it stands among them and nothing there belongs to it."""
    start, end = span
    kept = ground.kept
    if (
        time is None
        or time.span[1] <= start
        or end <= time.span[0]
        or ground.folded.startswith(about.belonging, time.span[1])
    ):
        return kept[start:end].strip(MARKS)
    before, after = kept[start : time.span[0]].rstrip(MARKS), kept[time.span[1] : end].lstrip(MARKS)
    lead = about.leading.search(before.lower()) if about.leading else None
    if lead is not None:
        before = before[: lead.start()].rstrip(MARKS)
    blank = " " if before[-1:].isascii() and after[:1].isascii() else ""
    return f"{before}{blank}{after}".strip(MARKS)
