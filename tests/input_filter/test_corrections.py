from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from claudemem_edge.input_filter.read import read
from claudemem_edge.language.load import load
from claudemem_edge.shapes.terms import TermIndex
from claudemem_edge.shapes.times import Moment

if TYPE_CHECKING:
    from claudemem_edge.shapes.reading import ClaimDraft

NOW = Moment(datetime(2026, 3, 11, 9, 40, tzinfo=ZoneInfo("Asia/Shanghai")), 1000.0)


def claimed(text: str) -> tuple[ClaimDraft, ...]:
    return read(text, speaker="user", now=NOW, lexicon=load(("zh", "en")), names=TermIndex()).claims


@pytest.mark.parametrize(
    ("text", "new", "old"),
    [
        ("不是3盒，是5盒", "5盒", "3盒"),
        ("應該是五盒，不是三盒", "五盒", "三盒"),
        ("说错了，是五盒", "五盒", ""),
        ("not five but three", "three", "five"),
        ("Sorry, I meant Friday.", "Friday", ""),
        ("make it half past nine", "half past nine", ""),
    ],
)
def test_a_bare_value_names_no_claim(text: str, new: str, old: str) -> None:
    (draft,) = claimed(text)
    assert (draft.subject, draft.predicate, draft.object, draft.because) == ("", "", new, old)
    assert draft.corrects


@pytest.mark.parametrize(
    ("text", "predicate", "value"),
    [
        ("不对，我今年六十九岁", "age", "69岁"),
        ("其实我住在扬州", "lives_in", "扬州"),
        ("说错了，我女儿叫小芸", "daughter", "小芸"),
        ("No, my name is Ruth.", "name", "Ruth"),
        ("Actually, I live in Bath.", "lives_in", "Bath"),
        ("Sorry, my daughter is called Ruth.", "daughter", "Ruth"),
    ],
)
def test_a_claim_behind_words_of_correction_corrects(text: str, predicate: str, value: str) -> None:
    (draft,) = claimed(text)
    assert (draft.predicate, draft.object, draft.corrects) == (predicate, value, True)


@pytest.mark.parametrize("text", ["其实我也喜欢喝茶", "Actually, I like tea too.", "No, I like tea."])
def test_one_more_of_many_replaces_nothing(text: str) -> None:
    (draft,) = claimed(text)
    assert not draft.corrects


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("我不叫陈明，我叫陈亮", "陈明", "陈亮"),
        ("我不住三楼，我住五楼", "三楼", "五楼"),
        ("I'm not 72, I'm 73.", "72", "73"),
    ],
)
def test_what_follows_a_denial_takes_its_place(text: str, old: str, new: str) -> None:
    denied, put_right = claimed(text)
    assert denied.object.startswith(old)
    assert denied.denies
    assert put_right.object.startswith(new)
    assert put_right.corrects


@pytest.mark.parametrize(
    "text",
    ["不对劲", "错了就改", "不是我的错", "换成别的", "No, thanks.", "Not now.", "Wait a minute.", "Make it louder."],
)
def test_words_that_only_sound_like_a_correction_are_none(text: str) -> None:
    assert claimed(text) == ()
