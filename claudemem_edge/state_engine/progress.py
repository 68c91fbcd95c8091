"""One advance under way: what was read, the ledger, and what there is to tell so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from claudemem_edge.shapes.memory import OpenQuestion
from claudemem_edge.shapes.outcome import Change

if TYPE_CHECKING:
    from collections.abc import Iterable

    from claudemem_edge.language.pack import Language, Lexicon
    from claudemem_edge.shapes.memory import MemoryState
    from claudemem_edge.shapes.options import MemoryOptions
    from claudemem_edge.shapes.reading import Reading, Span
    from claudemem_edge.shapes.times import Moment
    from claudemem_edge.state_engine.ledger import Ledger

DOOR = "door"
BESIDE_MOST_CHARS = 24
"""Letters an answer may have beside what it answers ("then at nine please"); more is an utterance of its own."""
BESIDE_MOST_JOINED = 8
"""The same for scripts without spaces, whose characters say more."""


@dataclass(slots=True)
class Progress:
    """Handed from step to step of `advance`. `language` words the reply; None when there is no pack at all."""

    ledger: Ledger
    reading: Reading
    now: Moment
    lexicon: Lexicon
    options: MemoryOptions
    door: str
    language: Language | None
    changes: list[Change] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    statements: list[int] = field(default_factory=list)
    """Ids of the statements of this utterance."""
    answered: bool = False
    """True when the utterance was the answer to our own question."""
    settled: bool = False
    """True when a correction was all there was to the utterance, and we have said what came of it."""
    keep_reply: bool = False
    """True when the last reply is to stay what "say that again" says."""

    @property
    def state(self) -> MemoryState:
        """The memory being changed."""
        return self.ledger.state

    @property
    def read_in(self) -> Language | None:
        """The language of the utterance; None when no pack fits it."""
        return self.lexicon.languages.get(self.reading.utterance.language)

    @property
    def from_door(self) -> bool:
        """True for a command of a door: nobody said anything, and nobody is asked back."""
        return self.reading.utterance.speaker == DOOR

    def little_beside(self, spans: Iterable[Span]) -> bool:
        """Tell whether the utterance says little beside these spans."""
        language, text = self.read_in, self.reading.utterance.text
        taken = sum(character.isalnum() for start, end in spans for character in text[start:end])
        most = BESIDE_MOST_JOINED if language is not None and language.joined else BESIDE_MOST_CHARS
        return sum(map(str.isalnum, text)) - taken <= most

    def phrase(self, key: str, /, **values: object) -> str:
        """Return a phrase in the language of the reply."""
        return self.language.phrases[key].format(**values) if self.language else ""

    def say(self, key: str, /, **values: object) -> None:
        """Add a phrase to what will be said."""
        if self.language:
            self.said.append(self.phrase(key, **values))

    def change(self, kind: str, record: str, id_: object = "", /, **detail: object) -> None:
        """Tell the caller of a change."""
        pairs = tuple((name, str(value)) for name, value in detail.items() if value not in {"", None})
        self.changes.append(Change(kind, record, str(id_), pairs))

    def ask(self, kind: str, key: str, *, about: str = "", choices: tuple[str, ...] = (), **values: object) -> None:
        """Ask the user something; the next utterance answers it or drops it. Doors are not asked."""
        if self.from_door:
            return
        text = self.phrase(key, **values)
        if text:
            self.said.append(text)
        code = self.language.code if self.language else ""
        self.state.open_question = OpenQuestion(kind, text, self.now, about, choices, code)
        self.change("asked", "question", about, kind=kind)

    def spoken(self) -> str:
        """Return all that is to be said, in one piece."""
        joint = "" if self.language and self.language.joined else " "
        return joint.join(text for text in self.said if text)
