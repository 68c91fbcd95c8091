"""What a time expression left unsaid, by the grammar's own rule for it: the day, or the half of the day."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import numeric

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Language
    from claudemem_edge.shapes.times import TimeMention

GRAMMAR = "times"
CLOCK, DAY, OFFSET = "clock", "day", "offset"
"""What the grammar's rules say they make: a time of day without a day, a day, a distance from now."""
PART, MERIDIEM = "part", "meridiem"
"""What their patterns call a part of the day, and a mark after the hour that may be left out."""
WEEKDAY, TELLING = "weekday", frozenset({"week_shift", "nth", "count", "day_shift", "month"})
"""What they call the name of a day of the week, and what tells which of such days is meant."""
WORD = re.compile(r"[a-z_]+")


def clock_alone(mention: TimeMention, language: Language | None) -> bool:
    """Tell whether a time of day was said without its day."""
    return _makes(mention, language) == CLOCK


def distance(mention: TimeMention, language: Language | None) -> bool:
    """Tell whether a length of time from now was said: "in three days"."""
    return mention.elapsed or _makes(mention, language) == OFFSET


def _makes(mention: TimeMention, language: Language | None) -> object:
    rule = language.rules.get(GRAMMAR, {}).get(mention.rule) if language else None
    return rule.fields.get("makes") if rule is not None else None


def weekday_alone(mention: TimeMention, language: Language | None) -> bool:
    """Tell whether a day was said by nothing but its name: "Wednesday", not "this Wednesday" nor "at five"."""
    rule = language.rules.get(GRAMMAR, {}).get(mention.rule) if language else None
    if rule is None or mention.grain != "day" or rule.fields.get("makes") != DAY:
        return False
    names = set(WORD.findall(rule.source))
    return WEEKDAY in names and not names & TELLING


def half_said(mention: TimeMention, language: Language | None) -> bool:
    """Tell whether the words themselves say which half of the day: "nine in the evening", "21:00", "09:00"."""
    if mention.start is None:
        return False
    rule = language.rules.get(GRAMMAR, {}).get(mention.rule) if language else None
    names = set(WORD.findall(rule.source)) if rule is not None else set()
    if PART in names or (MERIDIEM in names and mention.text[-1:].isalpha()):
        return True
    number = _first_number(mention.text)
    return mention.text.startswith("0") or (number == mention.start.hour and number > 12)


def bare_hour(folded: str, language: Language | None) -> int | None:
    """Return the hour that an answer names by a number alone, in digits, numerals or number words."""
    number = _first_number(folded)
    if number < 0 and language is not None:
        words = language.tables.get(GRAMMAR, {}).get("numerals", {}).get("digits", {})
        number = next((words[word] for word in WORD.findall(folded) if word in words), -1)
    return number if 0 <= number <= 24 else None


def _first_number(text: str) -> int:
    """Return the first number of a text in the digits or numerals of any script; -1 without one."""
    total, digits, seen = 0, "", False
    for character in text:
        value = numeric(character, -1.0)
        if value < 0:
            if seen:
                break
            continue
        seen = True
        if character.isdigit():
            digits += str(int(value))
        elif value == 10:
            total = (total or 1) * 10
        else:
            total += int(value)
    return (int(digits) if digits else total) if seen else -1
