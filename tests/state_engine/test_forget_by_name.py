"""Forgetting what is named by what it is, when the words that said it do not hold that name."""

from __future__ import annotations

from datetime import datetime

import pytest

from claudemem_edge import Memory

NOW = datetime.fromisoformat("2026-03-11T09:40:00+08:00")


@pytest.mark.parametrize(
    ("said", "order", "word"),
    [
        ("I am 72 years old.", "forget my age", "72"),
        ("I live in Leeds.", "forget my home", "Leeds"),
        ("我今年72岁。", "忘掉我的年龄", "72"),
        ("我的密码是abc123", "忘掉我的密码", "abc123"),
        ("我的银行卡号是6222", "把银行卡号忘了吧", "6222"),
    ],
)
def test_a_fact_goes_by_its_name(said: str, order: str, word: str) -> None:
    memory = Memory()
    memory.observe("user", "My cat is called Mimi." if said.isascii() else "我的猫叫咪咪。", at=NOW)
    memory.observe("user", said, at=NOW)
    assert memory.observe("user", order, at=NOW).complete
    left = str(memory.view(at=NOW))
    assert word not in left.replace(NOW.isoformat(), "")
    assert "Mimi" in left or "咪咪" in left


def test_what_has_another_name_stays() -> None:
    memory = Memory()
    memory.observe("user", "I live in Leeds.", at=NOW)
    memory.observe("user", "forget my age", at=NOW)
    assert "Leeds" in str(memory.view(at=NOW))


@pytest.mark.parametrize(
    ("said", "order", "word", "yes", "no"),
    [
        ("The TV in the living room is a Hisense", "forget the brand of the TV", "Hisense", "yes", "no"),
        ("客厅的电视是海信的", "忘掉电视的牌子", "海信", "是的", "不要"),
    ],
)
def test_what_only_may_be_meant_is_asked_about(said: str, order: str, word: str, yes: str, no: str) -> None:
    for answer in (yes, no):
        memory = Memory()
        memory.observe("user", said, at=NOW)
        asked = memory.observe("user", order, at=NOW)
        assert asked.complete
        assert word in asked.say, "who is asked must hear about what"
        assert memory.observe("user", answer, at=NOW).complete
        view = memory.view(at=NOW)
        assert any(word in one["text"] for one in view["statements"]) is (answer == no)
        assert view["open_question"] is None


def test_nothing_like_it_is_said_at_once() -> None:
    memory = Memory()
    memory.observe("user", "The TV is a Hisense", at=NOW)
    assert memory.observe("user", "forget the elephants", at=NOW).open_question is None
