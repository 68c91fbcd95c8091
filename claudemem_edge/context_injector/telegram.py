"""Says much in little room: statements as their phrases, nothing twice, and fuller again where room is left."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from claudemem_edge.context_injector.phrase import CONTENT, NAME, NUMBER, WEAK, Phrase
from claudemem_edge.context_injector.phrases import tables
from claudemem_edge.language.terms import stem
from claudemem_edge.language.terms import tables as term_tables
from claudemem_edge.shapes.context import ContextLine

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from claudemem_edge.context_injector.sight import Sight
    from claudemem_edge.shapes.memory import Statement

WORD = re.compile(r"[^\W_]+(?:['.][^\W_]+)*")
PLAIN_GAP = re.compile(r"[\w\s']*\Z")
LEAST = 4
"""Characters of room below which nothing more is tried."""
JOINT = "; "
MISSES = 6
"""Statements in a row of which nothing fitted: then the room is as good as full."""


@dataclass(slots=True)
class Entry:
    """One statement as told so far; a name stands without one. `head` says whose words they are, and of which day."""

    text: str
    picks: list[Phrase]
    statement: Statement | None = None
    score: float = 0.0
    head: str = ""


class Telegram:
    """Collects statements within `room` characters, most wanted first; every entry but the first costs a line end."""

    def __init__(self, sight: Sight, question: str, room: int) -> None:
        self._sight = sight
        self._made = tables(sight.language)
        self._stems = term_tables(sight.language)
        self._gap = len(self._made.separator) + (2 if sight.capitals else 1)
        self._said = question
        self._words = set(self._folded(question))
        self._misses = 0
        self._heads: set[str] = set()
        self.room = room + 1
        self.entries: list[Entry] = []

    @property
    def full(self) -> bool:
        """True when nothing more need be tried."""
        return self.room <= LEAST or self._misses >= MISSES

    def name(self, text: str, score: float) -> None:
        """Put down a name as it is."""
        if len(text) < self.room and text.lower() not in self._said:
            phrase = Phrase(text, text.lower(), NAME, 0, len(text))
            self._note(phrase)
            self._enter(Entry(text, [phrase], None, score))

    def quote(self, statement: Statement, score: float, leave: int) -> bool:
        """Put down a statement as it was said, if that leaves so much of the room to others."""
        head, text = self._sight.head(statement), self._sight.spelled(statement)
        fits = len(text) + self._cost_of(head) <= self.room - leave
        if fits:
            for phrase in self._phrases(statement):
                self._note(phrase)
            self._enter(Entry(text, [], statement, score, head))
        return fits

    def tell(self, statement: Statement, score: float, leave: int = 0) -> None:
        """Tell what a statement says that was not said yet, leaving some of the room to others."""
        head = self._sight.head(statement)
        room = self.room - leave - self._cost_of(head)
        picks: list[Phrase] = []
        text = ""
        tried = False
        for phrase in self._phrases(statement):
            if phrase.rank == WEAK or (new := self._news(phrase)) is None:
                continue
            tried = True
            longer = text + self._joint(statement, picks[-1], new) + new.text if picks else new.text
            if len(longer) <= room:
                picks.append(new)
                text = longer
                self._note(new)
        if picks:
            self._misses = 0
            self._enter(Entry(text, picks, statement, score, head))
        elif tried:
            self._misses += 1

    def enrich(self) -> None:
        """Use the room that is left: first for weak words, then for whole clauses, most wanted first."""
        for entry in self.entries:
            if entry.statement is not None and entry.picks and self.room > LEAST:
                self._add_weak(entry, entry.statement)
        for entry in self.entries:
            if entry.statement is not None and entry.picks and self.room > LEAST:
                self._replace(entry, entry.picks, self._sight.spelled(entry.statement))

    def _add_weak(self, entry: Entry, statement: Statement) -> None:
        for phrase in self._phrases(statement):
            if phrase.rank == WEAK and (new := self._news(phrase)) is not None:
                picks = sorted([*entry.picks, new], key=lambda one: one.start)
                text = picks[0].text + "".join(
                    self._joint(statement, before, after) + after.text for before, after in pairwise(picks)
                )
                if self._replace(entry, picks, text):
                    self._note(new)

    def _cost_of(self, head: str) -> int:
        """Return what a further entry under this head costs besides its text."""
        if not head:
            return 1
        return len(JOINT) if head in self._heads else len(head) + 1

    def _enter(self, entry: Entry) -> None:
        self.room -= len(entry.text) + self._cost_of(entry.head)
        self._heads.add(entry.head)
        self.entries.append(entry)

    def lines(self) -> list[ContextLine]:
        """Return the lines: one for each head with all that stands under it, one for each entry without."""
        under: dict[str, list[Entry]] = {}
        lines: list[list[Entry]] = []
        for entry in self.entries:
            if entry.head in under:
                under[entry.head].append(entry)
                continue
            lines.append([entry])
            if entry.head:
                under[entry.head] = lines[-1]
        return [_line(one) for one in lines]

    def _replace(self, entry: Entry, picks: list[Phrase], text: str) -> bool:
        more = len(text) - len(entry.text)
        if more >= self.room:
            return False
        self.room -= more
        entry.picks, entry.text = picks, text
        return True

    def _phrases(self, statement: Statement) -> Sequence[Phrase]:
        """Return the phrases of a statement, times as they were said and with their dates."""
        text = self._sight.text(statement)
        found = self._sight.phrases(statement)
        if not statement.times or text != statement.text:
            return found
        for mention in statement.times:
            start, end = mention.span
            note = self._sight.dated(mention, statement)
            if not note and mention.start is None:
                continue
            found = [part for one in found for part in _around(one, start, end)]
            found.append(Phrase(text[start:end] + note, mention.text.lower(), NUMBER, start, end))
        return sorted(found, key=lambda one: one.start)

    def _joint(self, statement: Statement, before: Phrase, after: Phrase) -> str:
        """Return what stands between two phrases: the words between them if they are few, else a separator."""
        gap = statement.text[before.end : after.start]
        return gap if len(gap) <= self._gap and PLAIN_GAP.match(gap) else self._made.separator

    def _news(self, phrase: Phrase) -> Phrase | None:
        """Return what of a phrase was not said yet."""
        if not phrase.folded.isascii():
            return None if phrase.folded in self._said else phrase
        found = list(WORD.finditer(phrase.folded))
        new = [stem(word.group(), self._stems) not in self._words for word in found]
        if not any(new):
            return None
        if phrase.denies or all(new) or phrase.rank != CONTENT:
            return phrase
        first, last = new.index(True), len(new) - 1 - new[::-1].index(True)
        start, end = found[first].start(), found[last].end()
        return Phrase(
            phrase.text[start:end], phrase.folded[start:end], phrase.rank, phrase.start + start, phrase.start + end
        )

    def _note(self, phrase: Phrase) -> None:
        self._said += "\n" + phrase.folded
        self._words.update(self._folded(phrase.folded))

    def _folded(self, text: str) -> Iterable[str]:
        return [stem(word, self._stems) for word in WORD.findall(text)]


def _line(entries: Sequence[Entry]) -> ContextLine:
    turns = tuple(dict.fromkeys(one.statement.turn for one in entries if one.statement is not None))
    text = entries[0].head + JOINT.join(one.text for one in entries)
    return ContextLine("statement" if turns else "name", text, turns, round(entries[0].score, 3))


def _around(phrase: Phrase, start: int, end: int) -> Iterator[Phrase]:
    """Give what of a phrase stands before and after a stretch of the text."""
    if phrase.end <= start or phrase.start >= end:
        yield phrase
        return
    for first, last in ((phrase.start, min(phrase.end, start)), (max(phrase.start, end), phrase.end)):
        words = phrase.text[first - phrase.start : max(last, first) - phrase.start]
        if said := words.strip():
            at = first + words.index(said)
            yield Phrase(said, said.lower(), phrase.rank, at, at + len(said), phrase.denies)
