"""Absolute dates in languages without a grammar of ours, by dateparser: the only file that imports it, and lazily.

Nothing is loaded until `prepare` names such a language; its first call takes a tenth of a second, so it belongs where a
memory is built. A date is taken only from a stretch of day, month and year, and only if these digits come back.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from claudemem_edge.shapes.times import TimeMention

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

ABSOLUTE = re.compile(
    r"(?<![\d./-])(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{4}"
    r"|\d{1,2}\S{0,3} (?:\w{1,3} )?[^\W\d_]{3,12}\.? (?:\w{1,3} )?\d{4})(?![\d/-])"
)
DIGITS = re.compile(r"\d+")
RULE = "fallback.absolute_date"
_parsers: dict[str, Any] = {}


def prepare(languages: Iterable[str]) -> None:
    """Load dateparser for these language codes; codes it does not know are left out."""
    codes = [code for code in languages if code not in _parsers]
    if not codes:
        return
    from dateparser.date import DateDataParser  # noqa: PLC0415 (0.2 s and 25 MB that only other languages pay)

    for code in codes:
        try:
            parser = DateDataParser(languages=[code], settings={"REQUIRE_PARTS": ["day", "month", "year"]})
            parser.get_date_data("1.1.2000")
        except ValueError:
            continue
        _parsers[code] = parser


def prepared(language: str) -> bool:
    """Tell whether `absolute_dates` can read this language."""
    return language in _parsers


def absolute_dates(text: str, now: datetime, language: str) -> list[TimeMention]:
    """Return the absolute dates of a text in a prepared language, left to right."""
    mentions = []
    for stretch in ABSOLUTE.finditer(text):
        found = _parsers[language].get_date_data(stretch.group()).date_obj
        digits = {int(run) for run in DIGITS.findall(stretch.group())}
        if found is None or not {found.year, found.day} <= digits:
            continue
        start = found.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=now.tzinfo)
        mentions.append(
            TimeMention(stretch.group(), stretch.span(), start, start + timedelta(days=1), "day", rule=RULE)
        )
    return mentions
