"""What one utterance changed, and what the daemon itself has to say about it."""

from __future__ import annotations

from dataclasses import dataclass

from claudemem_edge.shapes.memory import OpenQuestion


@dataclass(slots=True, frozen=True)
class Change:
    """One change, machine-readable.

    `kind`: stored, changed, corrected, done, cancelled, snoozed, triggered, acknowledged, forgot, refused, asked.
    `record`: statement, claim, item, entity, topic, memory, question. `detail` holds plain fields for clients
    (predicate, object, due, text, count); it goes to the caller who said the words and nowhere else.
    """

    kind: str
    record: str
    id: str = ""
    detail: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True, frozen=True)
class Outcome:
    """`say` is empty when there is nothing to say. `complete` means that no model is needed after it."""

    turn: int
    changed: tuple[Change, ...] = ()
    say: str = ""
    complete: bool = False
    open_question: OpenQuestion | None = None
    language: str = ""
    asks: bool = False
    """True when the utterance asks something."""

    @property
    def asks_back(self) -> bool:
        """True when our own question is open: a microphone should stay on."""
        return self.open_question is not None
