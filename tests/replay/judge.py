r"""Judges what a report expects: each sentence is looked up in a table of patterns, and its check told what is wrong.

@expects(r"due (\d{4}-\d\d-\d\d)")                 # matched anywhere in the sentence
async def on_that_day(play, found): ...            # returns what is wrong, or ""
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from replay.play import Play

    Check = Callable[[Play, re.Match[str]], Awaitable[str]]

PARTS = ("replay.expect_times", "replay.expect_memory", "replay.expect_doors")
"""What fills the table."""
CHECKS: list[tuple[re.Pattern[str], Check]] = []
"""The first that matches judges."""


@dataclass
class Verdict:
    """What was found wrong, and the sentences that no pattern knows."""

    wrong: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


def expects(pattern: str) -> Callable[[Check], Check]:
    """Have a check judge the sentences that a pattern matches."""

    def take(check: Check) -> Check:
        CHECKS.append((re.compile(pattern), check))
        return check

    return take


async def judge(play: Play, sentences: Sequence[str]) -> Verdict:
    """Judge what happened."""
    for part in PARTS:
        import_module(part)
    verdict = Verdict(list(play.problems))
    for sentence in sentences:
        for pattern, check in CHECKS:
            if found := pattern.search(sentence):
                problem = await check(play, found)
                verdict.wrong += [f"{sentence}: {problem}"] if problem else []
                break
        else:
            verdict.unread.append(sentence)
    return verdict


def unless(held: object, problem: str) -> str:
    """Return the problem unless something holds."""
    return "" if held else problem
