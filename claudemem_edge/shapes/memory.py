"""The five records of a memory, and the memory of one scope. What each may hold: DESIGN invariants 1 to 6."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime

from claudemem_edge.shapes.index import InvertedIndex
from claudemem_edge.shapes.terms import TermIndex
from claudemem_edge.shapes.times import Due, Moment, TimeMention


@dataclass(slots=True)
class Statement:
    """One clause as said: the only place where words of a conversation live."""

    id: int
    turn: int
    speaker: str
    text: str
    said_at: datetime
    language: str = ""
    times: tuple[TimeMention, ...] = ()
    """Absolute, with spans in `text`."""
    attitude: float = 0.0
    topic: int = 0
    digest: int = 0
    """Keyed hash of the text, to see repeats."""
    question: bool = False
    shown: bool = True
    """False once it holds the old value of a closed claim, and for our own `say`: never shown raw."""


@dataclass(slots=True)
class Claim:
    """Something that holds, or held, because of what was said."""

    id: int
    subject: str
    """ "user", or an entity's name."""
    predicate: str
    object: str
    since: datetime
    origin: tuple[int, ...]
    """Ids of the statements it rests on."""
    until: datetime | None = None
    replaced_by: int | None = None
    because: str = ""
    source: str = "said"
    pinned: bool = False
    used: int = 0
    turn: int = 0
    attitude: float = 0.0

    @property
    def open(self) -> bool:
        """True while it holds."""
        return self.until is None


@dataclass(slots=True)
class Item:
    """Something still to happen. `kind` is reminder, task, procedure or step; `id` can be spoken ("p7").

    `state` goes pending → triggered → done | cancelled | expired. `recurrence` is an RRULE body.
    """

    id: str
    kind: str
    text: str
    state: str
    origin: tuple[int, ...]
    turn: int
    due: Due | None = None
    grain: str = "minute"
    recurrence: str = ""
    trigger: str = ""
    parent: str = ""
    order: int = 0
    on_failure: str = ""
    asked_at_door: str = ""
    """Door and device it was asked at, as "door:device"."""
    language: str = ""
    fired_at: Moment | None = None
    told_at: Moment | None = None
    """When its last notice was given."""
    heard: bool = False
    """True once somebody has acknowledged that notice: it is not repeated."""
    missed: bool = False
    urgent: bool = False
    """True of what may sound in quiet hours."""
    done_at: datetime | None = None
    """When it, or its last occurrence, was done."""
    starts: date | None = None
    """Day from which the intervals of a recurrence count, whatever is done with single occurrences."""


@dataclass(slots=True)
class Sighting:
    """One time an entity was spoken of."""

    statement: int
    turn: int
    attitude: float = 0.0
    action: str = ""


@dataclass(slots=True)
class Entity:
    """A person or thing with a name. The last three sightings are kept."""

    name: str
    kind: str
    aliases: tuple[str, ...] = ()
    sightings: list[Sighting] = field(default_factory=list)


@dataclass(slots=True)
class Topic:
    """A subject of talk: the stretches of statements it ran over; a return adds a stretch."""

    id: int
    spans: list[tuple[int, int]]
    """First and last statement id of each stretch, both inclusive."""
    salience: dict[int, float] = field(default_factory=dict)
    """Term key (see InvertedIndex) → weight."""
    anchor: int | None = None
    """Statement that names it best."""


@dataclass(slots=True)
class OpenQuestion:
    """A question of ours that the next utterance answers or drops. `kind` says which handler takes the answer."""

    kind: str
    text: str
    asked_at: Moment
    about: str = ""
    """Id of the record in question, if any."""
    choices: tuple[str, ...] = ()
    language: str = ""


@dataclass(slots=True)
class MemoryState:
    """Everything kept for one scope. Changed by `state_engine` alone."""

    salt: bytes
    """Random for each memory: keys the hashes of the index."""
    index: InvertedIndex
    turn: int = 0
    epoch: int = 0
    """Counts what was forgotten: a reply begun under another epoch is not recorded."""
    next_id: int = 1
    next_item: int = 1
    statements: dict[int, Statement] = field(default_factory=dict)
    claims: dict[int, Claim] = field(default_factory=dict)
    pending_items: dict[str, Item] = field(default_factory=dict)
    entity_map: dict[str, Entity] = field(default_factory=dict)
    names: TermIndex = field(default_factory=TermIndex)
    """Names and aliases of the entity map, for reading: folded alias → entity name."""
    topic_chain: list[Topic] = field(default_factory=list)
    open_question: OpenQuestion | None = None
    last_reply: int | None = None
    """Statement id of the last thing we said or the model answered, for "say that again"."""
    reply_language: str = ""
    language: str = ""
    """Language of the user's last utterance that had one."""
    doubtful_s: float | None = None
    """By how much a wall clock that nobody had set was ahead of the boot clock; None once it can be relied on."""
    size: int = 0
    """Bytes, kept incrementally (invariant 6)."""
