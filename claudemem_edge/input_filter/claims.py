"""What a speaker asserts: facts, preferences, relations, decisions, values.

A clause is read from left to right: its subject is found first, then a rule of `claims.toml` must begin right behind
it. A clause without a subject of its own keeps the one before. A subject may be a pointing word ("he", "that pill"):
the state engine knows whom it means, by the Reference at the same place. Corrections that only the state engine can
place are described in `corrections.py`.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING

from claudemem_edge.input_filter import corrections
from claudemem_edge.input_filter.claim_drafts import STRIPPED, build
from claudemem_edge.input_filter.claim_rules import claim_rules
from claudemem_edge.input_filter.claim_subjects import SPEAKER, SPEAKERS_ROLES, THINGS, Ground

if TYPE_CHECKING:
    from claudemem_edge.input_filter.claim_rules import ClaimRule
    from claudemem_edge.input_filter.claim_subjects import Subject
    from claudemem_edge.language.pack import Language, Rule, Scan
    from claudemem_edge.shapes.reading import ClaimDraft, Clause, Mention, Utterance
    from claudemem_edge.shapes.times import TimeMention

COMMAS = ",，"
LONGEST_REASON_CHARS = 80


def find(
    utterance: Utterance,
    clauses: tuple[Clause, ...],
    scan: Scan,
    language: Language,
    mentions: tuple[Mention, ...],
    times: tuple[TimeMention, ...] = (),
) -> tuple[ClaimDraft, ...]:
    """Return what the asserted clauses claim, from left to right; with `times`, days stand in place of "last month"."""
    shapes = claim_rules(language)
    there = {mention.kind for mention in mentions}
    rules = [shape for rule in language.candidates("claims", scan) if (shape := shapes[rule.id]).names.issubset(there)]
    values = language.candidates("corrections", scan)
    if not rules and not values:
        return ()
    reader = _Reader(Ground(utterance, scan, language, mentions), language, rules, values, times)
    ends = _run_ends(clauses)
    for clause, end in zip(clauses, ends, strict=True):
        if clause.asserted:
            reader.read(clause.span, end)
        else:
            reader.interrupt()
    return tuple(reader.drafts)


def _run_ends(clauses: tuple[Clause, ...]) -> list[int]:
    """Return for each clause where the asserted clauses that follow it without a break end."""
    ends: list[int] = []
    end = 0
    for clause in reversed(clauses):
        end = max(end, clause.span[1]) if clause.asserted else 0
        ends.append(end)
    return ends[::-1]


class _Reader:
    """Reads one utterance's clauses in order, keeping the subject and a reason that waits for its claim."""

    def __init__(
        self,
        ground: Ground,
        language: Language,
        rules: list[ClaimRule],
        values: list[Rule],
        times: tuple[TimeMention, ...],
    ) -> None:
        self.drafts: list[ClaimDraft] = []
        self._ground = ground
        self._language = language
        self._rules = rules
        self._values = values
        self._times = times
        self._starts = ground.starts()
        self._subject: Subject | None = None
        self._strength = ""
        self._denied: set[tuple[str, str]] = set()
        self._reason = ""
        self._reason_end = 0
        self._latest: list[int] = []
        """Places in `drafts` of the claims a reason right behind would explain."""
        self._done = 0

    def interrupt(self) -> None:
        """Pass over a clause that asserts nothing."""
        self._strength = self._reason = ""
        self._latest = []

    def read(self, span: tuple[int, int], run_end: int) -> None:
        """Read one clause; `run_end` is how far a rule may run on."""
        at, end = max(span[0], self._done), span[1]
        of_others = self._ground.reporting and self._of_others(at, end)
        while at < end and not (of_others and self._ground.hearsay(span[0], at)):
            after = self._step(at, end, run_end)
            if after is None:
                place = bisect_right(self._starts, at)
                after = self._starts[place] if place < len(self._starts) else end
            at = after
        self._done = max(self._done, at)

    def _of_others(self, at: int, end: int) -> bool:
        first = self._resolved(self._ground.subject(self._ground.skip(at, end)))
        return first is not None and first.kind != SPEAKER

    def _step(self, at: int, end: int, run_end: int) -> int | None:
        """Read what begins at `at` and return the place behind it, None when nothing known begins there."""
        ground = self._ground
        strength, start = corrections.opening(ground, at, end)
        self._strength = strength or self._strength
        if start >= end:
            return end
        if start in ground.reasons:
            return self._take_reason(start, end)
        subject = self._resolved(ground.subject(start))
        before = self._subject
        if subject is not None and subject.kind not in THINGS:
            self._subject = subject
        after = self._claim(start, subject, end, run_end)
        if after is None and not ground.opens(at):
            self._subject = before
        elif after is None and self._values:
            after = self._bare(start, run_end)
        return after if after is not None and after > at else None

    def _claim(self, start: int, subject: Subject | None, end: int, run_end: int) -> int | None:
        ground = self._ground
        about = subject or self._subject
        roles = ground.roles(about)
        behind = start if subject is None else ground.past_blanks(subject.end)
        for rule in self._rules:
            if rule.opened and not self._strength:
                continue
            place = start if rule.at_start else behind
            whom = about
            if about is not None or not rule.elide:
                if rule.who not in roles or (about is None and not rule.at_start):
                    continue
            elif rule.who in SPEAKERS_ROLES:
                whom = ground.speaking(place)
            else:
                continue
            match = rule.rule.pattern.match(ground.folded, place, run_end if rule.across else end)
            if match is None:
                continue
            built = build(rule, match, whom, ground, self._language, self._times)
            if built is not None:
                self._add(built.drafts)
                if built.carry:
                    self._subject = ground.known(built.carry, built.end)
                return built.end
        return None

    def _resolved(self, subject: Subject | None) -> Subject | None:
        """Return whom a personal pronoun means when this very utterance has said it."""
        before = self._subject
        if subject is not None and subject.points_to == "person" and before is not None and before.kind != SPEAKER:
            return replace(before, end=subject.end)
        return subject

    def _add(self, found: list[ClaimDraft]) -> None:
        single = self._ground.table.single
        first = len(self.drafts)
        for draft in found:
            about = (draft.subject, draft.predicate)
            replaces = bool(self._strength) or about in self._denied
            one_of = draft.predicate in single or (
                self._strength == corrections.STRONG and draft.predicate in self._ground.table.named_by
            )
            corrects = replaces and one_of and not draft.denies
            reason = self._reason if draft.span[0] >= self._reason_end else ""
            if draft.denies:
                self._denied.add(about)
            self.drafts.append(replace(draft, corrects=corrects, because=draft.because or reason))
        if found[0].span[0] >= self._reason_end:
            self._reason = ""
        self._latest = list(range(first, len(self.drafts)))

    def _bare(self, start: int, end: int) -> int | None:
        found = corrections.bare(self._values, self._ground, start, end, self._strength)
        if found is None:
            return None
        self.drafts.append(found[0])
        return found[1]

    def _take_reason(self, at: int, end: int) -> int:
        """Give the reason that begins at `at` to the claims before it, or keep it for those behind it."""
        start = self._ground.reasons[at][0]
        comma = self._reason_stop(start, end)
        reason = self._ground.text[start:comma].strip(STRIPPED)
        for place in self._latest:
            draft = self.drafts[place]
            self.drafts[place] = replace(draft, because=draft.because or reason)
        self._reason = "" if self._latest else reason
        self._reason_end = comma
        self._latest = []
        return start

    def _reason_stop(self, start: int, end: int) -> int:
        """Return where a reason ends: at a comma, or where the speaker comes in if the reason is a mere noun."""
        ground = self._ground
        end = min(end, start + LONGEST_REASON_CHARS)
        stops = [place for mark in COMMAS if (place := ground.folded.find(mark, start, end)) > 0]
        first = ground.skip(start, end)
        if not ground.joined and ground.subject(first) is None:
            stops += [at for at in range(first, end) if at in ground.selves]
        return min(stops, default=end)
