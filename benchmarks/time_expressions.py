"""Time expressions: how many are answered, how many would be asked back about, and the time of a call.

`parse` is the face that a scorer of such a file calls; a line of it is `{text, reference, lang, tz, …}`. What is left
out of the figures because its answer can be argued about stands in `arguable_times.txt`, each with the reason.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from benchmarks._measure import quantiles_ms, timed
from claudemem_edge import find_times


def parse(text: str, reference: str, language: str, zone_name: str) -> list[dict[str, Any]]:
    """Return the times in a text, on the clock of its zone, as plain values. `end` is exclusive."""
    now = datetime.fromisoformat(reference)
    if now.tzinfo is None:
        now = now.replace(tzinfo=_zone(zone_name))
    # The text's own language first; a daemon has both.
    languages = (language, "en" if language == "zh" else "zh")
    return [
        {
            "start": _local(one.start),
            "end": _local(one.end),
            "grain": one.grain,
            "recurrence": one.recurrence or None,
            "span": one.span,
            "ambiguous": one.ambiguous,
            **({"duration": one.duration_s} if one.duration_s is not None else {}),
        }
        for one in find_times(text, now=now, languages=languages)
    ]


def run(arguments: list[str]) -> dict[str, object]:
    """Return shares by language. Arguments: the file."""
    for words, language in (("tomorrow", "en"), ("明天", "zh")):
        parse(words, "2026-03-11T09:40", language, "UTC")  # the packs are read with the first call
    times_s: dict[str, list[float]] = defaultdict(list)
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for line in Path(arguments[0]).read_text("utf-8").splitlines():
        case = json.loads(line)
        language = case["lang"]
        answers: list[list[dict[str, Any]]] = []
        timed(
            times_s[language],
            lambda case=case, answers=answers: answers.append(  # type: ignore[misc]
                parse(case["text"], case["reference"], case["lang"], case["tz"])
            ),
        )
        found[language]["cases"] += 1
        found[language]["answered"] += bool(answers[0])
        found[language]["ambiguous"] += any(one["ambiguous"] for one in answers[0])
    return {language: {**found[language], "call_ms": quantiles_ms(times_s[language])} for language in sorted(found)}


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


def _local(at: datetime | None) -> str | None:
    return at.replace(tzinfo=None).isoformat() if at is not None else None
