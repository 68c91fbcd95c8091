"""Timers, which count a length of time from now, and reminders of which nobody has said what they are about."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from claudemem_edge import Memory
from claudemem_edge.shapes.times import ElapsedDue

NOW = datetime.fromisoformat("2026-03-11T09:40:00+08:00")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("set a timer for 10 minutes", 600),
        ("set a 10 minute timer", 600),
        ("set an alarm for 20 minutes", 1200),
        ("timer 90 seconds", 90),
        ("定个五分钟的闹钟", 300),
        ("设置一个十分钟的倒计时", 600),
        ("设一个半小时的定时器", 5400),
    ],
)
def test_a_timer_counts_from_now(text: str, seconds: int) -> None:
    memory = Memory()
    outcome = memory.observe("user", text, at=NOW)
    (item,) = memory.pending()
    assert isinstance(item.due, ElapsedDue), "no clock that is set meanwhile may move it"
    assert item.due.at() == NOW + timedelta(seconds=seconds)
    assert outcome.open_question is None


@pytest.mark.parametrize(
    ("text", "due", "answer"),
    [
        ("remind me in 5 minutes", "2026-03-11T09:45", "call Bob"),
        ("remind me on Sunday at 9am", "2026-03-15T09:00", "call Bob"),
        ("remind me at 8pm", "2026-03-11T20:00", "call Bob"),
        ("五分钟后提醒我", "2026-03-11T09:45", "浇花"),
        ("晚上八点提醒我", "2026-03-11T20:00", "浇花"),
        ("提醒我明天上午十点", "2026-03-12T10:00", "浇花"),
    ],
)
def test_a_reminder_of_nothing_yet_asks_what(text: str, due: str, answer: str) -> None:
    memory = Memory()
    assert memory.observe("user", text, at=NOW).open_question is not None
    memory.observe("user", answer, at=NOW)
    (item,) = memory.pending()
    assert item.text == answer
    assert item.due is not None
    assert item.due.at().isoformat().startswith(due)


def test_with_something_that_has_sounded_it_is_put_off() -> None:
    memory = Memory()
    memory.observe("user", "remind me in 1 minute to call Bob", at=NOW)
    memory.command("fire", "p1", at=NOW + timedelta(minutes=1))
    memory.observe("user", "remind me in 5 minutes", at=NOW + timedelta(minutes=1))
    (item,) = memory.pending()
    assert (item.text, item.state) == ("call Bob", "pending")


def test_a_time_to_do_it_wins_over_how_long_it_takes() -> None:
    memory = Memory()
    memory.observe("user", "remind me to walk the dog for 30 minutes at 5pm", at=NOW)
    (item,) = memory.pending()
    assert item.due is not None
    assert item.due.at().hour == 17


@pytest.mark.parametrize(("reminder", "order"), [("remind me at 8pm to eat", "cancel that"), ("8点提醒我吃饭", "取消")])
def test_what_was_just_made_can_be_called_off_by_pointing(reminder: str, order: str) -> None:
    memory = Memory()
    memory.observe("user", reminder.replace("eat", "call Bob").replace("吃饭", "浇花"), at=NOW)
    memory.observe("user", reminder, at=NOW)
    assert memory.observe("user", order, at=NOW).complete
    assert [one.text for one in memory.pending()] in (["call Bob"], ["浇花"])


@pytest.mark.parametrize("order", ["cancel all reminders", "取消所有提醒"])
def test_calling_off_all_of_nothing_is_answered(order: str) -> None:
    assert Memory().observe("user", order, at=NOW).say


@pytest.mark.parametrize("order", ["cancel that", "取消"])
def test_pointing_at_nothing_of_ours_is_left_to_the_model(order: str) -> None:
    outcome = Memory().observe("user", order, at=NOW)
    assert not outcome.complete


def test_two_of_the_same_words_are_told_apart_by_their_times() -> None:
    memory = Memory()
    for hour in (8, 9):
        memory.observe("user", f"remind me at {hour}pm to take pills", at=NOW)
    asked = memory.observe("user", "cancel the pills reminder", at=NOW).say
    assert "20:00" in asked
    assert "21:00" in asked
