"""Reminders as people say them, on Wednesday 2026-03-11 at 09:40: what is held, and when it is asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from claudemem_edge import Memory

if TYPE_CHECKING:
    from claudemem_edge.shapes.times import Moment


def held(said: str, now: Moment) -> tuple[str, str, str, str]:
    """Return when the one item is due, its rule, its text, and what is asked back."""
    memory = Memory()
    outcome = memory.observe("user", said, at=now)
    assert outcome.complete
    (item,) = memory.view(at=now)["items"]
    asked = outcome.open_question.kind if outcome.open_question else ""
    return (item["due"] or "")[:16], item["recurrence"], item["text"], asked


@pytest.mark.parametrize(
    ("said", "due", "text"),
    [
        ("Remind me at 5 pm to pick up Sam tomorrow.", "2026-03-12T17:00", "pick up Sam"),
        ("Remind me tomorrow to pick up Sam at 5 pm.", "2026-03-12T17:00", "pick up Sam"),
        ("Remind me at 9 am to call Bob on Friday.", "2026-03-13T09:00", "call Bob"),
        ("Remind me tonight to call Bob at eight.", "2026-03-11T20:00", "call Bob"),
        ("Remind me tonight at 8 to pack for tomorrow.", "2026-03-11T20:00", "pack for tomorrow"),
        ("Remind me in 10 minutes to call about the 3 pm meeting.", "2026-03-11T09:50", "call about the 3 pm meeting"),
        ("I have a dentist appointment on Friday at 3 pm, remind me 30 minutes before.", "2026-03-13T14:30",
         "a dentist appointment"),
        ("Remind me an hour before the meeting on Friday at two pm.", "2026-03-13T13:00", "the meeting"),
        ("Remind me this time tomorrow to call Lily.", "2026-03-12T09:40", "call Lily"),
        ("Set a reminder for half eight tomorrow morning to feed the cat.", "2026-03-12T08:30", "feed the cat"),
        ("Remind me on the last Friday of the month at 5 pm to pay.", "2026-03-27T17:00", "pay"),
        ("Remind me at 7 pm sharp to start the rice.", "2026-03-11T19:00", "start the rice"),
        ("明天下午提醒我五点接孩子", "2026-03-12T17:00", "接孩子"),
        ("下午三点提醒我明天要交表", "2026-03-11T15:00", "明天要交表"),
        ("明天上午九点要去看医生，提前一个小时提醒我", "2026-03-12T08:00", "去看医生"),
        ("提前半小时提醒我明天下午三点开会", "2026-03-12T14:30", "开会"),
        ("明天下午三点开会前十分钟提醒我", "2026-03-12T14:50", "开会"),
        ("明天这个时候提醒我打电话", "2026-03-12T09:40", "打电话"),
        ("两周后的周一上午九点提醒我打电话", "2026-03-23T09:00", "打电话"),
        ("Wake me at 7.", "2026-03-12T07:00", "wake up"),
        ("Get me up at quarter past six tomorrow.", "2026-03-12T06:15", "wake up"),
        ("A week on Tuesday at 2 pm remind me to see the nurse.", "2026-03-24T14:00", "see the nurse"),
        ("Reminder at 6 tomorrow evening dinner with Ann.", "2026-03-12T18:00", "dinner with Ann"),
        ("七点叫我们起床", "2026-03-12T07:00", "起床"),
        ("周二早上九点我要去修车提醒我一下", "2026-03-17T09:00", "去修车"),
        ("凌晨三点叫我起来看球", "2026-03-12T03:00", "起来看球"),
    ],
)  # fmt: skip
def test_the_time_is_one_wherever_its_parts_stand(said: str, due: str, text: str, now: Moment) -> None:
    assert held(said, now) == (due, "", text, "")


@pytest.mark.parametrize(
    ("said", "due", "rule", "text"),
    [
        ("Remind me at 8 am to take my pill every day.", "2026-03-12T08:00", "FREQ=DAILY;BYHOUR=8;BYMINUTE=0",
         "take my pill"),
        ("Remind me every day to take my pill at 8 am.", "2026-03-12T08:00", "FREQ=DAILY;BYHOUR=8;BYMINUTE=0",
         "take my pill"),
        ("Remind me every three hours to drink.", "2026-03-11T12:40", "FREQ=HOURLY;INTERVAL=3", "drink"),
        ("Remind me every half hour to stretch.", "2026-03-11T10:10", "FREQ=MINUTELY;INTERVAL=30", "stretch"),
        ("Remind me every month on the 1st at 8 am to pay.", "2026-04-01T08:00",
         "FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=8;BYMINUTE=0", "pay"),
        ("Remind me every year on May 4th at 9 am of Ellen.", "2026-05-04T09:00",
         "FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=4;BYHOUR=9;BYMINUTE=0", "Ellen"),
        ("Remind me until Friday every day at 8 am to take it.", "2026-03-12T08:00",
         "FREQ=DAILY;BYHOUR=8;BYMINUTE=0;UNTIL=20260313", "take it"),
        ("For the next five days remind me at 8 am to take it.", "2026-03-12T08:00",
         "FREQ=DAILY;UNTIL=20260316;BYHOUR=8;BYMINUTE=0", "take it"),
        ("Remind me every day for a week at 8 am to take it.", "2026-03-12T08:00",
         "FREQ=DAILY;UNTIL=20260318;BYHOUR=8;BYMINUTE=0", "take it"),
        ("Starting Monday remind me every day at 8 am to take it.", "2026-03-16T08:00",
         "FREQ=DAILY;BYHOUR=8;BYMINUTE=0", "take it"),
        ("接下来五天早上八点提醒我吃药", "2026-03-12T08:00", "FREQ=DAILY;UNTIL=20260316;BYHOUR=8;BYMINUTE=0", "吃药"),
        ("每天早上八点提醒我吃药，到周五为止", "2026-03-12T08:00",
         "FREQ=DAILY;BYHOUR=8;BYMINUTE=0;UNTIL=20260313", "吃药"),
        ("从周一开始每天早上八点提醒我吃药", "2026-03-16T08:00", "FREQ=DAILY;BYHOUR=8;BYMINUTE=0", "吃药"),
        ("每天提醒我晚上八点吃药", "2026-03-11T20:00", "FREQ=DAILY;BYHOUR=20;BYMINUTE=0", "吃药"),
        ("每两个小时提醒我喝水", "2026-03-11T11:40", "FREQ=HOURLY;INTERVAL=2", "喝水"),
        ("隔周三上午十点提醒我倒垃圾", "2026-03-11T10:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=WE;BYHOUR=10;BYMINUTE=0",
         "倒垃圾"),
        ("每月最后一个周五下午五点提醒我交表", "2026-03-27T17:00",
         "FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=17;BYMINUTE=0", "交表"),
    ],
)  # fmt: skip
def test_what_repeats(said: str, due: str, rule: str, text: str, now: Moment) -> None:
    assert held(said, now) == (due, rule, text, "")


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Remind me 10 minutes before the game.", "the game"),
        ("每天三次提醒我吃药", "吃药"),
        ("每晚睡前提醒我吃褪黑素", "吃褪黑素"),
        ("今天晚些时候提醒我打电话", "打电话"),
        ("上午十点和下午三点提醒我喝水", "喝水"),
        ("早上八点、中午十二点、晚上六点提醒我喝水", "喝水"),
        ("后天早饭前提醒我抽血", "抽血"),
    ],
)
def test_a_time_understood_in_part_is_asked_about(said: str, text: str, now: Moment) -> None:
    assert held(said, now) == ("", "", text, "item_time")


@pytest.mark.parametrize(
    "said", ["妈妈昨天提醒我少吃盐", "医生九点提醒过我了", "She reminded me at nine.", "别提醒我了"]
)
def test_what_others_do_is_no_reminder(said: str, now: Moment) -> None:
    memory = Memory()
    memory.observe("user", said, at=now)
    assert memory.view(at=now)["items"] == []
