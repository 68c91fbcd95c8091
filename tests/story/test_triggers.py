"""Reminders that wait for an event, and what tells that it has come."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from claudemem_edge.memory import Memory

if TYPE_CHECKING:
    from claudemem_edge.shapes.times import Moment

CASES = [
    # the reminder, what is said later, whether that is the event
    ("When I get home remind me to take in the laundry.", "I'm home.", True),
    ("When I get home remind me to take in the laundry.", "I just got home", True),
    ("When I get home remind me to take in the laundry.", "I will be home late.", False),
    ("When I get home remind me to take in the laundry.", "Am I home?", False),
    ("When I get home remind me to take in the laundry.", "Dad is home.", False),
    ("Remind me to check his blood pressure when dad comes back.", "Dad is back.", True),
    ("Remind me to close the windows when it rains.", "It's raining.", True),
    ("Remind me to close the windows when it rains.", "If it rains we stay at home.", False),
    ("等我到家提醒我收衣服", "我到家了", True),
    ("等我到家提醒我收衣服", "我回家了", True),
    ("等我到家提醒我收衣服", "我晚点到家", False),
    ("等我到家提醒我收衣服", "爸爸到家了", False),
    ("爸爸回来了提醒我给他量血压", "爸爸回来了", True),
    ("下雨的时候提醒我关窗", "下雨了", True),
    ("下雨的时候提醒我关窗", "下雨了吗", False),
]


@pytest.mark.parametrize(("reminder", "said", "has_come"), CASES)
def test_an_event_is_what_is_said_and_nothing_more(reminder: str, said: str, has_come: bool, now: Moment) -> None:  # noqa: FBT001
    memory = Memory()
    memory.observe("user", reminder, at=now)
    outcome = memory.observe("user", said, at=now)
    (item,) = memory.view(at=now)["items"]
    assert item["state"] == ("triggered" if has_come else "pending")
    assert (item["text"] in outcome.say) == has_come
    assert outcome.complete == has_come


@pytest.mark.parametrize("speaker", ["assistant", "Ann"])
def test_nobody_else_makes_it_sound(speaker: str, now: Moment) -> None:
    memory = Memory()
    memory.observe("user", "When I get home remind me to take in the laundry.", at=now)
    memory.observe(speaker, "I'm home.", at=now)
    assert [one.state for one in memory.pending()] == ["pending"]


def test_a_reminder_for_every_time_stays(now: Moment) -> None:
    memory = Memory()
    memory.observe("user", "每次出门提醒我带钥匙", at=now)
    for _ in range(2):
        assert "带钥匙" in memory.observe("user", "我出门了", at=now).say
    assert [one.state for one in memory.pending()] == ["pending"]
