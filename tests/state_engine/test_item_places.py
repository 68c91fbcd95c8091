"""Orders that name an item by its place in the list or by its time; and those that name none that is there."""

from __future__ import annotations

from datetime import datetime

import pytest

from claudemem_edge import Memory

NOW = datetime.fromisoformat("2026-03-11T09:40:00+08:00")
EN = ("remind me at 9pm to sleep", "remind me at 8pm to eat", "remind me tomorrow at 7am to run")
ZH = ("提醒我晚上9点睡觉", "提醒我晚上8点吃饭", "提醒我明天早上7点跑步")


def left_after(reminders: tuple[str, ...], *orders: str) -> set[str]:
    memory = Memory()
    for text in (*reminders, *orders):
        memory.observe("user", text, at=NOW)
    return {one.text for one in memory.pending()}


@pytest.mark.parametrize(
    ("orders", "gone"),
    [
        (("cancel the second reminder",), "sleep"),
        (("cancel the first reminder",), "eat"),
        (("cancel the 8pm reminder",), "eat"),
        (("cancel my reminder", "the third one"), "run"),
        (("cancel the reminder", "the last one"), "run"),
        (("cancel the swimming reminder",), ""),
        (("cancel the 8pm swimming reminder",), ""),
        (("cancel the second swimming reminder",), ""),
        (("cancel the blast reminder",), ""),
        (("cancel the fifth reminder",), ""),
    ],
)
def test_places_and_times_in_english(orders: tuple[str, ...], gone: str) -> None:
    assert left_after(EN, *orders) == {"sleep", "eat", "run"} - {gone}


@pytest.mark.parametrize(
    ("orders", "gone"),
    [
        (("取消第二个提醒",), "睡觉"),
        (("取消8点的提醒",), "吃饭"),
        (("取消提醒", "第三个"), "跑步"),
        (("取消提醒", "最后一个"), "跑步"),
        (("取消游泳的提醒",), ""),
        (("取消8点游泳的提醒",), ""),
    ],
)
def test_places_and_times_in_chinese(orders: tuple[str, ...], gone: str) -> None:
    assert left_after(ZH, *orders) == {"睡觉", "吃饭", "跑步"} - {gone}
