"""Somebody known by a relation gets another name: the relation has the new one, and the old one is told no more."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from claudemem_edge import Memory

NOW = datetime.fromisoformat("2026-03-11T09:40:00+08:00")


@pytest.mark.parametrize(
    ("said", "corrected", "question", "new", "old"),
    [
        ("我老婆叫李梅", "不对，她叫李红", "我老婆叫什么？", "李红", "李梅"),
        ("我女儿叫小红", "其实她叫小虹", "我女儿叫什么？", "小虹", "小红"),
        ("My dog is called Rex", "No, he is called Max", "What is my dog called?", "Max", "Rex"),
        ("My wife's name is Anna", "My wife's name is Hanna, not Anna", "Who is my wife?", "Hanna", "is Anna"),
    ],
)
def test_another_name_takes_the_place_of_the_first(
    said: str, corrected: str, question: str, new: str, old: str
) -> None:
    memory = Memory()
    memory.observe("user", said, at=NOW)
    memory.observe("user", corrected, at=NOW + timedelta(seconds=9))
    memory.observe("user", question, at=NOW + timedelta(seconds=18))
    block = str(memory.context(question, now=NOW + timedelta(seconds=18)))
    assert new in block
    assert old not in block


def test_what_her_name_is_replaces_no_name_word_for_word() -> None:
    memory = Memory()
    memory.observe("user", "My wife's name is Anna", at=NOW)
    assert not memory.observe("user", "No, her name is Hanna", at=NOW).say
    assert not any("her name" in one["object"] for one in memory.view(at=NOW)["claims"])
