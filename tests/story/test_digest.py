"""What was told in a day or a week."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from claudemem_edge.memory import Memory
from claudemem_edge.shapes.times import moment_after

if TYPE_CHECKING:
    from claudemem_edge.shapes.times import Moment

DAY_S = timedelta(days=1).total_seconds()
TELLING = {
    "en": ("My daughter lives in Leeds.", "Remind me tomorrow at 10 am to call Ann.", "We saw a huge squirrel."),
    "zh": ("我女儿住在杭州", "提醒我明天上午十点测血压", "去公园看见一只很大的松鼠"),
}


@pytest.mark.parametrize(
    ("language", "asked", "holds"),
    [
        ("en", "What did we talk about today?", ("Leeds", "call Ann", "squirrel")),
        ("zh", "今天我们说了什么", ("杭州", "测血压", "松鼠")),
    ],
)
def test_a_day_is_told_in_facts_things_to_do_and_talk(
    language: str, asked: str, holds: tuple[str, ...], now: Moment
) -> None:
    memory = Memory()
    for words in TELLING[language]:
        memory.observe("user", words, at=now)
    said = memory.observe("user", asked, at=now)
    assert said.complete
    for one in holds:
        assert said.say.count(one) == 1


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("What did we talk about today?", False),
        ("What did we talk about yesterday?", True),
        ("这周我们聊了些什么", True),
    ],
)
def test_only_what_was_told_then(asked: str, told: bool, now: Moment) -> None:  # noqa: FBT001
    memory = Memory()
    memory.observe("user", "My daughter lives in Leeds.", at=now)
    said = memory.observe("user", asked, at=moment_after(now, DAY_S)).say
    assert ("Leeds" in said) == told


def test_what_was_corrected_is_told_as_it_holds(now: Moment) -> None:
    memory = Memory()
    memory.observe("user", "My daughter lives in Leeds.", at=now)
    memory.observe("user", "No, she lives in York.", at=now)
    said = memory.observe("user", "What did we talk about today?", at=now).say
    assert "York" in said
    assert "Leeds" not in said
