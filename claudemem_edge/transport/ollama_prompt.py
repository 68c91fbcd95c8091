"""The rule for U: which message of a client's request is the question, and how a block gets into it.

Pure: bytes in, a Question out, or None for a request that is passed on untouched. Only the text of U ever changes;
every other byte of the request stays what the client sent.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from claudemem_edge.errors import BadRequest
from claudemem_edge.transport.json_spans import Placed, document, elements, members, replaced

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FRAME = ("system", "developer")
"""Roles that are no part of the conversation: clients write the time of day into them, anew each round.

No set: what a client sends as a role may be any JSON."""
KEY = os.urandom(16)
SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(slots=True, frozen=True)
class Question:
    """U. `digest` stands for the conversation up to U; `answered` counts the messages that follow it."""

    text: str
    digest: bytes
    model: str
    body: str
    place: Placed
    answered: int = 0
    others: tuple[str, ...] = ()
    """What the client's other messages say."""
    tools: bool = False
    stream: bool = True

    def with_text(self, text: str) -> bytes:
        """Return the request with another text for U."""
        return self.body.encode("utf-8") if text == self.text else replaced(self.body, self.place, text)


def read_chat(body: bytes, *, streams: bool = True) -> Question | None:
    """Return the question in a request to /api/chat or /v1/chat/completions. Raises BadRequest.

    `streams` is what a request means that does not say whether it wants a stream.
    """
    text, fields = _read(body)
    rows = _value(fields, "messages")
    if rows is None:
        return None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadRequest("the field messages must be a list of objects")
    if _value(fields, "format") or _value(fields, "response_format"):
        return None
    users = [index for index, row in enumerate(rows) if row.get("role") == "user"]
    if not users:
        return None
    place = _content(text, elements(text, fields["messages"].start)[users[-1]])
    if place is None or not _can_be_asked(place.value):
        return None
    return Question(
        text=place.value,
        digest=_digest([row for row in rows[: users[-1] + 1] if row.get("role") not in FRAME]),
        model=str(_value(fields, "model") or ""),
        answered=sum(row.get("role") not in FRAME for row in rows[users[-1] + 1 :]),
        others=tuple(said for index, row in enumerate(rows) if index != users[-1] for said in _texts(row)),
        tools=bool(_value(fields, "tools")),
        stream=_flag(fields, "stream", unset=streams),
        body=text,
        place=place,
    )


def read_generate(body: bytes) -> Question | None:
    """Return the question in a request to /api/generate: its prompt. Raises BadRequest."""
    text, fields = _read(body)
    if any(_value(fields, name) for name in ("raw", "suffix", "format")):
        return None
    place = fields.get("prompt")
    if place is None or not isinstance(place.value, str) or not _can_be_asked(place.value):
        return None
    system = _value(fields, "system")
    return Question(
        text=place.value,
        digest=_digest([place.value, _value(fields, "context")]),
        model=str(_value(fields, "model") or ""),
        others=(system,) if isinstance(system, str) else (),
        stream=_flag(fields, "stream", unset=True),
        body=text,
        place=place,
    )


def _read(body: bytes) -> tuple[str, dict[str, Placed]]:
    try:
        text = body.decode("utf-8")
        return text, document(text)
    except (ValueError, RecursionError):
        raise BadRequest("the body is not a JSON object in UTF-8", hint="see Ollama's API for its fields") from None


def _value(fields: Mapping[str, Placed], name: str) -> Any:
    return fields[name].value if name in fields else None


def _flag(fields: Mapping[str, Placed], name: str, *, unset: bool) -> bool:
    value = _value(fields, name)
    return value if isinstance(value, bool) else unset


def _content(text: str, row: Placed) -> Placed | None:
    """Return where the text of a message stands: its content, or the last text among its parts."""
    place = members(text, row.start).get("content")
    if place is None or isinstance(place.value, str):
        return place
    if not isinstance(place.value, list):
        return None
    for part in reversed(elements(text, place.start)):
        if isinstance(part.value, dict) and part.value.get("type") == "text":
            inner = members(text, part.start).get("text")
            return inner if inner is not None and isinstance(inner.value, str) else None
    return None


def _texts(row: Mapping[str, Any]) -> list[str]:
    content = row.get("content")
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else []
    return [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]


def _can_be_asked(text: str) -> bool:
    """Tell whether a text is somebody's words: not empty, encodable, and no chore."""
    return bool(text.strip()) and SURROGATE.search(text) is None and not is_chore(text)


def is_chore(text: str) -> bool:
    """Tell whether a text carries a conversation in itself, to be titled, tagged or summed up."""
    marks = _chores()
    opening = text.lstrip()
    if any(opening.startswith(mark) for mark in marks["openings"]) or any(mark in text for mark in marks["marks"]):
        return True
    lines = [line.lstrip() for line in text.splitlines()]
    return any(all(any(line.startswith(mark) for line in lines) for mark in pair) for pair in marks["turns"])


@lru_cache(maxsize=1)
def _chores() -> dict[str, Any]:
    return tomllib.loads((resources.files("claudemem_edge") / "transport" / "chores.toml").read_text(encoding="utf-8"))


def _digest(conversation: Sequence[Any]) -> bytes:
    spelled = json.dumps(conversation, sort_keys=True, separators=(",", ":")).encode("ascii")
    return hashlib.blake2b(spelled, digest_size=16, key=KEY).digest()
