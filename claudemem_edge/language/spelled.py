"""All texts that a simple pattern stands for: `[lr]eft|dogs?|(?:dry )?cough` and the like."""

from __future__ import annotations

import re

PART = re.compile(r"\(\?:|[()|]|\[(?P<set>[^\]\\^]+)\]|\\(?P<escaped>\W)|(?P<plain>[^\\.^$*+?{}()|\[\]])")
MAYBE = re.compile(r"\?|\{0,1\}")
RANGE = re.compile(r"(.)-(.)")
MOST_TEXTS = 2000


def spelled_out(pattern: str) -> set[str]:
    """Return the texts a pattern of plain characters, sets, groups and alternatives matches. Raises ValueError."""
    texts, at = _alternatives(pattern, 0)
    if at < len(pattern):
        raise ValueError(f"a bracket too many at {at}")
    return texts


def _alternatives(pattern: str, at: int) -> tuple[set[str], int]:
    """Return the texts from `at` to the bracket that closes, or the end, and where that is."""
    every: set[str] = set()
    so_far = {""}
    while at < len(pattern):
        part = PART.match(pattern, at)
        if part is None:
            raise ValueError(f"more than plain words at {at}")
        mark, at = part.group(), part.end()
        if mark == ")":
            return every | so_far, at - 1
        if mark == "|":
            every |= so_far
            so_far = {""}
            continue
        if mark.startswith("("):
            found, at = _alternatives(pattern, at)
            if at == len(pattern):
                raise ValueError(f"a bracket too few at {at}")
            at += 1
        elif part["set"]:
            found = set(RANGE.sub(_between, part["set"]))
        else:
            found = {part["escaped"] or part["plain"]}
        maybe = MAYBE.match(pattern, at)
        if maybe is not None:
            found = found | {""}
            at = maybe.end()
        if len(so_far) * len(found) > MOST_TEXTS:
            raise ValueError(f"more than {MOST_TEXTS} texts")
        so_far = {text + more for text in so_far for more in found}
    return every | so_far, at


def _between(ends: re.Match[str]) -> str:
    return "".join(map(chr, range(ord(ends[1]), ord(ends[2]) + 1)))
