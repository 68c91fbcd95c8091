"""What the fields of an incoming JSON object may hold, and the check of all of them at once.

Pydantic's core does the checking. The rest of pydantic would only build the same checks from annotations, for 8 MB of
memory and a tenth of a second at each start.
"""

from __future__ import annotations

import re
from dataclasses import MISSING, dataclass, field, fields
from datetime import MAXYEAR, MINYEAR, datetime
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic_core import PydanticCustomError, SchemaValidator
from pydantic_core import core_schema as core

if TYPE_CHECKING:
    from dataclasses import Field

    from pydantic_core import CoreConfig, CoreSchema
    from pydantic_core.core_schema import TypedDictField

CONFIG: CoreConfig = {"strict": True, "allow_inf_nan": False, "hide_input_in_errors": True}
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def _spoken(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("empty", "must not be empty")
    return _clean(text)


def _clean(text: str) -> str:
    if CONTROL.search(text):
        raise PydanticCustomError("control", "must not hold NUL or other control characters")
    return text


def _point_in_time(text: str) -> datetime:
    """Return the time a text tells, in a year that is one in every zone."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        raise PydanticCustomError("time", "must be a time with its offset, such as 2030-03-12T10:00:00+08:00")
    if not MINYEAR < at.year < MAXYEAR:
        raise PydanticCustomError("year", "must lie within the years 2 to 9998")
    return at


SPOKEN = core.no_info_after_validator_function(_spoken, core.str_schema())
"""Words somebody said. How many are too many is the memory's own limit."""
PLAIN = core.no_info_after_validator_function(_clean, core.str_schema(max_length=256))
SPEAKER = core.no_info_after_validator_function(_clean, core.str_schema(min_length=1, max_length=64))
TEXT = core.no_info_after_validator_function(_clean, core.str_schema())
ID = core.str_schema(max_length=128, pattern=r"^[^\x00-\x20\x7f]*\z")
DAY = core.str_schema(pattern=r"^(?:[0-9]{4}-[0-9]{2}-[0-9]{2})?\z")
LANGUAGE = core.str_schema(max_length=16, pattern=r"^[A-Za-z0-9_-]*\z")
FLAG = core.bool_schema()
AWARE = core.no_info_after_validator_function(
    _point_in_time, core.str_schema(), metadata={"pydantic_js_updates": {"format": "date-time"}}
)
"""A point in time with its offset: a number would leave open whether it counts seconds."""


def seconds(most: float) -> CoreSchema:
    """Return the kind of a length of time above zero."""
    return core.float_schema(gt=0, le=most)


def count(most: int) -> CoreSchema:
    """Return the kind of a whole number from zero."""
    return core.int_schema(ge=0, le=most)


def optional(kind: CoreSchema) -> CoreSchema:
    """Return the kind that may also be null."""
    return core.nullable_schema(kind)


def one_of(*words: str) -> CoreSchema:
    """Return the kind of a field that is one of these words."""
    return core.literal_schema(list(words))


def given(kind: CoreSchema, default: Any = MISSING, *, alias: str = "", meaning: str = "") -> Any:
    """Return a field that must be of a kind. Without a default it must be there; `alias` is what others call it.

    `meaning` is told to whoever writes a client.
    """
    return field(default=default, metadata={"kind": kind, "alias": alias, "meaning": meaning})


@dataclass(slots=True, frozen=True)
class WireModel:
    """Base of everything that comes in: strict, silent about its input, and closed unless it says otherwise."""

    closed: ClassVar[bool] = True


VALIDATORS: dict[type[WireModel], SchemaValidator] = {}


def validator(model: type[WireModel]) -> SchemaValidator:
    """Return what makes a dictionary of a model's fields from JSON or from strings, or raises ValidationError."""
    made = VALIDATORS.get(model)
    if made is None:
        # What errors show is settled in the schema, the rest here.
        made = VALIDATORS[model] = SchemaValidator(core_schema_of(model), CONFIG)
    return made


def core_schema_of(model: type[WireModel]) -> CoreSchema:
    """Return what pydantic's core is told of a model."""
    checks = {one.name: _check(one) for one in fields(model)}
    return core.typed_dict_schema(checks, extra_behavior="forbid" if model.closed else "ignore", config=CONFIG)


def _check(one: Field[Any]) -> TypedDictField:
    names = [name for name in (one.name, one.metadata["alias"]) if name]
    return core.typed_dict_field(
        one.metadata["kind"], required=one.default is MISSING, validation_alias=[[name] for name in names]
    )
