"""The schemas as shipped, and a check of real messages against them that lets nothing undescribed pass."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from claudemem_edge.transport.schema import schema_bytes

if TYPE_CHECKING:
    from claudemem_edge.transport.schema import Name


class Document:
    """One schema document, with every object in it closed: a client may meet more one day, a test may not."""

    def __init__(self, name: Name) -> None:
        self.content: dict[str, Any] = json.loads(schema_bytes(name))
        _close(self.content)

    def check(self, schema: dict[str, Any], value: Any) -> None:
        """Raise ValidationError unless the value is as the schema says; references lead into the document."""
        self._validator(schema).validate(value)

    def admits(self, schema: dict[str, Any], value: Any) -> bool:
        """Tell whether the value is as the schema says."""
        return self._validator(schema).is_valid(value)

    def _validator(self, schema: dict[str, Any]) -> Draft202012Validator:
        return Draft202012Validator({**schema, "components": self.content["components"]})


def _close(node: Any) -> None:
    if isinstance(node, dict):
        if node.get("type") == "object" and "properties" in node:
            node.setdefault("additionalProperties", False)
        for below in node.values():
            _close(below)
    elif isinstance(node, list):
        for below in node:
            _close(below)
