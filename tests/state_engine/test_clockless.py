"""Reminders of which the day is known and the time of day is not: when they count as due, and how they are told."""

from __future__ import annotations

from datetime import datetime

import pytest

from claudemem_edge import Memory

ZONE = "+08:00"
WEDNESDAY = "2026-03-11T09:40:00" + ZONE


def reminded(text: str, at: str = WEDNESDAY) -> tuple[str, str]:
    """Return when the reminder counts as due, and how the list tells of it."""
    memory, now = Memory(), datetime.fromisoformat(at)
    memory.observe("user", text, at=now)
    (item,) = memory.pending()
    assert item.due is not None
    assert item.due.at() > now, "what is still to come must not be told as missed"
    listed = memory.observe("user", "What is pending?" if text.isascii() else "我有什么要做的？", at=now).say
    return item.due.at().strftime("%m-%dT%H:%M"), listed


@pytest.mark.parametrize(
    ("text", "due", "told"),
    [
        ("remind me tomorrow to call Bob", "03-12T09:00", "tomorrow (Thu 12 Mar), call"),
        ("remind me tomorrow morning to call Bob", "03-12T09:00", "tomorrow (Thu 12 Mar), in the morning, call"),
        ("remind me on Friday afternoon to call Bob", "03-13T14:00", "Fri 13 Mar, in the afternoon, call"),
        ("remind me tomorrow evening to call Bob", "03-12T", "tomorrow (Thu 12 Mar), in the evening, call"),
        ("后天下午提醒我浇花", "03-13T14:00", "后天（3月13日，周五）下午，浇花"),
        ("明天晚上提醒我浇花", "03-12T", "明天（3月12日，周四）晚上，浇花"),
        ("明天中午提醒我浇花", "03-12T12:00", "明天（3月12日，周四）中午，浇花"),
        ("明天提醒我浇花", "03-12T09:00", "明天（3月12日，周四），浇花"),
    ],
)
def test_a_part_of_the_day_is_kept_and_told(text: str, due: str, told: str) -> None:
    found, listed = reminded(text)
    assert found.startswith(due)
    assert told in listed


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("remind me every day to call Bob", "03-12T09:00"),
        ("每天提醒我浇花", "03-12T09:00"),
        ("每天晚上提醒我浇花", "03-11T20:00"),
        ("remind me every Wednesday to call Bob", "03-18T09:00"),
    ],
)
def test_what_repeats_begins_with_a_time_to_come(text: str, due: str) -> None:
    assert reminded(text)[0] == due


@pytest.mark.parametrize("at", ["2026-03-11T09:00:00", "2026-03-11T18:20:00", "2026-03-11T23:30:00"])
@pytest.mark.parametrize("text", ["remind me today to call Bob", "今天提醒我浇花"])
def test_today_is_still_to_come(text: str, at: str) -> None:
    assert reminded(text, at + ZONE)[0].startswith("03-11")


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("remind me on Wednesday to call Bob", "03-18"),
        ("remind me on Thursday to call Bob", "03-12"),
        ("remind me this Wednesday to call Bob", "03-11"),
        ("remind me on Wednesday at 5 pm to call Bob", "03-11"),
        ("周三提醒我浇花", "03-18"),
        ("周四提醒我浇花", "03-12"),
        ("本周三提醒我浇花", "03-11"),
        ("周三下午五点提醒我浇花", "03-11"),
    ],
)
def test_nobody_calls_today_by_the_name_of_its_weekday(text: str, day: str) -> None:
    assert reminded(text)[0].startswith(day)


@pytest.mark.parametrize("text", ["每天早晚八点提醒我吃药", "早晚八点提醒我吃药"])
def test_a_time_understood_in_part_alone_is_asked_about(text: str) -> None:
    memory = Memory()
    outcome = memory.observe("user", text, at=datetime.fromisoformat(WEDNESDAY))
    (item,) = memory.pending()
    assert item.due is None, "eight in the morning alone would be wrong without a word"
    assert outcome.open_question is not None
