from __future__ import annotations

from datetime import datetime

import pytest

from claudemem_edge import Memory

NOW = datetime.fromisoformat("2026-03-11T09:40:00+08:00")


def kept(text: str, speaker: str = "user") -> list[str]:
    memory = Memory()
    memory.observe(speaker, text, at=NOW)
    return [one.text for one in memory._state.statements.values() if one.shown]


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("The fog lifted. We saw land! Gulls cried.", ["The fog lifted. We saw land! Gulls cried"]),
        ("The fog lifted. Did you see land? Gulls cried.", ["The fog lifted", "Did you see land", "Gulls cried"]),
        ("My name is Ruth. The fog lifted.", ["My name is Ruth", "The fog lifted"]),
        ("I loved the island. I hated the fog.", ["I loved the island", "I hated the fog"]),
        ("雾散了。我们看见了小岛。", ["雾散了", "我们看见了小岛"]),
    ],
)
def test_short_sentences_stand_together_unless_something_rests_on_them(text: str, statements: list[str]) -> None:
    assert kept(text) == statements


def test_long_sentences_stay_apart() -> None:
    first = "The ferry left the harbour an hour late because of the fog"
    second = "The island was green and quiet when we landed in the evening"
    assert kept(f"{first}. {second}.") == [first, second]


def test_all_words_of_what_stands_together_are_found() -> None:
    memory = Memory()
    memory.observe("user", "The fog lifted. Gulls were everywhere.", at=NOW)
    index = memory._state.index
    assert all(len(index.find(index.key(term))) == 1 for term in ("fog", "lift", "gull"))


def test_what_stands_together_is_recognised_in_what_a_client_shows() -> None:
    memory = Memory()
    text = "The fog lifted. Gulls were everywhere."
    memory.observe("user", text, at=NOW)
    memory.observe("user", "Where were the gulls?", at=NOW)
    shown = memory.digests(text)
    assert str(memory.context("Where were the gulls?", now=NOW))
    assert str(memory.context("Where were the gulls?", now=NOW, shown=shown)) == ""
