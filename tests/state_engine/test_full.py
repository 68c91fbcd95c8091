"""A memory takes no more than it has room for, and what makes room is always taken."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from fakes.memory_walk import dump

from claudemem_edge.errors import Full
from claudemem_edge.memory import Memory
from claudemem_edge.shapes.options import MemoryOptions
from claudemem_edge.shapes.times import Moment

if TYPE_CHECKING:
    from collections.abc import Callable

CAP_BYTES = 200_000
MOST_BYTES = CAP_BYTES * 3 // 2
OPTIONS = MemoryOptions(scope_bytes=CAP_BYTES)
SYLLABLES = ("ba", "ko", "ri", "sun", "mel", "tor", "vin", "ash", "qua", "len", "dor", "pim", "zel", "gar", "hus")


def name(number: int) -> str:
    """Return a name that no other number has."""
    return "".join(SYLLABLES[number // 15**place % 15] for place in range(4))


WAYS: dict[str, Callable[[Memory, int, Moment], object]] = {
    "items of a door": lambda memory, n, at: memory.command("add", f"water the {name(n)}", at=at),
    "reminders": lambda memory, n, at: memory.observe("user", f"Remind me tomorrow at 10 am to call {name(n)}.", at=at),
    "claims": lambda memory, n, at: memory.observe("user", f"I like {name(n)}.", at=at),
    "claims of another person": lambda memory, n, at: memory.observe("Tom", f"I like {name(n)}.", at=at),
}


def filled(way: str, now: Moment) -> Memory:
    """Return a memory into which no more of a kind fits."""
    memory = Memory(options=OPTIONS)
    for number in range(5000):
        try:
            WAYS[way](memory, number, now)
        except Full:
            return memory
    raise AssertionError("a memory takes whatever comes")


@pytest.mark.parametrize("way", WAYS)
def test_what_may_not_be_dropped_is_refused_when_there_is_no_room(way: str, now: Moment) -> None:
    memory = filled(way, now)
    before = dump(memory._state)
    assert CAP_BYTES < memory.size_bytes() < MOST_BYTES + 10_000
    for more in WAYS.values():
        with pytest.raises(Full):
            more(memory, 9999, now)
    assert dump(memory._state) == before


@pytest.mark.parametrize("way", WAYS)
def test_a_full_memory_hears_everything_else(way: str, now: Moment) -> None:
    memory = filled(way, now)
    turn = memory.turn
    for number in range(200):
        memory.observe("user", f"Did it rain on the {name(number)} today?", at=now)
    assert memory.turn == turn + 200
    assert memory.size_bytes() < MOST_BYTES + 10_000


@pytest.mark.parametrize("way", WAYS)
def test_what_is_forgotten_makes_room(way: str, now: Moment) -> None:
    memory = filled(way, now)
    memory.observe("user", "Forget everything.", at=now)
    memory.observe("user", "Yes.", at=now)
    WAYS[way](memory, 9999, now)


def test_what_is_done_makes_room_without_a_word_said(now: Moment) -> None:
    memory = filled("items of a door", now)
    for number in range(1, 100):
        memory.command("done", f"p{number}", at=now)
    memory.command("add", "buy bread", at=now)
    assert [item.text for item in memory.pending()][-1] == "buy bread"


def test_talk_makes_room_for_a_reminder(now: Moment) -> None:
    memory = Memory(options=OPTIONS)
    for number in range(12):
        words = " ".join(name(number * 300 + one) for one in range(150))
        memory.observe("user", words, at=now)
    memory.observe("user", "Remind me tomorrow at 10 am to call Tom.", at=now)
    assert len(memory.pending()) == 1


def test_long_talk_does_not_burst_the_cap_between_two_cleanings(now: Moment) -> None:
    memory = Memory(options=OPTIONS)
    most_bytes = 0
    for number in range(120):
        words = " ".join(name(number * 300 + one) for one in range(150))
        at = Moment(now.wall + timedelta(minutes=number), now.boot_s + 60 * number)
        memory.observe("user", words, at=at)
        most_bytes = max(most_bytes, memory.size_bytes())
    assert most_bytes < MOST_BYTES
    assert "".join(one.text for one in memory._state.statements.values()).count(name(119 * 300)) == 1


def test_a_cap_given_for_once_counts_instead_of_its_own(now: Moment) -> None:
    memory = filled("claims", now)
    with pytest.raises(Full):
        memory.command("add", "buy bread", at=now, cap_bytes=10 * CAP_BYTES)
    small = Memory(options=OPTIONS)
    for number in range(150):
        WAYS["claims"](small, number, now)
    small.command("add", "buy bread", at=now)
    with pytest.raises(Full):
        small.command("add", "buy salt", at=now, cap_bytes=CAP_BYTES // 10)
