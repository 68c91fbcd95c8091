"""What doors hand in, and what comes back: any number of Said and Delta, then one of Final, Failed, Cancelled."""

from __future__ import annotations

from dataclasses import dataclass, field

from claudemem_edge.errors import EdgeError
from claudemem_edge.shapes.context import Context
from claudemem_edge.shapes.outcome import Change


@dataclass(slots=True, frozen=True)
class Origin:
    """Where a request came in: `door` is http, mqtt, wyoming or cli; `device` what the door can tell beyond that."""

    door: str
    device: str = ""

    def __str__(self) -> str:
        return f"{self.door}:{self.device}"


@dataclass(slots=True, frozen=True)
class Ask:
    """One request for an answer. `deadline_s` is absolute on the loop's clock and set once, at the door.

    `supersede` cancels the scope's running turn. `language` is the door's hint; the text decides when it is empty.
    """

    scope: str
    text: str
    id: str
    origin: Origin
    deadline_s: float
    language: str = ""
    supersede: bool = False
    speaker: str = "user"


@dataclass(slots=True, frozen=True)
class Accepted:
    """The words are learned; the answer waits its turn behind `queue` others."""

    id: str
    turn: int
    queue: int = 0
    changed: tuple[Change, ...] = ()


@dataclass(slots=True, frozen=True)
class Said:
    """Words of the daemon itself, from phrases."""

    id: str
    text: str


@dataclass(slots=True, frozen=True)
class Delta:
    """A piece of the model's answer. `seq` counts from 0."""

    id: str
    seq: int
    text: str


@dataclass(slots=True, frozen=True)
class Final:
    """The whole answer: `text` is what was said and what the model answered, joined."""

    id: str
    turn: int
    text: str
    context: Context = field(default_factory=Context)
    model: str = ""
    asks_back: bool = False
    """True when our own question is open: a microphone should stay on."""


@dataclass(slots=True, frozen=True)
class Failed:
    """`code` is one of the error codes; `text` a sentence for the user, in the user's language."""

    id: str
    code: str
    text: str
    turn: int = 0
    heard: bool = False
    retry_after_s: float = 0.0

    @classmethod
    def of(cls, error: EdgeError, ask_id: str, turn: int, text: str) -> Failed:
        """Return the ending of a turn that an error ended; `text` is told, or else the error's own sentence."""
        retry_after_s = getattr(error, "retry_after_s", 0.0)
        return cls(ask_id, error.code, text or error.message, turn, heard=turn > 0, retry_after_s=retry_after_s)


@dataclass(slots=True, frozen=True)
class Cancelled:
    """`reason`: client, superseded, forgotten, ended, shutdown."""

    id: str
    reason: str
    turn: int = 0


TurnEvent = Accepted | Said | Delta | Final | Failed | Cancelled
ENDINGS = (Final, Failed, Cancelled)


@dataclass(slots=True, frozen=True)
class Notice:
    """An item has become due. `kind`: due, overdue, missed. Goes to the doors subscribed to its scope."""

    scope: str
    item: str
    kind: str
    text: str
    due: str
    """ISO 8601 with offset."""
    language: str = ""
    asked_at_door: str = ""
    repeat: int = 0
    urgent: bool = False
