"""What a question asks for: its weighty terms, whom it names, and how it hangs on what was said before."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claudemem_edge.context_injector.score import Weights, weigh
from claudemem_edge.language.per_language import PerLanguage
from claudemem_edge.language.topic_cues import topic_cues

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from claudemem_edge.language.pack import Language
    from claudemem_edge.shapes.memory import MemoryState, Statement
    from claudemem_edge.shapes.reading import Reading
    from claudemem_edge.shapes.times import Moment

NEVER = re.compile(r"(?!)")
RECENT = 64
"""Statements in which a speaker must have said something to be known by name."""
YOUNG = 24
"""Turns until which a talk has only begun."""
NAMELESS = frozenset({"user", "assistant", "event"})


@dataclass(slots=True, frozen=True)
class AskingTables:
    """Table `asking` of `context.toml`: patterns searched in a folded question."""

    when: re.Pattern[str] = NEVER
    earlier: re.Pattern[str] = NEVER
    points: re.Pattern[str] = NEVER
    hangs: re.Pattern[str] = NEVER
    now: re.Pattern[str] = NEVER
    me: re.Pattern[str] = NEVER


def _tables(language: Language | None) -> AskingTables:
    if language is None:
        return AskingTables()
    table = language.tables.get("context", {}).get("asking", {})
    before, after = ("", "") if language.joined else (r"(?<![\w'])", r"(?![\w])")

    def search(name: str) -> re.Pattern[str]:
        words: Sequence[str] = table.get(name, ())
        return re.compile(f"{before}(?:{'|'.join(words)}){after}") if words else NEVER

    return AskingTables(*(search(name) for name in AskingTables.__dataclass_fields__))


tables = PerLanguage(_tables)


@dataclass(slots=True)
class Ask:
    """A question, weighed against the memory. `before` is the first statement id that is the question itself."""

    folded: str
    language: Language | None
    own: frozenset[str]
    sizes: frozenset[int]
    """Lengths of the texts of its own."""
    before: int
    weights: Weights
    speakers: frozenset[str]
    terms: frozenset[str]
    """Its different terms, speakers' names aside."""
    content: int
    """How many they are."""
    returns: bool
    when: bool
    earlier: bool
    points: bool
    """It holds a word that points back."""
    hangs: bool
    """It opens like a reply, or asks for more or for another."""
    opens: bool
    """It opens a new subject by a word."""
    closes: bool
    """It takes leave."""
    question: bool
    young: bool
    """The talk has only begun."""
    days: tuple[date, ...]
    """Days it names on which something may have been said."""

    @property
    def leans(self) -> bool:
        """Tell whether it can only be understood by what was said before."""
        return self.points or self.hangs

    def is_own(self, statement: Statement) -> bool:
        """Tell whether a statement says what the question itself says."""
        return statement.id >= self.before or (len(statement.text) in self.sizes and statement.text.lower() in self.own)


def understand(state: MemoryState, question: Reading, language: Language | None, now: Moment) -> Ask:
    """Weigh a question against a memory."""
    folded = question.utterance.folded
    own = frozenset(clause.text.lower() for clause in question.clauses)
    before = _before(state, own)
    speakers = _named(state, folded)
    names = {part for name in speakers for part in name.lower().split()}
    made = tables(language)
    cues = topic_cues(language)
    asking = [one for one in question.clauses if not cues.takes_leave(one.text.lower())] or question.clauses
    terms = [term for clause in asking for term in clause.terms if term not in names]
    return Ask(
        folded,
        language,
        own,
        frozenset(map(len, own)),
        before,
        weigh(state, terms, before),
        speakers,
        frozenset(terms),
        len(set(terms)),
        any(one.kind == "return_topic" for one in question.commands) or bool(cues.returns.search(folded)),
        bool(made.when.search(folded)),
        bool(made.earlier.search(folded)),
        _points_back(question, folded, made, speakers),
        bool(cues.continues.match(folded)) or bool(made.hangs.search(folded)),
        bool(cues.opens.match(folded)),
        cues.takes_leave(folded),
        question.question or any(clause.question for clause in question.clauses),
        state.turn <= YOUNG,
        tuple(_days(question, now)),
    )


def _points_back(question: Reading, folded: str, made: AskingTables, speakers: frozenset[str]) -> bool:
    """Tell whether a pointing word has nothing in the question itself that it could stand for."""
    found = made.points.search(folded)
    if found is None or speakers or question.mentions:
        return False
    at = found.start()
    return not any(clause.span[1] <= at and len(set(clause.terms)) >= 2 for clause in question.clauses)


def _days(question: Reading, now: Moment) -> Iterator[date]:
    """Give the days a question names; one still to come is taken for the last of its kind."""
    for mention in question.times:
        if mention.start is not None and mention.grain == "day":
            day = mention.start.date()
            if day > now.wall.date() and not (day.month == 2 and day.day > 28):
                day = day.replace(year=day.year - 1)
            yield day


def _before(state: MemoryState, own: frozenset[str]) -> int:
    """Return the id of the first statement of the last utterance if that utterance is the question."""
    order, statements = state.index.order, state.statements
    first = state.next_id
    at = len(order) - 1
    while at >= 0:
        statement = statements[order[at]]
        if statement.turn != state.turn or statement.text.lower() not in own:
            break
        first = statement.id
        at -= 1
    return first


def _named(state: MemoryState, folded: str) -> frozenset[str]:
    """Return the speakers the question names."""
    known: dict[str, None] = {}
    for one in state.index.order[-RECENT:]:
        speaker = state.statements[one].speaker
        if speaker not in NAMELESS:
            known[speaker] = None
    return frozenset(name for name in known if _holds_word(folded, name.lower()))


def _holds_word(text: str, word: str) -> bool:
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not (at and _joins(text[at - 1]) and _joins(word[0])) and not (end < len(text) and _joins(text[end])):
            return True
        at = text.find(word, at + 1)
    return False


def _joins(character: str) -> bool:
    return character.isalnum() and character < "\u2e80"
