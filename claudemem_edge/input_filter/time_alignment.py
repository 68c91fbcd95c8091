"""The matching form of a text as given, with the way back to its characters."""

from __future__ import annotations

from claudemem_edge.input_filter.normalize import clean, fold

PLAIN = {0x2032: ord("'"), 0x2033: ord('"'), 0x301C: ord("~")}
"""Marks that mean the same in a time; quotes are made plain by fold."""
MARKS = frozenset(map(chr, PLAIN))


def aligned(text: str) -> tuple[str, list[int] | None]:
    """Return the folded text, and for each of its characters the place in `text` it came from.

    The second is None when the text was clean already: places are the same.
    """
    if text.isascii() and text.isprintable() and "  " not in text and text == text.strip():
        return text.lower(), None
    if clean(text) == text:
        return plain(fold(text)), None
    characters: list[str] = []
    origins: list[int] = []
    for at, character in enumerate(text):
        for part in clean(f"-{character}-")[1:-1]:
            if part == " " and (not characters or characters[-1] == " "):
                continue
            characters.append(part)
            origins.append(at)
    return plain(fold("".join(characters))), origins


def plain(folded: str) -> str:
    """Return a text with plain marks, of the same length."""
    return folded if folded.isascii() or MARKS.isdisjoint(folded) else folded.translate(PLAIN)
