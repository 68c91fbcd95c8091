"""What comes in as JSON on our own doors. Whatever the bytes are, they make a model or a typed error.

No error repeats what was sent: it names the field and says what is wanted there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pydantic_core import ValidationError

from claudemem_edge.errors import BadRequest, TooLong, did_you_mean
from claudemem_edge.transport.fields import (
    AWARE,
    DAY,
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
    optional,
    seconds,
    validator,
)

if TYPE_CHECKING:
    from datetime import datetime

    from pydantic_core import ErrorDetails

MAX_BODY_BYTES = 1 << 20
FIELD_NAME = re.compile(r"[a-z_]{1,24}")
YEAR_S = 31_536_000


ID_MEANING = "Yours, to know the answer by. Another request with the same id is a repeat."
LANGUAGE_MEANING = "Of the words, such as en or zh; empty: the words themselves decide."
DEVICE_MEANING = "Where it was said, such as kitchen; a reminder is announced there."


@dataclass(slots=True, frozen=True)
class AskIn(WireModel):
    """One thing a user says, to be answered."""

    text: str = given(SPOKEN, meaning="What was said; not blank.")
    id: str = given(ID, "", meaning=ID_MEANING)
    language: str = given(LANGUAGE, "", alias="lang", meaning=LANGUAGE_MEANING)
    user: str = given(PLAIN, "", meaning="Who spoke, where it is not the one whose memory this is.")
    stream: bool = given(FLAG, default=True, meaning="False: the ending alone.")
    ttl_s: float | None = given(optional(seconds(3600)), None, meaning="How long the answer is of use.")
    supersede: bool = given(FLAG, default=False, meaning="True: end what is being answered in this scope.")
    device: str = given(PLAIN, "", meaning=DEVICE_MEANING)


@dataclass(slots=True, frozen=True)
class ObserveIn(WireModel):
    """One thing said elsewhere, to be learned."""

    text: str = given(SPOKEN, meaning="What was said or happened; not blank.")
    speaker: str = given(SPEAKER, "user", alias="role", meaning="user, assistant, event, or a person's name.")
    id: str = given(ID, "", meaning=ID_MEANING)
    language: str = given(LANGUAGE, "", alias="lang", meaning=LANGUAGE_MEANING)
    device: str = given(PLAIN, "", meaning=DEVICE_MEANING)


@dataclass(slots=True, frozen=True)
class ForgetIn(WireModel):
    """What to forget."""

    what: Literal["last", "task", "item", "topic", "entity", "all"] = given(
        one_of("last", "task", "item", "topic", "entity", "all"), alias="scope"
    )
    key: str = given(PLAIN, "", meaning="Names the entity, topic or item.")
    confirm: bool = given(FLAG, default=False, meaning="Must be true to forget all.")
    id: str = given(ID, "", meaning=ID_MEANING)


@dataclass(slots=True, frozen=True)
class PendingIn(WireModel):
    """A change to what is pending: a new item, or done, acknowledge, cancel, snooze, change for an old one."""

    op: Literal["add", "done", "acknowledge", "cancel", "delete", "snooze", "change"] = given(
        one_of("add", "done", "acknowledge", "cancel", "delete", "snooze", "change"), "add"
    )
    id: str = given(ID, "", meaning='The item, such as "p7".')
    text: str = given(TEXT, "", meaning="What to be reminded of; with add.")
    due: datetime | None = given(optional(AWARE), None, meaning="When; with add and change.")
    for_s: float = given(seconds(YEAR_S), 600.0, meaning="How long to snooze.")
    language: str = given(LANGUAGE, "", alias="lang", meaning=LANGUAGE_MEANING)
    device: str = given(PLAIN, "", meaning="Where to announce a new item, such as kitchen.")


@dataclass(slots=True, frozen=True)
class ContextIn(WireModel):
    """A question to choose a block for."""

    query: str = given(SPOKEN, meaning="The question; not blank.")
    limit_chars: int | None = given(optional(count(4000)), None, meaning="Room for the block; null: the settings'.")
    language: str = given(LANGUAGE, "", alias="lang", meaning=LANGUAGE_MEANING)
    id: str = given(ID, "", meaning=ID_MEANING)


@dataclass(slots=True, frozen=True)
class DigestIn(WireModel):
    """The days to sum up."""

    day: str = given(DAY, "", meaning="The first, such as 2026-03-11; empty: today.")
    days: int = given(count(31), 1, meaning="How many; a week is 7.")
    language: str = given(LANGUAGE, "", alias="lang", meaning=LANGUAGE_MEANING)


@dataclass(slots=True, frozen=True)
class CancelIn(WireModel):
    """Which running ask to cancel."""

    id: str = given(ID, "", meaning="That of the ask. Over MQTT none at all means whichever runs.")


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
