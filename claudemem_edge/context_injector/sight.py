"""What of a memory may be seen for one question, and how a single statement looks."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from claudemem_edge.context_injector import wording
from claudemem_edge.context_injector.phrases import phrases
from claudemem_edge.shapes.digest import clause_digest

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date, datetime

    from claudemem_edge.context_injector.asking import Ask
    from claudemem_edge.context_injector.phrase import Phrase
    from claudemem_edge.language.pack import Language, Lexicon
    from claudemem_edge.shapes.memory import MemoryState, Statement
    from claudemem_edge.shapes.times import Moment, TimeMention

NAMELESS = frozenset({"user", "assistant", "event"})
TELLING_CHARS = 6
"""What is shorter may answer anything."""


@dataclass(slots=True)
class Sight:
    """The memory as one question sees it: without the question, what is hidden, and what the client shows anyway."""

    state: MemoryState
    ask: Ask
    now: Moment
    lexicon: Lexicon
    shown: frozenset[str]
    roles: tuple[re.Pattern[str], ...] = ()
    covered: set[int] = field(default_factory=set)
    """Statements whose claim or item stands in the block already."""
    _phrases: dict[int, Sequence[Phrase]] = field(default_factory=dict)
    _words: wording.WordingTables = field(default_factory=wording.WordingTables)

    def __post_init__(self) -> None:
        made = [wording.tables(one) for one in self.lexicon.languages.values()]
        self.roles = tuple(one.roles for one in made if one.roles is not None)
        self._words = wording.tables(self.language)

    @property
    def language(self) -> Language | None:
        """The language of the question."""
        return self.ask.language

    def language_of(self, statement: Statement) -> Language | None:
        """Return the language a statement was said in."""
        return self.lexicon.languages.get(statement.language)

    def visible(self, statement: Statement) -> bool:
        """Tell whether a statement may stand in the block."""
        return (
            statement.shown
            and statement.id not in self.covered
            and not self.ask.is_own(statement)
            and not self.shows(statement)
        )

    def shows(self, statement: Statement) -> bool:
        """Tell whether the client's own messages show a statement."""
        return bool(self.shown) and clause_digest(statement.text) in self.shown

    def newest_first(self) -> Iterator[Statement]:
        """Give all visible statements, newest first."""
        statements = self.state.statements
        for one in reversed(self.state.index.order):
            statement = statements[one]
            if self.visible(statement):
                yield statement

    def without_repeats(self, newest_first: Iterable[Statement]) -> Iterator[Statement]:
        """Leave out what the same speaker said later in the same words. A mere "yes" each time means something else."""
        said = set()
        for statement in newest_first:
            words = (statement.speaker, statement.digest)
            if words not in said:
                yield statement
                if len(statement.text) >= TELLING_CHARS:
                    said.add(words)

    def said_on(self, day: date) -> Sequence[int]:
        """Return the ids of the statements said on a day."""
        statements, order = self.state.statements, self.state.index.order

        def said(one: int) -> date:
            return statements[one].said_at.date()

        return order[bisect_left(order, day, key=said) : bisect_right(order, day, key=said)]

    def phrases(self, statement: Statement) -> Sequence[Phrase]:
        """Return the phrases of a statement, made harmless; each is cut once for a question."""
        found = self._phrases.get(statement.id)
        if found is None:
            found = self._phrases[statement.id] = phrases(self.text(statement), self.language_of(statement))
        return found

    def text(self, statement: Statement) -> str:
        """Return the words of a statement, made harmless."""
        return wording.neutral(statement.text, self.roles)

    @property
    def capitals(self) -> bool:
        """Tell whether names can be known by their capitals in the question's language."""
        return self.language is not None and not self.language.joined

    def head(self, statement: Statement) -> str:
        """Return what stands before a shortened statement: its day when the question asks when, and its speaker.

        Nobody is named when the question names just that one, nor who is "you" or "I" anyway.
        """
        speaker = statement.speaker
        who = "" if speaker in NAMELESS or self.ask.speakers == {speaker} else self.full_label(statement)
        if not self.ask.when or self.now.doubt or statement.said_at.date() == self.now.wall.date():
            return who
        day = wording.day(statement.said_at, self.language)
        return self._words.said.replace("{day}", day).replace("{who}", who)

    def full_label(self, statement: Statement) -> str:
        """Return what marks the speaker wherever it could be mistaken."""
        labels = self._words.labels
        speaker = statement.speaker
        if speaker in labels:
            return labels[speaker]
        name = wording.neutral(speaker, self.roles)
        label = labels.get("other", "{name}: ").replace("{name}", name)
        return f"{name} " if any(role.match(label) for role in self.roles) else label

    def dated(self, mention: TimeMention, statement: Statement, *, roomy: bool = False) -> str:
        """Return the absolute date of a time, in brackets, where a reader of today needs it.

        `roomy`: also of what was said today, for readers who know no date at all, unless today lies within it.
        """
        today = self.now.wall.date()
        other_day = roomy and mention.start is not None and not _lies_within(today, mention.start, mention.end)
        if not self.ask.when and statement.said_at.date() == today and not other_day:
            return ""
        note = wording.date_note(mention, statement, self.language)
        return self._words.date.replace("{date}", note) if note else ""

    def spelled(self, statement: Statement, *, roomy: bool = False) -> str:
        """Return a statement as said, with dates beside its times and its question mark."""
        text = statement.text
        for mention in sorted(statement.times, key=lambda one: -one.span[1]):
            text = text[: mention.span[1]] + self.dated(mention, statement, roomy=roomy) + text[mention.span[1] :]
        return wording.neutral(text, self.roles) + (self._words.question if statement.question else "")


def _lies_within(day: date, start: datetime, end: datetime | None) -> bool:
    """Tell whether a day is one of those from `start` to just before `end`."""
    return start.date() <= day and (day == start.date() or (end is not None and day < end.date()))
