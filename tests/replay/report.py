"""Plays one report from its first step to its verdict."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replay.door_steps import DOORS
from replay.judge import judge
from replay.play import Play
from replay.stage import START, ZONE, SteppedClock, open_stage
from replay.steps import CUTS, SPOKEN, play_steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay.play import Step

TURNS_THE_CLOCK = frozenset({"clock", "advance", "step_wall", "run"})
NEEDS_A_CHILD = frozenset({"env", "daemon", "measure", "sock_raw"})


@dataclass
class Result:
    """How a report went. It passes when all of its sentences were read and none was found wrong."""

    id: str
    area: str
    wrong: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return not self.wrong and not self.unread


def _all_steps(steps: list[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        inner = step.get("do")
        if isinstance(inner, dict | list):
            yield from _all_steps(inner if isinstance(inner, list) else [inner])


def _clock(steps: list[Step]) -> tuple[SteppedClock | None, dict[str, str]]:
    """Return the clock that a report wants to turn, with the zone it stands in."""
    known = list(_all_steps(steps))
    kinds = {step["op"] for step in known}
    turns = kinds & TURNS_THE_CLOCK or any(step.get("advance_s") for step in known)
    if not turns or (kinds & NEEDS_A_CHILD and not any(step.get("advance_s") for step in known)):
        return None, {}
    begin = next((step for step in known if step["op"] == "clock"), {})
    return SteppedClock(begin.get("at", START)), {"CLAUDEMEM_LANGUAGE__ZONE": begin.get("tz", ZONE)}


async def play_report(report: dict[str, Any]) -> Result:
    """Play a report on a stage of its own and judge it."""
    steps: list[Step] = report["replay"]
    result = Result(report["id"], report["area"])
    unknown = {step["op"] for step in _all_steps(steps)} - SPOKEN.keys() - DOORS.keys() - CUTS
    if unknown:
        result.unread = [f"there is no step {op}" for op in sorted(unknown)]
        return result
    clock, zone = _clock(steps)
    wanted = next((step for step in steps if step["op"] == "env"), {})
    environment = zone | {name: str(value) for name, value in wanted.items() if name.isupper() or name == "PYTHONUTF8"}
    with tempfile.TemporaryDirectory() as folder:
        async with open_stage(Path(folder), clock, environment) as stage:
            play = Play(stage)
            await play_steps(play, steps)
            verdict = await judge(play, report["expect"])
        result.wrong, result.unread = verdict.wrong, verdict.unread
        if "Traceback" in stage.logged or "failed inside" in stage.logged:
            result.wrong.append("the daemon logged a failure inside")
    return result
