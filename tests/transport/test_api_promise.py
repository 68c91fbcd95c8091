"""The promise of `api: 1`: what a client was built on stays. More may come.

`api-1.txt` is what was promised. A line is added when something is added to the API, and none is ever changed: what
has to break comes with `api: 2` and a list of its own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claudemem_edge.transport.answers import API
from claudemem_edge.transport.schema import schema_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

PROMISED = Path(__file__).with_name(f"api-{API}.txt").read_text("utf-8").splitlines()


def promises() -> Iterator[str]:
    """Return what the schemas say today, a line each."""
    openapi, asyncapi = (json.loads(schema_bytes(name)) for name in ("openapi", "asyncapi"))
    for path, operations in openapi["paths"].items():
        for method, operation in operations.items():
            yield f"http {method.upper()} {path}"
            for one in operation.get("parameters", ()):
                need = "required" if one["required"] else "optional"
                yield f"http {method.upper()} {path} {one['in']} {one['name']} {need}"
    for channel in asyncapi["channels"].values():
        yield f"mqtt {channel['address']}"
    for door, document in (("http", openapi), ("mqtt", asyncapi)):
        for shape, schema in document["components"]["schemas"].items():
            for name, told in schema["properties"].items():
                need = "required" if name in schema.get("required", ()) else "optional"
                yield f"{door} {shape}.{name} {need} {kind(told)}"
                yield from (f"{door} {shape}.{name} {json.dumps(value)}" for value in told.get("enum", ()))


def kind(schema: dict[str, Any]) -> str:
    """Return what a field may be, in a word or a few."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " | ".join(kind(one) for one in schema[several])
    if "enum" in schema:
        return "one of several"
    if "items" in schema:
        return f"array of {kind(schema['items'])}"
    return str(schema["type"])


def test_what_was_promised_holds() -> None:
    assert sorted(set(PROMISED) - set(promises())) == []


def test_what_is_new_is_promised_too() -> None:
    assert sorted(set(promises()) - set(PROMISED)) == [], "add these lines to the list, and say so in CHANGELOG.md"


def test_no_field_of_a_request_that_was_free_to_leave_out_has_become_required() -> None:
    known = {line.split()[1].partition(".")[0] for line in PROMISED if "In." in line}
    now = {line for line in promises() if "In." in line and " required " in line}
    assert {line for line in now if line.split()[1].partition(".")[0] in known} <= set(PROMISED)
