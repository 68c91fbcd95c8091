"""Reading takes time in step with the length of the text, whatever the text: no pattern, list or reader runs away."""

from __future__ import annotations

import time
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from claudemem_edge.input_filter.read import read
from claudemem_edge.language.load import known_packs, load
from claudemem_edge.shapes.terms import TermIndex
from claudemem_edge.shapes.times import Moment

NOW = Moment(datetime(2026, 3, 11, 9, 40, tzinfo=ZoneInfo("Asia/Shanghai")), 1000.0)
LANGUAGES = tuple(sorted({language for language, _, _ in known_packs()}))
PACKS = tuple(sorted({pack for _, pack, _ in known_packs()}, key=lambda pack: pack != "core"))
SHORT, LONG = 1000, 2000
MOST_RATIO = 3.0
ROUNDS, ATTEMPTS = 3, 4
HOSTILE = [
    *"a1 ,.?\n'\"(“《@的我，。不太把一",
    *("é ", "a.b@", "x-", "1.", "1:", "..", "a ", "I ", "the ", "and ", "so ", "in ", "no ", "not very ", "if I "),
    *("he said, ", 'said "', "remind me to ", "remind me at 5 to ", "forget what I said about ", "don't forget "),
    *(
        "tomorrow ",
        "every day at ",
        "call Bob at 5 and ",
        "他说，",
        "他说：“",
        "如果我",
        "提醒我",
        "明天提醒我",
        "忘了",
    ),
    *("忘掉刚才说的", "关于", "不是", "是不是", "吃过", "别忘了", "每天", "下周三", "十点", "二十", "回到", "很好"),
]


def _needs() -> list[str]:
    """The first need of every rule: what it takes to have its pattern tried."""
    lexicon = load(LANGUAGES, PACKS)
    found = {
        rule.needs[0]: None
        for language in lexicon.languages.values()
        for rules in language.rules.values()
        for rule in rules.values()
        if rule.needs
    }
    return [need if ord(need[0]) >= 0x2E80 else f"{need} " for need in found]


def _cpu_s(text: str) -> float:
    lexicon, names = load(LANGUAGES, PACKS), TermIndex()
    best = float("inf")
    for _ in range(ROUNDS):
        begun = time.thread_time()
        read(text, speaker="user", now=NOW, lexicon=lexicon, names=names)
        best = min(best, time.thread_time() - begun)
    return best


def _ratio(piece: str) -> float:
    short, long = piece * (SHORT // len(piece)), piece * (LONG // len(piece))
    _cpu_s(short)
    return _cpu_s(long) / _cpu_s(short)


@pytest.mark.parametrize("piece", [*HOSTILE, *_needs()])
def test_twice_the_text_takes_less_than_three_times_as_long(piece: str) -> None:
    ratios: list[float] = []
    while len(ratios) < ATTEMPTS and (not ratios or ratios[-1] >= MOST_RATIO):
        ratios.append(_ratio(piece))
    assert min(ratios) < MOST_RATIO, ratios
