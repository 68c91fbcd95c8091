"""A conversation with the engine alone: readings are built by hand, so that no test rests on the filter."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from claudemem_edge.language.terms import terms
from claudemem_edge.shapes.index import InvertedIndex
from claudemem_edge.shapes.memory import Item, MemoryState
from claudemem_edge.shapes.options import MemoryOptions
from claudemem_edge.shapes.reading import (
    ClaimDraft,
    Clause,
    Command,
    Mention,
    Reading,
    ReminderDraft,
    Utterance,
)
from claudemem_edge.shapes.times import Moment, TimeMention, moment_after
from claudemem_edge.state_engine.advance import advance

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Lexicon
    from claudemem_edge.shapes.outcome import Outcome

SHANGHAI = ZoneInfo("Asia/Shanghai")
START = Moment(datetime(2026, 3, 11, 9, 40, tzinfo=SHANGHAI), 1000.0)
SALT = b"0123456789abcdef"


def new_state() -> MemoryState:
    """An empty memory."""
    return MemoryState(SALT, InvertedIndex(SALT))


def at(text: str, zone: ZoneInfo = SHANGHAI) -> datetime:
    """An aware datetime from ISO 8601."""
    return datetime.fromisoformat(text).replace(tzinfo=zone)


def said_time(text: str, start: str, grain: str = "hour", **fields: Any) -> TimeMention:
    """A time expression, whose span is set once it stands in a text."""
    end = fields.pop("end", None)
    return TimeMention(text, (0, 0), at(start), at(end) if end else None, grain, **fields)


@dataclass
class Talk:
    """One memory and whoever talks to it. Every utterance moves the clock by a second."""

    lexicon: Lexicon
    options: MemoryOptions = field(default_factory=MemoryOptions)
    state: MemoryState = field(default_factory=new_state)
    now: Moment = START
    language: str = "en"

    def reading(self, text: str, speaker: str = "user", **found: Any) -> Reading:
        """Build a reading. Drafts without a span get that of the whole text, times the place where they stand."""
        whole = (0, len(text))
        times = tuple(_placed(text, one) for one in found.pop("times", ()))
        clauses = found.pop("clauses", (text,))
        built = []
        for clause in clauses:
            start = text.index(clause)
            words = terms(clause.lower(), self.lexicon.languages.get(self.language))
            question = clause.endswith(("?", "？"))
            built.append(Clause(clause, (start, start + len(clause)), words, question))
        return Reading(
            Utterance(speaker, text, text.lower(), self.language),
            clauses=() if speaker == "door" else tuple(built),
            times=times,
            claims=tuple(_spanned(one, whole, text) for one in found.pop("claims", ())),
            mentions=tuple(_spanned(one, whole, text) for one in found.pop("mentions", ())),
            commands=tuple(_spanned(one, whole, text) for one in found.pop("commands", ())),
            reminders=tuple(
                replace(one, span=whole, time=_placed(text, one.time) if one.time else None)
                for one in found.pop("reminders", ())
            ),
            **found,
        )

    def advance(self, reading: Reading, door: str = "") -> Outcome:
        """Give a reading to the engine."""
        self.now = moment_after(self.now, 1.0)
        return advance(self.state, reading, self.now, lexicon=self.lexicon, options=self.options, door=door)

    def hear(self, text: str, speaker: str = "user", **found: Any) -> Outcome:
        """Let somebody say something."""
        return self.advance(self.reading(text, speaker, **found))

    def tell(self, text: str, subject: str, predicate: str, value: str, **fields: Any) -> Outcome:
        """Let the user make one claim."""
        return self.hear(text, claims=(ClaimDraft(subject, predicate, value, (0, 0), "test", **fields),))

    def order(self, text: str, kind: str, argument: str = "", **found: Any) -> Outcome:
        """Let the user give one order."""
        return self.hear(text, commands=(Command(kind, argument, (0, 0), "test"),), whole=True, **found)

    def remind(self, text: str, what: str, time: TimeMention | None = None, **fields: Any) -> Outcome:
        """Let the user ask to be reminded."""
        draft = ReminderDraft(what, (0, 0), "test", time, **fields)
        return self.hear(text, reminders=(draft,), times=(time,) if time else (), whole=True)

    def answer(self, text: str, *times: TimeMention, **found: Any) -> Outcome:
        """Let the user answer with times alone."""
        return self.hear(text, times=times, **found)

    def door(self, kind: str, argument: str = "") -> Outcome:
        """Let a door give a command."""
        reading = Reading(
            Utterance("door", "", "", self.language), commands=(Command(kind, argument, (0, 0), "door"),), whole=True
        )
        return advance(self.state, reading, self.now, lexicon=self.lexicon, options=self.options)

    def wait(self, seconds: float) -> None:
        """Let time go by."""
        self.now = Moment(self.now.wall + timedelta(seconds=seconds), self.now.boot_s + seconds)

    def open_values(self) -> set[tuple[str, str, str]]:
        """The claims that hold."""
        return {(one.subject, one.predicate, one.object) for one in self.state.claims.values() if one.open}

    def shown(self) -> list[str]:
        """The statements that may be shown as they stand."""
        return [one.text for one in self.state.statements.values() if one.shown]

    def item(self, item_id: str = "p1") -> Item:
        """An item by its id."""
        return self.state.pending_items[item_id]

    def due(self, item_id: str = "p1") -> str:
        """When an item is due, on the clock of its zone."""
        due = self.item(item_id).due
        return due.at().strftime("%Y-%m-%dT%H:%M") if due else ""


def mention(name: str, kind: str = "person") -> Mention:
    """A name in the text."""
    return Mention(name, kind, (0, 0), "test")


def _placed(text: str, time: TimeMention) -> TimeMention:
    """Put a time where it stands in a text, as objects of its own, as the filter would."""
    at = max(text.find(time.text), 0)
    end = at + len(time.text)
    return replace(
        time, span=(at, end), text=text[at:end] or time.text, start=deepcopy(time.start), end=deepcopy(time.end)
    )


def _spanned(draft: Any, whole: tuple[int, int], text: str) -> Any:
    if isinstance(draft, Mention) and draft.name in text:
        start = text.index(draft.name)
        return replace(draft, span=(start, start + len(draft.name)))
    return replace(draft, span=whole) if draft.span == (0, 0) else draft
