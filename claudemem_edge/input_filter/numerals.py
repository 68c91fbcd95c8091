"""Numerals of a language, from its table: digits, Han numerals, number words, ordinals."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

WORD = re.compile(r"[a-z]+")
MOST_DIGITS = 15


class Numeral(NamedTuple):
    """A numeral found. `kind`: number, digits (spoken one by one, as years are), ordinal or tens_second.

    tens_second is "twenty second": the twenty-second, or twenty seconds; the words around it decide.
    """

    end: int
    value: int
    kind: str


@dataclass(slots=True)
class Numerals:
    """Reads the numeral words of one language. All words come from `[numerals]` of its `times.toml`."""

    digits: Mapping[str, int]
    """Words for 0 to 9 (and 10 to 19 where a language has single words for them)."""
    tens: Mapping[str, int]
    scales: Mapping[str, int]
    ordinals: Mapping[str, int]
    """Words that are ordinals by themselves."""
    ordinal_prefix: str = ""
    seconds: frozenset[str] = frozenset()
    """Ordinals that are also a unit of time."""
    joiners: frozenset[str] = frozenset()
    """Words that may stand between hundreds and the rest."""
    joined: bool = False
    first: frozenset[str] = field(init=False)
    """Words a numeral may begin with."""
    parts: frozenset[str] = field(init=False)
    """Words a plain number is made of."""

    def __post_init__(self) -> None:
        self.parts = frozenset(self.digits) | frozenset(self.tens) | frozenset(self.scales)
        self.first = frozenset(self.digits) | frozenset(self.tens) | frozenset(self.ordinals)
        if self.joined:
            self.first |= frozenset(self.scales) | frozenset(self.ordinal_prefix)

    @classmethod
    def of(cls, table: Mapping[str, Any], *, joined: bool) -> Numerals:
        """Make a reader from a `[numerals]` table."""
        return cls(
            table.get("digits", {}),
            table.get("tens", {}),
            table.get("scales", {}),
            table.get("ordinals", {}),
            table.get("ordinal_prefix", ""),
            frozenset(table.get("seconds", ())),
            frozenset(table.get("joiners", ())),
            joined,
        )

    def read(self, text: str, start: int) -> Numeral | None:
        """Return the longest numeral that begins at `start` with a word; None when there is none."""
        return self._joined(text, start) if self.joined else self._spaced(text, start)

    def _joined(self, text: str, start: int) -> Numeral | None:
        if self.ordinal_prefix and text.startswith(self.ordinal_prefix, start):
            inner = start + len(self.ordinal_prefix)
            ascii_end = inner
            while ascii_end < len(text) and text[ascii_end].isascii() and text[ascii_end].isdigit():
                ascii_end += 1
            if ascii_end > inner:
                return Numeral(ascii_end, int(text[inner : inner + MOST_DIGITS][: ascii_end - inner]), "ordinal")
            found = self._joined(text, inner)
            return found and Numeral(found.end, found.value, "ordinal")
        end = start
        while end < len(text) and end - start < MOST_DIGITS and text[end] in self.parts:
            end += 1
        run = text[start:end]
        if len(run) > 1 and all(character in self.digits for character in run):
            return Numeral(end, int("".join(str(self.digits[character]) for character in run)), "digits")
        return self._scaled(run, start)

    def _scaled(self, run: str, start: int) -> Numeral | None:
        """Read Han numerals with their scales, as far as they make one number."""
        total, pending, lowest, after_zero, used = 0, -1, 1 << 62, False, 0
        for at, character in enumerate(run):
            if character in self.scales:
                scale = self.scales[character]
                if scale >= lowest and total % scale:
                    break
                if scale >= 10_000:
                    total = (total + max(pending, 0)) * scale
                elif pending >= 0 or scale == 10 or at == 0:
                    total += scale * (1 if pending < 0 else pending)
                pending, lowest, after_zero = -1, scale, False
            elif character in self.tens:
                if pending >= 0 or lowest <= 10:
                    break
                total, lowest = total + self.tens[character], 10
            else:
                digit = self.digits[character]
                if pending > 0 or (pending == 0 and not after_zero):
                    break
                if digit == 0 and at and lowest == 10:
                    break
                after_zero = after_zero or (digit == 0 and at > 0)
                pending = digit
            used = at + 1
        return Numeral(start + used, total + max(pending, 0), "number") if used else None

    def _spaced(self, text: str, start: int) -> Numeral | None:
        """Read number words: [hundreds] [and] [tens] [units], the last of which may be an ordinal."""
        group, total, end, at, room = 0, 0, 0, start, 1000
        kind = "number"
        while (word := WORD.match(text, at)) is not None:
            name = word.group()
            if name in self.joiners:
                if not (end and room > 1 and (total or group) and (total + group) % 100 == 0):
                    break
                at = self._skip(text, word.end())
                continue
            value, size = self._word(name)
            if size == 0 or (size < 100 and (size >= room or (name in self.ordinals and value >= room))):
                break
            if size >= 1000:
                total, group, room = total + max(group, 1) * size, 0, 1000
            elif size >= 100:
                if not 0 < group < 100 or not end:
                    break
                group, room = group * size, 100
            else:
                group, room = group + value, (10 if size == 10 else 1)
            end = word.end()
            if name in self.ordinals:
                is_second = name in self.seconds and room == 1 and group > 10
                kind = "tens_second" if is_second else "ordinal"
                break
            at = self._skip(text, end)
        return Numeral(end, total + group, kind) if end else None

    def _word(self, name: str) -> tuple[int, int]:
        """Return the value of a number word, and its size: 1 for units and teens, 10 for tens, 0 for no number."""
        if name in self.digits:
            return self.digits[name], 1 if self.digits[name] < 10 else 11
        if name in self.tens:
            return self.tens[name], 10
        if name in self.scales:
            return self.scales[name], self.scales[name]
        value = self.ordinals.get(name, 0)
        return value, (0 if not value else 1 if value < 10 else 10 if value % 10 == 0 and value > 10 else 11)

    @staticmethod
    def _skip(text: str, at: int) -> int:
        """Step over one blank or hyphen between number words."""
        return at + 1 if at < len(text) and text[at] in " -" else at
