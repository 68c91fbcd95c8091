"""Items that somebody moves, by name, in words of everyday."""

from __future__ import annotations

from datetime import timedelta

import pytest

from claudemem_edge import Memory
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


@pytest.mark.parametrize(
    ("said", "due"),
    [
        ("Move it to 11 am.", "2026-03-12T11:00"),
        ("Move that to eleven.", "2026-03-12T11:00"),
        ("Make it 11.", "2026-03-12T11:00"),
        ("Make it eleven.", "2026-03-12T11:00"),
        ("Change it to Friday.", "2026-03-13T09:00"),
        ("Change it to every day.", "2026-03-12T09:00 FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
        ("Actually make it half past nine.", "2026-03-12T09:30"),
        ("No, at eleven.", "2026-03-12T11:00"),
        ("At eleven, sorry.", "2026-03-12T11:00"),
        ("Can you move the reminder to 11 am?", "2026-03-12T11:00"),
        ("Push it to Friday at ten.", "2026-03-13T10:00"),
        ("Change the time to 8 pm.", "2026-03-12T20:00"),
        ("Let's do it at ten instead.", "2026-03-12T10:00"),
        ("Remind me on Friday at ten instead.", "2026-03-13T10:00"),
        ("Push it back an hour.", "2026-03-12T10:00"),
        ("Move it back by two days.", "2026-03-14T09:00"),
        ("Delay it by 20 minutes.", "2026-03-12T09:20"),
        ("An hour later please.", "2026-03-12T10:00"),
        ("Make it an hour earlier.", "2026-03-12T08:00"),
        ("Bring it forward by half an hour.", "2026-03-12T08:30"),
        ("改到十一点", "2026-03-12T11:00"),
        ("改到十一", "2026-03-12T11:00"),
        ("把它改到十点半", "2026-03-12T10:30"),
        ("改到周五", "2026-03-13T09:00"),
        ("换到后天吧", "2026-03-13T09:00"),
        ("改成每天", "2026-03-12T09:00 FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
        ("还是十一点吧", "2026-03-12T11:00"),
        ("不对，十一点", "2026-03-12T11:00"),
        ("把时间改到下午三点", "2026-03-12T15:00"),
        ("推迟一个小时", "2026-03-12T10:00"),
        ("晚一个小时吧", "2026-03-12T10:00"),
        ("往后推一小时", "2026-03-12T10:00"),
        ("提前半小时", "2026-03-12T08:30"),
        ("把吃药提前两天", ""),
        ("早一点，八点半吧", "2026-03-12T08:30"),
    ],
)
def test_the_item_just_made_is_moved_without_its_name(said: str, due: str, now: Moment) -> None:
    memory = Memory()
    first = "Remind me tomorrow at 9 am to take the pills." if said.isascii() else "提醒我明天上午九点吃药"
    memory.observe("user", first, at=now)
    outcome = memory.observe("user", said, at=now)
    assert outcome.complete
    assert list(held(memory, now).values()) == [due or "2026-03-12T09:00"]
    assert bool(due) == (outcome.open_question is None), "what has gone by is asked about, and moves nothing"


@pytest.mark.parametrize(
    ("said", "asked", "answer", "due"),
    [
        ("改到下午", "几点", "三点", "2026-03-12T15:00"),
        ("Postpone it.", "When", "on Friday", "2026-03-13T09:00"),
        ("推迟一下", "什么时候", "后天", "2026-03-13T09:00"),
    ],
)
def test_a_move_that_leaves_something_open_is_asked_about(
    said: str, asked: str, answer: str, due: str, now: Moment
) -> None:
    memory = Memory()
    first = "Remind me tomorrow at 9 am to take the pills." if said.isascii() else "提醒我明天上午九点吃药"
    memory.observe("user", first, at=now)
    assert asked in memory.observe("user", said, at=now).say
    memory.observe("user", answer, at=now)
    assert list(held(memory, now).values()) == [due]


@pytest.mark.parametrize(
    ("said", "left_s"),
    [
        ("Push it back an hour.", 3600),
        ("Postpone it.", 600),
        ("再过十分钟", 600),
        ("推迟半小时", 1800),
        ("推迟一下", 600),
    ],
)
def test_one_that_sounds_is_put_off_from_now(said: str, left_s: int, now: Moment) -> None:
    memory = Memory()
    memory.observe("user", "提醒我九点五十吃药" if not said.isascii() else "Remind me at 9:50 am to take it.", at=now)
    then = Moment(now.wall + timedelta(minutes=12), now.boot_s + 720)
    memory.command("fire", "p1", at=then)
    assert memory.observe("user", said, at=then).complete
    (item,) = memory.pending()
    assert item.due is not None
    assert item.due.seconds_left(then) == left_s


@pytest.mark.parametrize(
    "said",
    [
        "Cancel the pills.", "Never mind the pills.", "I don't need the reminder any more.", "Cancel it.",
        "取消吃药", "算了，不用了", "别提醒我吃药了", "取消吧",
    ],
)  # fmt: skip
def test_an_item_is_called_off(said: str, now: Moment) -> None:
    memory = Memory()
    first = "Remind me tomorrow at 9 am to take the pills." if said.isascii() else "提醒我明天上午九点吃药"
    memory.observe("user", first, at=now)
    assert memory.observe("user", said, at=now).complete
    assert memory.pending() == ()


@pytest.mark.parametrize(
    "said",
    ["Cancel my subscription.", "Never mind the mess.", "取消会员", "Make it blue.", "Let's move to the garden.",
     "He arrived two hours later.", "还是你去吧", "会议推迟了", "We moved the sofa to the wall."],
)  # fmt: skip
def test_what_is_about_something_else_moves_nothing(said: str, now: Moment) -> None:
    memory = Memory()
    memory.observe("user", "Remind me tomorrow at 9 am to take the pills.", at=now)
    before = held(memory, now)
    assert not memory.observe("user", said, at=now).complete
    assert held(memory, now) == before


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
