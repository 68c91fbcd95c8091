"""JSON with places: which characters a value stands on, so that one value can be replaced and no other byte changes."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

SPACE = re.compile(r"[ \t\n\r]*")
DECODER = json.JSONDecoder()


class Placed(NamedTuple):
    """A value, and the characters of the text it stands on."""

    value: Any
    start: int
    end: int


def document(text: str) -> dict[str, Placed]:
    """Return the members of a document that is one object. Raises ValueError; RecursionError when nested too deep."""
    start = _skip(text, 0)
    value, end = DECODER.raw_decode(text, start)
    if not isinstance(value, dict) or _skip(text, end) != len(text):
        raise ValueError("the document must be one object")
    return members(text, start)


def members(text: str, start: int) -> dict[str, Placed]:
    """Return the members of the object that begins at `start`, in a text that is known to be JSON.

    Of members with the same name the last one counts, as for most readers of JSON.
    """
    found: dict[str, Placed] = {}
    at = _skip(text, start + 1)
    while text[at] != "}":
        name, end = DECODER.raw_decode(text, at)
        found[name] = place = _placed(text, _skip(text, _skip(text, end) + 1))
        at = _after(text, place)
    return found


def elements(text: str, start: int) -> list[Placed]:
    """Return the elements of the array that begins at `start`, in a text that is known to be JSON."""
    found: list[Placed] = []
    at = _skip(text, start + 1)
    while text[at] != "]":
        found.append(_placed(text, at))
        at = _after(text, found[-1])
    return found


def replaced(text: str, place: Placed, value: str) -> bytes:
    """Return the text, as UTF-8, with a string in place of one value."""
    return (text[: place.start] + json.dumps(value, ensure_ascii=False) + text[place.end :]).encode("utf-8")


def _placed(text: str, at: int) -> Placed:
    value, end = DECODER.raw_decode(text, at)
    return Placed(value, at, end)


def _after(text: str, place: Placed) -> int:
    """Return where the next item begins, or the closing bracket stands."""
    at = _skip(text, place.end)
    return _skip(text, at + 1) if text[at] == "," else at


def _skip(text: str, at: int) -> int:
    match = SPACE.match(text, at)
    return match.end() if match else at
