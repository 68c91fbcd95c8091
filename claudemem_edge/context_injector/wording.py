"""How stored words look inside a block: with speaker and dates, and with nothing that could pass for a block."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from claudemem_edge.language import dates
from claudemem_edge.language.per_language import PerLanguage

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from claudemem_edge.language.pack import Language
    from claudemem_edge.shapes.memory import Statement
    from claudemem_edge.shapes.times import TimeMention

SPAN_GRAINS = {"month": "%Y-%m", "quarter": "%Y-%m", "year": "%Y"}
MARKUP = re.compile(r"<\|?/?([^<>|\n]{0,32})\|?/?>|\[/?([A-Z_]{2,16})\]|`{3,}|~{3,}|<{2,}|>{2,}")
HEADING = re.compile(r"^[\s#>*=|-]+(?=[^\s\d])|[【】〖〗]|(?<=\s)#{2,}\s*")
SUSPECT = re.compile(r"[<>\[\]`~【】〖〗#|*=\n:：]|^\W|  ")
"""What every text has that needs a closer look."""
BLANKS = re.compile(r"\s+")


@dataclass(slots=True, frozen=True)
class WordingTables:
    """Table `wording` of `context.toml`."""

    labels: Mapping[str, str] = field(default_factory=dict)
    """Speaker → what stands before that speaker's words; {name} in `other` is a person's name."""
    roles: re.Pattern[str] | None = None
    """A name a chat template gives to a role, with a colon, at the beginning of a line."""
    date: str = " [{date}]"
    now: str = ""
    item: str = "{when}: {text}"
    undated: str = "{text}"
    said: str = "{day} {who}"
    """Head of what was said on a day, for a question that asks when."""
    day: str = ""
    """How a day is written, for strftime; empty: its short form in words."""
    question: str = "?"


def _tables(language: Language | None) -> WordingTables:
    if language is None:
        return WordingTables({"other": "{name}: "})
    table = language.tables.get("context", {}).get("wording", {})
    roles = "|".join(map(re.escape, table.get("roles", ())))
    return WordingTables(
        table.get("labels", {"other": "{name}: "}),
        re.compile(rf"^\W*(?:{roles})\s*[:：]", re.IGNORECASE) if roles else None,
        table.get("date", " [{date}]"),
        table.get("now", ""),
        table.get("item", "{when}: {text}"),
        table.get("undated", "{text}"),
        table.get("said", "{day} {who}"),
        table.get("day", ""),
        table.get("question", "?"),
    )


tables = PerLanguage(_tables)


def neutral(text: str, roles: tuple[re.Pattern[str], ...]) -> str:
    """Return a text that begins no block, plays no role and holds no control marker. It never grows."""
    if SUSPECT.search(text) is None:
        return text
    if not text.isalnum():
        for _ in range(3):  # what is left of a marker must not make another
            cleaned = MARKUP.sub(lambda mark: mark[1] or mark[2] or "", text)
            if cleaned == text:
                break
            text = cleaned
        text = HEADING.sub("", text).replace("<|", "").replace("|>", "")
        text = BLANKS.sub(" ", text).strip()
    while found := next((match for role in roles if (match := role.match(text))), None):
        text = f"{text[: found.end() - 1].strip()} {text[found.end() :].strip()}".strip()
    return text


def date_note(mention: TimeMention, statement: Statement, language: Language | None) -> str:
    """Return the absolute date of a time said in a statement, "" when its words hold it already."""
    start = mention.start
    if start is None or mention.recurrence or (mention.grain in {"hour", "minute", "second"} and mention.elapsed):
        return ""
    if mention.grain in SPAN_GRAINS:
        return "" if str(start.year) in mention.text else start.strftime(SPAN_GRAINS[mention.grain])
    if mention.grain in {"hour", "minute", "second"} and start.date() == statement.said_at.date():
        return ""
    if str(start.day) in re.findall(r"\d+", mention.text):
        return ""
    return day(start, language)


def day(at: datetime, language: Language | None) -> str:
    """Return a day in its shortest unmistakable form."""
    shape = tables(language).day or ("" if language else "%Y-%m-%d")
    return at.strftime(shape) if shape or language is None else dates.short_date(language, at.date())
