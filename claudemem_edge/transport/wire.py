"""What comes in and goes out as JSON on our own doors. Whatever the bytes are, they make a model or a typed error.

No error repeats what was sent: it names the field and says what is wanted there.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pydantic_core import ValidationError

from claudemem_edge.errors import BadRequest, Busy, EdgeError, TooLong, did_you_mean
from claudemem_edge.shapes.turn import Accepted, Cancelled, Delta, Failed, Final, Said
from claudemem_edge.transport.fields import (
    AWARE,
    FLAG,
    ID,
    LANGUAGE,
    PLAIN,
    SPEAKER,
    SPOKEN,
    TEXT,
    WireModel,
    count,
    given,
    one_of,
    seconds,
    validator,
)

if TYPE_CHECKING:
    from datetime import datetime

    from pydantic_core import ErrorDetails

    from claudemem_edge.shapes.context import Context
    from claudemem_edge.shapes.outcome import Change, Outcome
    from claudemem_edge.shapes.turn import Notice, TurnEvent

MAX_BODY_BYTES = 1 << 20
FIELD_NAME = re.compile(r"[a-z_]{1,24}")
YEAR_S = 31_536_000


@dataclass(slots=True, frozen=True)
class AskIn(WireModel):
    """One thing a user says, to be answered. `ttl_s` is how long the answer is of use."""

    text: str = given(SPOKEN)
    id: str = given(ID, "")
    language: str = given(LANGUAGE, "", alias="lang")
    user: str = given(PLAIN, "")
    stream: bool = given(FLAG, default=True)
    ttl_s: float | None = given(seconds(3600), None)
    supersede: bool = given(FLAG, default=False)
    device: str = given(PLAIN, "")


@dataclass(slots=True, frozen=True)
class ObserveIn(WireModel):
    """One thing said elsewhere, to be learned. `speaker`: user, assistant, event, or a person's name."""

    text: str = given(SPOKEN)
    speaker: str = given(SPEAKER, "user", alias="role")
    id: str = given(ID, "")
    language: str = given(LANGUAGE, "", alias="lang")
    device: str = given(PLAIN, "")


@dataclass(slots=True, frozen=True)
class ForgetIn(WireModel):
    """What to forget; `key` names the entity, topic or item; all of it needs `confirm`."""

    what: Literal["last", "task", "item", "topic", "entity", "all"] = given(
        one_of("last", "task", "item", "topic", "entity", "all"), alias="scope"
    )
    key: str = given(PLAIN, "")
    confirm: bool = given(FLAG, default=False)
    id: str = given(ID, "")


@dataclass(slots=True, frozen=True)
class PendingIn(WireModel):
    """A change to what is pending: a new item, or done, cancel, snooze for an old one."""

    op: Literal["add", "done", "cancel", "delete", "snooze", "change"] = given(
        one_of("add", "done", "cancel", "delete", "snooze", "change"), "add"
    )
    id: str = given(ID, "")
    text: str = given(TEXT, "")
    due: datetime | None = given(AWARE, None)
    for_s: float = given(seconds(YEAR_S), 600.0)
    language: str = given(LANGUAGE, "", alias="lang")
    device: str = given(PLAIN, "")


@dataclass(slots=True, frozen=True)
class ContextIn(WireModel):
    """A question to choose a block for."""

    query: str = given(SPOKEN)
    limit_chars: int | None = given(count(4000), None)
    language: str = given(LANGUAGE, "", alias="lang")
    id: str = given(ID, "")


@dataclass(slots=True, frozen=True)
class CancelIn(WireModel):
    """Which running ask to cancel; an empty id means whichever runs."""

    id: str = given(ID, "")


Model = TypeVar("Model", bound=WireModel)


def parse(model: type[Model], data: bytes, limit_bytes: int = MAX_BODY_BYTES) -> Model:
    """Return the model these bytes hold. Raises TooLong above the limit, else BadRequest naming the first mistake."""
    if len(data) > limit_bytes:
        raise TooLong(f"the request has {len(data)} bytes; {limit_bytes} is the most", hint="say it in shorter pieces")
    try:
        return model(**validator(model).validate_json(data))
    except ValidationError as error:
        raise _mistake(model, error) from None


def from_query(model: type[Model], values: dict[str, Any]) -> Model:
    """Return the model these query parameters hold. Raises BadRequest naming the first mistake."""
    try:
        return model(**validator(model).validate_strings(values, strict=False))
    except ValidationError as error:
        raise _mistake(model, error) from None


