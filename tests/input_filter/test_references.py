from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claudemem_edge.input_filter.read import read
from claudemem_edge.language.load import load
from claudemem_edge.shapes.terms import TermIndex
from claudemem_edge.shapes.times import Moment

if TYPE_CHECKING:
    from claudemem_edge.shapes.reading import Reference

NOW = Moment(datetime(2026, 3, 11, 9, 40, tzinfo=ZoneInfo("Asia/Shanghai")), 1000.0)


def pointing(text: str) -> tuple[Reference, ...]:
    return read(text, speaker="user", now=NOW, lexicon=load(("zh", "en")), names=TermIndex()).references


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("它和他", [("它", "thing"), ("他", "person")]),
        ("那个药和那个", [("那个药", "medicine"), ("那个", "")]),
        ("那邊冷不冷", [("那邊", "place")]),
        ("這個藥還吃嗎", [("這個藥", "medicine")]),
        ("第二个便宜", [("第二个", "")]),
        ("倒数第二个", [("倒数第二个", "")]),
        ("其他人都走了", []),
        ("吉他", []),
        ("She took that pill there.", [("She", "person"), ("that pill", "medicine"), ("there", "place")]),
        ("Which is cheaper, the first one or the red one?", [("the first one", ""), ("the red one", "")]),
        ("There are two of them.", [("them", "")]),
        ("I think that it works.", [("it", "thing")]),
        ("We work in IT there.", [("there", "place")]),
    ],
)
def test_finds_and_types_what_points_back(text: str, wanted: list[tuple[str, str]]) -> None:
    assert [(reference.word, reference.kind) for reference in pointing(text)] == wanted


WORDS = ["它", "那个药", "第二个", "刚才说的", "其他", "it ", "that one ", "the blue one ", "there ", "is "]


@given(st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=6)), max_size=10))
def test_whatever_is_said_pointing_words_are_apart_and_as_said(parts: list[str]) -> None:
    understood = read("".join(parts), speaker="user", now=NOW, lexicon=load(("zh", "en")), names=TermIndex())
    last = 0
    for reference in understood.references:
        start, end = reference.span
        assert last <= start < end <= len(understood.utterance.text)
        assert understood.utterance.text[start:end] == reference.word
        last = end
