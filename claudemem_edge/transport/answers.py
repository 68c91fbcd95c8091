"""What goes out as JSON on our own doors. These shapes are the promise of `api: 1`: docs/doors.md says what it covers.

A shape's docstring and what stands beside a field go into the schema, word by word.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from claudemem_edge.errors import CODES
from claudemem_edge.shapes.status import LinkStatus, ModelStatus, Numbers
from claudemem_edge.state_engine.view import MemoryView

API = 1
"""Counts up when something here goes away or changes its meaning."""


class Answer(TypedDict):
    """What every answer holds."""

    boot_id: Annotated[str, "Another one after each start of the daemon, which then remembers nothing."]


KINDS = "stored, changed, corrected, done, cancelled, snoozed, triggered, acknowledged, forgot, refused, asked."


class Change(TypedDict):
    """One thing that words changed in a memory."""

    kind: Annotated[str, KINDS]
    record: Annotated[str, "statement, claim, item, entity, topic, memory, question."]
    id: str
    detail: Annotated[dict[str, str], "Plain fields such as text, due, count."]


class Outcome(TypedDict):
    """What one utterance changed."""

    turn: Annotated[int, "Number of the utterance in this memory."]
    changed: list[Change]
    say: Annotated[str, "What to tell the person; empty when there is nothing."]
    complete: Annotated[bool, "True when no language model is needed after it."]
    asks_back: Annotated[bool, "True when a question of ours is open: a microphone should stay on."]
    language: str


class OutcomeAnswer(Outcome, Answer):
    """What one utterance changed."""


class BlockLine(TypedDict):
    """One line of a block, and why it is there."""

    kind: Annotated[str, "date, notice, claim, item, statement, name, topic."]
    text: str
    turns: Annotated[list[int], "The utterances it rests on."]
    score: Annotated[float | None, "How well it matched; null for what stands there whatever the question is."]


class Block(TypedDict):
    """The text to put before a question; empty when nothing is relevant."""

    text: str
    lines: list[BlockLine]


class BlockAnswer(Block, Answer):
    """The block for a question."""

    turn: Annotated[int, "Number of the newest utterance in this memory; 0 before any."]


class DigestAnswer(Answer):
    """What was told in some days, in words."""

    text: str


class Trace(Answer):
    """Why a recent turn was answered as it was."""

    turn: int
    outcome: Outcome
    context: Annotated[Block | None, "The block it was answered with; null when no model was asked."]


class ErrorBody(TypedDict):
    """What went wrong, and what to do next."""

    code: Annotated[str, f"One of {', '.join(CODES)}; more may come."]
    text: Annotated[str, "A sentence, in the language of the user where one spoke."]
    hint: Annotated[str, "What to do next; empty where there is nothing to add."]
    retry_after_s: NotRequired[Annotated[float, "When to come back; with busy."]]
    heard: NotRequired[Annotated[bool, "True when the words were learned all the same."]]


class Refusal(TypedDict):
    """The answer to a request that was not carried out."""

    error: ErrorBody


class AcceptedEvent(Answer):
    """The words are learned; the answer waits its turn behind `queue` others."""

    event: Literal["accepted"]
    id: str
    turn: int
    queue: int
    changed: list[Change]


class SaidEvent(Answer):
    """Words of the daemon itself."""

    event: Literal["said"]
    id: str
    text: str


class DeltaEvent(Answer):
    """A piece of the model's answer."""

    event: Literal["delta"]
    id: str
    seq: Annotated[int, "Counts from 0."]
    text: str


class FinalEvent(Answer):
    """The whole answer: what was said, and what the model answered. Nothing follows."""

    event: Literal["final"]
    id: str
    turn: int
    text: str
    model: Annotated[str, "Which model answered; empty when none was needed."]
    asks_back: Annotated[bool, "True when a question of ours is open: a microphone should stay on."]
    context: Block


class FailedEvent(Answer):
    """There is no whole answer. Nothing follows."""

    event: Literal["failed"]
    id: str
    turn: Annotated[int, "0 when the words were not learned."]
    error: ErrorBody


class CancelledEvent(Answer):
    """The turn was ended before its answer was. Nothing follows."""

    event: Literal["cancelled"]
    id: str
    turn: int
    reason: Annotated[str, "client, superseded, ended, forgotten, shutdown."]


TurnEvent = AcceptedEvent | SaidEvent | DeltaEvent | FinalEvent | FailedEvent | CancelledEvent
Ending = FinalEvent | FailedEvent | CancelledEvent


class Notice(TypedDict):
    """A reminder that has become due."""

    event: Annotated[str, "due, overdue or missed."]
    scope: str
    id: Annotated[str, 'The item, such as "p7": name it to say that it is done.']
    text: str
    due: Annotated[str, "ISO 8601 with offset."]
    language: str
    asked_at: Annotated[str, "The door it was asked at, as door:device."]
    repeat: Annotated[int, "How often it was told before."]
    urgent: Annotated[bool, "True when the person said so: it sounds in quiet hours too."]


class Listening(Answer):
    """The first line of a stream of notices."""

    event: Literal["listening"]
    scope: Annotated[str, '"*" for all of them.']


class Lost(TypedDict):
    """This client was too slow: so many notices were dropped since it began to listen."""

    event: Literal["lost"]
    count: int


class Ended(TypedDict):
    """The visit is over. Nothing follows: whoever has its name next is somebody else."""

    event: Literal["ended"]
    scope: str


NoticeRow = Listening | Notice | Lost | Ended


class PendingItem(TypedDict):
    """A reminder or task."""

    id: str
    kind: str
    text: str
    state: Annotated[str, "pending, triggered, done, cancelled, expired."]
    due: Annotated[str | None, "ISO 8601 with offset; null without a time."]
    grain: Annotated[str, "How exact the time is: minute, hour, day, …"]
    recurrence: Annotated[str, "Body of an RFC 5545 RRULE; empty for once."]
    trigger: str
    parent: str
    missed: bool
    urgent: bool
    asked_at: Annotated[str, "The door it was asked at, as door:device."]
    turn: int


class PendingAnswer(Answer):
    """What is still to happen, soonest first."""

    items: list[PendingItem]


class MemoryAnswer(MemoryView, Answer):
    """Everything remembered for a scope."""

    scope: str


class EndedAnswer(Answer):
    """Whether there was something to end."""

    ended: bool


class CancelledAnswer(Answer):
    """Whether that turn was under way, and is ended now."""

    cancelled: bool


class HealthAnswer(Numbers, Answer):
    """Numbers and states. Never a word of anybody."""

    status: Literal["ok", "degraded"]
    version: str
    api: Annotated[int, "The version of these shapes."]
    backend: Annotated[str, "ok, or the code of the last failure of the language model."]
    clock: Annotated[str, "ok, or why the wall clock cannot be relied on: year, never_set, setting."]
    model: ModelStatus
    mqtt: Annotated[LinkStatus | None, "null without MQTT."]
    errors: Annotated[dict[str, int], "Errors told to callers, by code."]