def _mistake(model: type[WireModel], error: ValidationError) -> BadRequest:
    detail = error.errors(include_url=False, include_input=False)[0]
    kind, where = detail["type"], detail["loc"]
    name = str(where[0]) if where else ""
    known = [one.name for one in fields(model)]
    hint = f"the fields are {', '.join(known)}"
    if kind == "json_invalid":
        return BadRequest("the body is not JSON in UTF-8", hint='send one JSON object, such as {"text": "…"}')
    if not where:
        return BadRequest("the body must be a JSON object", hint=hint)
    if kind == "extra_forbidden":
        near = did_you_mean(name, known).removeprefix("; ") if FIELD_NAME.fullmatch(name) else ""
        return BadRequest("there is a field that does not exist here", hint=near or hint)
    if kind == "missing":
        return BadRequest(f"the field {name} is missing", hint=hint)
    return BadRequest(f"the field {name}: {_wanted(detail)}", hint=hint)


def _wanted(detail: ErrorDetails) -> str:
    """Say what is wanted; a pattern is no sentence for people."""
    if detail["type"] == "string_pattern_mismatch":
        return "holds a character that is not allowed there"
    return detail["msg"].replace("Input should", "should")


def context_json(context: Context) -> dict[str, Any]:
    """Return a block with the reason for each line."""
    return {
        "text": context.text,
        "lines": [
            {"kind": line.kind, "text": line.text, "turns": list(line.turns), "score": _finite(line.score)}
            for line in context.lines
        ],
    }


def _finite(value: float) -> float | None:
    return round(value, 4) if math.isfinite(value) else None


def changes_json(changes: tuple[Change, ...]) -> list[dict[str, Any]]:
    """Return changes as plain objects."""
    return [
        {"kind": change.kind, "record": change.record, "id": change.id, "detail": dict(change.detail)}
        for change in changes
    ]


def outcome_json(outcome: Outcome) -> dict[str, Any]:
    """Return what one utterance changed."""
    return {
        "turn": outcome.turn,
        "changed": changes_json(outcome.changed),
        "say": outcome.say,
        "complete": outcome.complete,
        "asks_back": outcome.open_question is not None,
        "language": outcome.language,
    }


def event_json(event: TurnEvent) -> dict[str, Any]:
    """Return one event of a turn; `event` says which it is."""
    match event:
        case Accepted():
            changed = changes_json(event.changed)
            return {"event": "accepted", "id": event.id, "turn": event.turn, "queue": event.queue, "changed": changed}
        case Said():
            return {"event": "said", "id": event.id, "text": event.text}
        case Delta():
            return {"event": "delta", "id": event.id, "seq": event.seq, "text": event.text}
        case Final():
            return {
                "event": "final",
                "id": event.id,
                "turn": event.turn,
                "text": event.text,
                "model": event.model,
                "asks_back": event.asks_back,
                "context": context_json(event.context),
            }
        case Failed():
            return {"event": "failed", "id": event.id, "turn": event.turn, **failed_json(event)}
        case Cancelled():
            return {"event": "cancelled", "id": event.id, "turn": event.turn, "reason": event.reason}


def notice_json(notice: Notice) -> dict[str, Any]:
    """Return a notice as it goes to its subscribers."""
    return {
        "event": notice.kind,
        "scope": notice.scope,
        "id": notice.item,
        "text": notice.text,
        "due": notice.due,
        "language": notice.language,
        "asked_at": notice.asked_at_door,
        "repeat": notice.repeat,
    }


def failed_json(failed: Failed) -> dict[str, Any]:
    """Return the error of a failed turn in the shape of `error_json`."""
    body: dict[str, Any] = {"code": failed.code, "text": failed.text, "hint": ""}
    if failed.retry_after_s:
        body["retry_after_s"] = failed.retry_after_s
    if failed.heard:
        body["heard"] = True
    return {"error": body}


def error_json(error: EdgeError, text: str = "") -> dict[str, Any]:
    """Return an error as it goes over the wire; `text` replaces its sentence, in the language of the user."""
    body: dict[str, Any] = {"code": error.code, "text": text or error.message, "hint": error.hint}
    if isinstance(error, Busy):
        body["retry_after_s"] = error.retry_after_s
    if error.heard:
        body["heard"] = True
    return {"error": body}
