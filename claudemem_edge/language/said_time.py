"""What a time expression left unsaid, by the grammar's own rule for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import numeric

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Language
    from claudemem_edge.shapes.times import TimeMention

GRAMMAR = "times"
CLOCK, DAY, OFFSET, WINDOW = "clock", "day", "offset", "window"
"""What the grammar's rules say they make: a time of day without a day, a day, a distance and a stretch from now."""
PART = "part"
"""What their patterns call a part of the day."""
WEEKDAY, TELLING = "weekday", frozenset({"week_shift", "nth", "count", "day_shift", "month"})
"""What they call the name of a day of the week, and what tells which of such days is meant."""
WORD = re.compile(r"[a-z_]+")


def clock_alone(mention: TimeMention, language: Language | None) -> bool:
    """Tell whether a time of day was said without its day."""
    return made_by(mention, language) == CLOCK


def distance(mention: TimeMention, language: Language | None) -> bool:
    """Tell whether a length of time from now was said: "in three days"."""
    return mention.elapsed or made_by(mention, language) == OFFSET


def made_by(mention: TimeMention, language: Language | None) -> object:
    """Return what the grammar's rule for a time says it makes; None for one that no rule made."""
    rule = language.rules.get(GRAMMAR, {}).get(mention.rule) if language else None
    return rule.fields.get("makes") if rule is not None else None


def weekday_alone(mention: TimeMention, language: Language | None) -> bool:
    """Tell whether a day was said by nothing but its name: "Wednesday", not "this Wednesday" nor "at five"."""
    rule = language.rules.get(GRAMMAR, {}).get(mention.rule) if language else None
    if rule is None or mention.grain != "day" or rule.fields.get("makes") != DAY:
        return False
    names = set(WORD.findall(rule.source))
    return WEEKDAY in names and not names & TELLING


def part_alone(mention: TimeMention, language: Language | None) -> bool:
    """Tell whether a part of the day was said without its day: "in the afternoon", not "this afternoon"."""
    rule = language.rules.get(GRAMMAR, {}).get(mention.rule) if language else None
    names = set(WORD.findall(rule.source)) if rule is not None else set()
    return PART in names and not names & (TELLING | {WEEKDAY, DAY, "hour", "clock"})


def bare_hour(folded: str, language: Language | None) -> int | None:
    """Return the hour that words name by a number alone, the last one, in digits, numerals or number words."""
    number = max((at for at, character in enumerate(folded) if numeric(character, -1.0) >= 0), default=-1)
    if number >= 0:
        first = number
        while first and numeric(folded[first - 1], -1.0) >= 0:
            first -= 1
        hour = _value(folded[first : number + 1])
    else:
        words = language.tables.get(GRAMMAR, {}).get("numerals", {}).get("digits", {}) if language else {}
        hour = next((words[word] for word in reversed(WORD.findall(folded)) if word in words), -1)
    return hour if 0 <= hour <= 24 else None


def _value(numeral: str) -> int:
    """Return the number that digits, or numerals up to ninety-nine of any script, stand for."""
    total, digits = 0, ""
    for character in numeral:
        value = int(numeric(character))
        if character.isdigit():
            digits += str(value)
        elif value == 10:
            total = (total or 1) * 10
        else:
            total += value
    return int(digits) if digits else total
