"""JSON Schema (2020-12) of the shapes that come in and go out."""

from __future__ import annotations

import builtins
import inspect
import json
import re
import types
import typing
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any, NotRequired, get_args, get_origin, get_type_hints
from typing import is_typeddict as is_shape

from pydantic.json_schema import GenerateJsonSchema

from claudemem_edge.transport.fields import core_schema_of

if TYPE_CHECKING:
    from claudemem_edge.transport.fields import WireModel

Schema = dict[str, Any]
SIMPLE = {str: "string", int: "integer", float: "number", bool: "boolean", types.NoneType: "null"}
END_OF_TEXT = re.compile(r"\\z$")
"""How a pattern of ours says that nothing follows; JavaScript's, which JSON Schema takes, says `$`."""


class Components:
    """The named schemas that a document refers to; each is made when it is first asked for."""

    def __init__(self) -> None:
        self.schemas: dict[str, Schema] = {}

    def answer(self, shape: Any) -> Schema:
        """Return the schema of what goes out: a TypedDict or what its fields may be. Raises TypeError for others."""
        if shape in SIMPLE:
            return {"type": SIMPLE[shape]}
        if is_shape(shape):
            return self._named(shape)
        if get_origin(shape) is typing.Annotated:
            inner, meaning = get_args(shape)
            return self.answer(inner) | {"description": meaning}
        return self._made_of(shape, get_args(shape))

    def request(self, model: type[WireModel]) -> Schema:
        """Return the schema of what comes in."""
        if model.__name__ not in self.schemas:
            self.schemas[model.__name__] = {**request_schema(model), "description": inspect.getdoc(model)}
        return _reference(model.__name__)

    def _made_of(self, shape: Any, inner: tuple[Any, ...]) -> Schema:
        match get_origin(shape):
            case typing.Literal:
                return {"enum": list(inner)}
            case builtins.list:
                return {"type": "array", "items": self.answer(inner[0])}
            case builtins.dict:
                return {"type": "object", "additionalProperties": self.answer(inner[1])}
            case typing.Union | types.UnionType:
                return {"oneOf": [self.answer(one) for one in inner]}
            case _:
                raise TypeError(f"{shape} has no schema here")

    def _named(self, shape: Any) -> Schema:
        if shape.__name__ not in self.schemas:
            hints = get_type_hints(shape, include_extras=True)
            optional = {name for name, hint in hints.items() if get_origin(hint) is NotRequired}
            self.schemas[shape.__name__] = {
                "type": "object",
                "description": inspect.getdoc(shape),
                "properties": {
                    name: self.answer(get_args(hint)[0] if name in optional else hint) for name, hint in hints.items()
                },
                "required": [name for name in hints if name not in optional],
            }
        return _reference(shape.__name__)


def request_schema(model: type[WireModel]) -> Schema:
    """Return the schema of a model's object by itself, with its defaults and what its fields mean."""
    made: Schema = Untitled().generate(core_schema_of(model))
    for one in fields(model):
        told = made["properties"][one.name]
        if one.default is not MISSING:
            told["default"] = one.default
        if one.metadata["meaning"]:
            told["description"] = one.metadata["meaning"]
        if "pattern" in told:
            told["pattern"] = END_OF_TEXT.sub("$", told["pattern"])
    return made


class Untitled(GenerateJsonSchema):
    """Makes schemas without titles, which would only repeat the names of the fields."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Never."""
        del schema
        return False


def document_text(document: Schema) -> str:
    """Return a document as the text of its file."""
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _reference(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}
