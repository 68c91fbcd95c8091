"""What goes out over MQTT, beside what it has in common with HTTP. Part of the promise of `api: 1`."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from claudemem_edge.state_engine.view import MemoryView
from claudemem_edge.transport.answers import Answer, Block, Change, ErrorBody, Notice, Outcome

Continue = TypedDict("Continue", {"continue": Annotated[bool, "True when a question of ours is open: keep listening."]})
"""Part of a reply; its one name is a word that a class cannot hold."""


class Reply(Answer):
    """What every reply holds. Each request gets exactly one."""

    id: Annotated[str, "That of the request; empty when it had none."]
    ok: bool
    end: Annotated[str, "final, failed or cancelled."]


class ChatReply(Continue, Reply):
    """The whole answer to what was asked."""

    turn: int
    text: str
    model: NotRequired[Annotated[str, "Which model answered; empty when none was needed."]]
    ms: NotRequired[Annotated[float, "Milliseconds that the answer took."]]


class FailedReply(Reply):
    """The request was not carried out, or there is no whole answer."""

    error: ErrorBody
    turn: NotRequired[int]
    ms: NotRequired[float]


class CancelledReply(Reply):
    """The turn was ended before its answer was."""

    reason: Annotated[str, "client, superseded, ended, forgotten, shutdown."]
    turn: NotRequired[int]
    ms: NotRequired[float]


class ObservedReply(Outcome, Reply):
    """What the words changed."""


class ForgottenReply(Outcome, Reply):
    """What was forgotten."""

    removed: Annotated[int, "How many records are gone."]


class PendingReply(Outcome, Reply):
    """What was changed of what is pending."""


class BlockReply(Block, Reply):
    """The block for a question."""

    turn: Annotated[int, "Number of the newest utterance in this memory; 0 before any."]


class MemoryReply(MemoryView, Reply):
    """Everything remembered for a scope."""

    scope: str


class StoppedReply(Reply):
    """How many turns were under way, and are ended now."""

    cancelled: int


class AcceptedNews(TypedDict):
    """The words are learned; the answer waits its turn behind `queue` others."""

    id: str
    turn: int
    queue: int
    changed: list[Change]


class DeltaNews(TypedDict):
    """A piece of the answer."""

    id: str
    seq: Annotated[int, "Counts from 0."]
    text: str


class DueNews(Notice):
    """A reminder that has become due."""

    event_type: Annotated[str, "due, overdue or missed; Home Assistant's name for `event`."]


class Info(Answer):
    """Who we are."""

    version: str
    api: Annotated[int, "The version of these shapes."]
    models: list[str]


class State(TypedDict):
    """Counts over all memories."""

    scopes: int
    turns: int
    pending: int


class Unreadable(TypedDict):
    """What was wrong with a request that nobody could be answered for."""

    kind: str
    ok: bool
    end: str
    error: ErrorBody
