"""The HTTP routes of our own, as an OpenAPI 3.1 document."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

from claudemem_edge.transport.answers import API
from claudemem_edge.transport.describe.shapes import Components, request_schema
from claudemem_edge.transport.events_routes import EventsRoutes
from claudemem_edge.transport.memory_routes import MemoryRoutes
from claudemem_edge.transport.operations import EVENT_OPERATIONS, MEMORY_OPERATIONS, STATUS_OPERATIONS
from claudemem_edge.transport.replies import EVENT_STREAM, JSON, NDJSON
from claudemem_edge.transport.status_routes import StatusRoutes

if TYPE_CHECKING:
    from claudemem_edge.transport.describe.shapes import Schema
    from claudemem_edge.transport.operations import Operation

DESCRIPTION = """\
Memory for small local language models. These are the routes of the daemon's own API, on its Unix socket and, where
wanted, on loopback TCP. Beside them it answers Ollama's API, which Ollama describes.

Within one version of this API names and meanings stay. Fields, events and error codes may be added: let a client skip
what it does not know.
"""
PARAMETERS = {
    "scope": ("Whose memory: a person, a room, a visit.", {"type": "string", "pattern": "^[a-z0-9_-]{1,64}$"}),
    "turn": ("Number of the utterance, from the header X-Claudemem-Turn.", {"type": "integer", "minimum": 0}),
    "id": ('The item, such as "p7".', {"type": "string"}),
}
ROUTES: tuple[tuple[type, tuple[Operation, ...]], ...] = (
    (StatusRoutes, STATUS_OPERATIONS),
    (MemoryRoutes, MEMORY_OPERATIONS),
    (EventsRoutes, EVENT_OPERATIONS),
)
IN_PATH = re.compile(r"\{(\w+)\}")


def openapi() -> Schema:
    """Return the document."""
    components = Components()
    paths: dict[str, Schema] = {}
    for handlers, operations in ROUTES:
        for one in operations:
            told = inspect.getdoc(getattr(handlers, one.name)) or ""
            paths.setdefault(one.path, {})[one.method.lower()] = _operation(one, told, components)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "claudemem-edge",
            "version": str(API),
            "description": DESCRIPTION,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "http://127.0.0.1:11535", "description": "Loopback TCP; any host name on the socket."}],
        "security": [{}, {"token": []}],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(components.schemas.items())),
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "Where http.tokens is set, on TCP."}
            },
        },
    }


def _operation(one: Operation, told: str, components: Components) -> Schema:
    described: Schema = {"operationId": one.name, "summary": told}
    parameters = [*_in_path(one.path), *_in_query(one)]
    if parameters:
        described["parameters"] = parameters
    if one.body is not None:
        described["requestBody"] = {"required": True, "content": _content(components.request(one.body))}
    described["responses"] = {
        str(int(one.status)): {"description": "Carried out.", "content": _answer(one, components)},
        "default": {
            "description": "Not carried out. The error says why, and what to do next.",
            "content": _content(components.answer(one.failure)),
        },
    }
    return described


def _answer(one: Operation, components: Components) -> Schema:
    content: Schema = {}
    if one.answer is not None:
        content |= _content(components.answer(one.answer))
    if one.rows is not None:
        rows = components.answer(one.rows)
        content[NDJSON] = {"schema": rows}
        if one.answer is None:
            content[EVENT_STREAM] = {"schema": rows}
    return content or {one.media_type: {}}


def _content(schema: Schema) -> Schema:
    return {JSON: {"schema": schema}}


def _in_path(path: str) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": PARAMETERS[name][0],
            "schema": PARAMETERS[name][1],
        }
        for name in IN_PATH.findall(path)
    ]


def _in_query(one: Operation) -> list[dict[str, Any]]:
    if one.query is None:
        return []
    schema = request_schema(one.query)
    return [
        {
            "name": name,
            "in": "query",
            "required": name in schema.get("required", ()),
            "description": told.pop("description", ""),
            "schema": told,
        }
        for name, told in schema["properties"].items()
    ]
