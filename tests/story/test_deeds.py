"""Whether something was done: answered from what was told, and never with a yes that nobody told."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from claudemem_edge.memory import Memory

if TYPE_CHECKING:
    from claudemem_edge.shapes.times import Moment


@pytest.fixture
def now(now: Moment) -> datetime:
    return now.wall


NOT_TOLD = {"en": "I have not heard of it.", "zh": "还没有听您说过。"}
CASES = [
    # told, asked, what the answer holds; "" where nothing was told
    ((), "Did I take my pill today?", ""),
    ((), "今天吃药了吗？", ""),
    (("I took my pill.",), "Did I take my pill today?", "took the pill"),
    (("我吃过药了",), "今天吃药了吗？", "吃药"),
    (("I took the amlodipine at 8.",), "Did I take my pills?", "08:00, took the amlodipine"),
    (("我今天早上七点半吃了两片氨氯地平",), "吃药了没有", "7点30分，吃两片氨氯地平"),
    (("我昨天晚上八点吃了药",), "今天吃药了吗", ""),
    (("我昨天晚上八点吃了药",), "昨天吃药了吗", "吃药"),
    (("I fed the cat.",), "Have I fed the cat yet?", "fed the cat"),
    (("I fed the cat.",), "Have I fed the dog yet?", ""),
    (("I locked the back door.",), "Did I lock the front door?", ""),
    (("花浇了",), "有没有浇花", "浇花"),
    (("降压药吃了两片",), "今天吃降压药了吗", "吃降压药"),
    (("Grandma took her pill at eight.",), "Did grandma take her pill today?", "08:00, grandmother took the pill"),
    (("Grandma took her pill at eight.",), "Did I take my pill?", ""),
    (("Mum has taken her tablets.",), "Has mum had her tablets?", "mother took the tablets"),
    (("Remind me in one minute to take my pill.", "I took it."), "Did I take my pill today?", "take my pill"),
    (("My wife took her pill.",), "Did I take my pill?", ""),
    (("My wife took her pill.",), "Did my wife take her pill?", "wife took the pill"),
    (("奶奶吃过药了",), "奶奶吃药了吗", "奶奶吃药"),
    (("奶奶吃过药了",), "我吃药了吗", ""),
    (("Should I take my pill?", "I did not take it.", "Remind me to take my pill at 9 pm."), "Did I take my pill?", ""),
    (("我该吃药了", "我没吃药", "提醒我晚上九点吃药"), "我吃药了吗", ""),
]  # fmt: skip


@pytest.mark.parametrize(("told", "asked", "wanted"), CASES)
def test_it_was_done_when_somebody_told_so(told: tuple[str, ...], asked: str, wanted: str, now: datetime) -> None:
    memory = Memory()
    for words in told:
        memory.observe("user", words, at=now)
    said = memory.observe("user", asked, at=now)
    assert said.complete
    assert said.say not in NOT_TOLD.values() if wanted else said.say in NOT_TOLD.values()
    assert wanted in said.say


@pytest.mark.parametrize(
    ("told", "asked", "known"),
    [("I took a pill.", "Did I take my blood pressure pill?", "took the pill"), ("我吃药了", "我吃降压药了吗", "吃药")],
)
def test_what_was_told_less_exactly_is_told_as_it_was(told: str, asked: str, known: str, now: datetime) -> None:
    memory = Memory()
    memory.observe("user", told, at=now)
    said = memory.observe("user", asked, at=now).say
    assert known in said
    assert not said.startswith(("Yes", "是的"))


@pytest.mark.parametrize(("first", "second"), [("I took my pill.", "I took my pill."), ("我吃过药了", "我吃了降压药")])
def test_a_second_time_on_a_day_is_pointed_out(first: str, second: str, now: datetime) -> None:
    memory = Memory()
    noted = memory.observe("user", first, at=now)
    later = now + timedelta(hours=2)
    again = memory.observe("user", second, at=later)
    tomorrow = memory.observe("user", second, at=now + timedelta(days=1))
    assert noted.complete
    assert "09:40" in again.say or "9点40分" in again.say
    assert "before" not in tomorrow.say
    assert "之前" not in tomorrow.say
    assert len([one for one in memory.view(at=later)["claims"] if one["predicate"] == "did"]) == 3


@pytest.mark.parametrize(
    ("reminder", "done", "asked"),
    [
        ("Remind me every day at 8 pm to take the pills.", "done", "Did I take my pills?"),
        ("提醒我每天晚上八点吃药", "完成了", "今天吃药了吗"),
    ],
)
def test_a_reminder_that_is_done_says_when(reminder: str, done: str, asked: str, now: datetime) -> None:
    memory = Memory()
    memory.observe("user", reminder, at=now)
    assert memory.observe("user", asked, at=now).say in NOT_TOLD.values()
    memory.observe("user", done, at=now)
    assert memory.observe("user", asked, at=now).say.startswith(("Yes", "是的"))


@pytest.mark.parametrize(
    ("told", "forget", "asked"),
    [
        ("I took my pill.", "Forget what I just said.", "Did I take my pill?"),
        ("我吃过药了", "把刚才说的忘掉", "我吃药了吗"),
    ],
)
def test_what_is_forgotten_was_never_told(told: str, forget: str, asked: str, now: datetime) -> None:
    memory = Memory()
    memory.observe("user", told, at=now)
    memory.observe("user", forget, at=now)
    assert memory.observe("user", asked, at=now).say in NOT_TOLD.values()


def test_a_deed_told_beside_something_else_leaves_that_to_the_model(now: datetime) -> None:
    said = Memory().observe("user", "I took my blood pressure pill, and now I feel dizzy and my head hurts.", at=now)
    assert "took the blood pressure pill" in said.say
    assert not said.complete


def test_a_deed_told_every_day_for_years_stays_within_its_room(now: datetime) -> None:
    memory = Memory()
    for day in range(200):
        memory.observe("user", "I took my pill.", at=now + timedelta(days=day))
    held = [one for one in memory.view(at=now)["claims"] if one["predicate"] == "did" and one["open"]]
    assert len(held) == 30
