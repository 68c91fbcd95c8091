"""Patterns over kinds of pieces: how they are written, translated, and which kinds they cannot do without.

`hour:number clock_mark half?` is a number, whose value is the hour, a clock mark and perhaps a half. Kinds and groups
are lower-case words; everything else is as in regular expressions.
"""

from __future__ import annotations

import re
from functools import reduce
from itertools import islice, product
from operator import or_
from typing import TYPE_CHECKING

from claudemem_edge.errors import PackError

if TYPE_CHECKING:
    from collections.abc import Mapping

WORD = re.compile(r"(?P<group>[a-z_]+):(?:\((?:\?:)?|(?P<named>[a-z_]+))|(?P<kind>[a-z_]+)|\s+")
FIRST_CODE = 0xE000
LOOK_AWAY = ("(?!", "(?<!")
OPENING = re.compile(r"\((?:\?(?:P<[a-z_]+>|:|<?=))?")
MOST_NEEDS = 64
"""Alternatives multiply: beyond so many needs the rest are left out."""


def code_of(number: int) -> str:
    """Return the character that stands for the kind of this number."""
    return chr(FIRST_CODE + number)


def translate(name: str, source: str, codes: Mapping[str, str]) -> str:
    """Return the pattern as an expression over codes. Raises PackError for a kind that is not there."""

    def fill(found: re.Match[str]) -> str:
        group, named, kind = found.group("group"), found.group("named"), found.group("kind")
        for word in (named, kind):
            if word and word not in codes:
                raise PackError(f"rule {name}: there is no kind {word}")
        if group:
            return f"(?P<{group}>{codes[named]})" if named else f"(?P<{group}>"
        return codes[kind] if kind else ""

    return WORD.sub(fill, source)


def bits(line: str) -> int:
    """Return the kinds of a line as bits."""
    have = 0
    for code in set(line):
        have |= 1 << (ord(code) - FIRST_CODE)
    return have


def needs(pattern: str) -> tuple[int, ...]:
    """Return masks of kinds, of each of which one must be there for a translated pattern to match at all."""
    alternatives = _split(pattern)
    if len(alternatives) > 1:
        each = [needs(alternative) for alternative in alternatives]
        together = (reduce(or_, one_of_each) for one_of_each in islice(product(*each), MOST_NEEDS))
        return tuple(dict.fromkeys(together)) if all(each) else ()
    masks: list[int] = []
    at = 0
    while at < len(pattern):
        end = _close(pattern, at) if pattern[at] == "(" else at + 1
        unit, optional = pattern[at:end], pattern[end : end + 1] == "?" or pattern[end : end + 2] == "{0"
        if not optional and not unit.startswith(LOOK_AWAY):
            if unit[0] == "(":
                opening = OPENING.match(unit)
                masks.extend(needs(unit[opening.end() if opening else 1 : -1]))
            elif ord(unit) >= FIRST_CODE:
                masks.append(bits(unit))
        at = end
    return tuple(dict.fromkeys(mask for mask in masks if mask))


def _close(pattern: str, start: int) -> int:
    """Return the place after the bracket that closes the one at `start`."""
    depth = 0
    for at in range(start, len(pattern)):
        depth += (pattern[at] == "(") - (pattern[at] == ")")
        if depth == 0:
            return at + 1
    return len(pattern)


def _split(pattern: str) -> list[str]:
    """Return the alternatives of a pattern, not those inside its groups."""
    parts, depth = [""], 0
    for character in pattern:
        depth += (character == "(") - (character == ")")
        if character == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts
