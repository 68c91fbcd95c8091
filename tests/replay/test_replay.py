"""Failures that others have reported, played on the whole daemon; and the player itself, which must be able to fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from replay.report import play_report

pytestmark = pytest.mark.broker
FOLDER = Path(__file__).parent / "cases"
CASES = [json.loads(line) for path in sorted(FOLDER.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
TALK: list[dict[str, Any]] = [
    {"op": "clock", "at": "2026-03-11T09:00:00+08:00", "tz": "Asia/Shanghai"},
    {"op": "say", "session": "ida", "text": "remind me tomorrow at 9am to call Bob"},
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
async def test_what_others_have_reported_does_not_happen_here(case: dict[str, Any]) -> None:
    result = await play_report(case)
    assert (result.wrong, result.unread) == ([], [])


async def test_what_is_wrong_is_found_and_what_is_not_understood_is_told() -> None:
    expect = ["due 2026-03-13 09:00", "no pending item", "nothing is cancelled", "it smells of roses"]
    result = await play_report({"id": "x", "area": "x", "replay": TALK, "expect": expect})
    assert [one.split(":")[0] for one in result.wrong] == ["due 2026-03-13 09", "no pending item"]
    assert result.unread == ["it smells of roses"]
    assert not result.passed


async def test_a_step_nobody_knows_is_told() -> None:
    result = await play_report({"id": "x", "area": "x", "replay": [{"op": "dance"}], "expect": []})
    assert result.unread == ["there is no step dance"]
