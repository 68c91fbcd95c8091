"""Items that somebody moves, by name, in words of everyday."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from claudemem_edge import Memory

if TYPE_CHECKING:
    from claudemem_edge.shapes.times import Moment

BINS = "remind me every monday at 9 am to put out the bins"
DENTIST = "remind me at 10 am tomorrow to call the dentist"
PRESSURE, MEETING, PILLS = "提醒我明天上午10点测血压", "提醒我后天下午三点开会", "每天早上八点提醒我吃药"


def held(memory: Memory, now: Moment) -> dict[str, str]:
    return {
        one["text"]: f"{(one['due'] or '')[:16]} {one['recurrence']}".strip() for one in memory.view(at=now)["items"]
    }


@pytest.mark.parametrize(
    ("said", "item", "due"),
    [
        ("move the bins to tuesday", "put out the bins", "2026-03-17T09:00 FREQ=WEEKLY;BYDAY=TU;BYHOUR=9;BYMINUTE=0"),
        ("make the bins one 8 am", "put out the bins", "2026-03-16T08:00 FREQ=WEEKLY;BYDAY=MO;BYHOUR=8;BYMINUTE=0"),
        ("reschedule the dentist to 3 pm", "call the dentist", "2026-03-12T15:00"),
        ("push my dentist reminder back to Friday", "call the dentist", "2026-03-13T10:00"),
        ("把测血压改到后天", "测血压", "2026-03-13T10:00"),
        ("明天的测血压推迟到十一点", "测血压", "2026-03-12T11:00"),
        ("把开会改到四点", "开会", "2026-03-13T16:00"),
        ("把吃药改到九点", "吃药", "2026-03-12T09:00 FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
    ],
)
def test_the_item_that_is_named_gets_the_new_time(said: str, item: str, due: str, now: Moment) -> None:
    memory = Memory()
    for words in (BINS, DENTIST, PRESSURE, MEETING, PILLS):
        memory.observe("user", words, at=now)
    before = held(memory, now)
    outcome = memory.observe("user", said, at=now)
    assert outcome.complete
    assert held(memory, now) == {**before, item: due}


@pytest.mark.parametrize("said", ["会议改到星期五了", "change the meeting to Friday", "move the party to 8 pm"])
def test_what_is_no_item_moves_none(said: str, now: Moment) -> None:
    memory = Memory()
    for words in (PILLS, DENTIST):
        memory.observe("user", words, at=now)
    before = held(memory, now)
    assert not memory.observe("user", said, at=now).complete
    assert held(memory, now) == before


def test_of_two_that_may_be_meant_one_is_asked_for_and_gets_the_time(now: Moment) -> None:
    memory = Memory()
    memory.observe("user", "remind me at 10 am tomorrow to call the dentist", at=now)
    memory.observe("user", "remind me at 11 am tomorrow to pay the dentist", at=now)
    asked = memory.observe("user", "move the dentist to 3 pm on Friday", at=now)
    assert asked.open_question is not None
    memory.observe("user", "the pay one", at=now)
    assert held(memory, now) == {"call the dentist": "2026-03-12T10:00", "pay the dentist": "2026-03-13T15:00"}


@pytest.mark.parametrize(
    ("facts", "said", "wanted"),
    [
        ("My cat is called Milo.", "I called the dentist. No, it is Silo, not Milo.", "Silo"),
        ("我的猫叫米洛。", "血压量过了。不对，是丝洛，不是米洛。", "丝洛"),
    ],
)
def test_an_order_beside_it_keeps_no_correction_away(facts: str, said: str, wanted: str, now: Moment) -> None:
    memory = Memory()
    for words in (DENTIST, PRESSURE, facts):
        memory.observe("user", words, at=now)
    memory.observe("user", said, at=now)
    view = memory.view(at=now)
    assert [one["object"] for one in view["claims"] if one["open"] and one["predicate"] != "did"] == [wanted]
    assert sum(one["state"] == "done" for one in view["items"]) == 1
