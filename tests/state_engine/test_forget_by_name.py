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
