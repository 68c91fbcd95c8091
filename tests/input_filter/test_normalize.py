from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from claudemem_edge.input_filter.normalize import clean, fold
from claudemem_edge.language.load import load

SIMPLIFIED = load(("zh",)).languages["zh"].simplified
ANY_TEXT = st.text(st.characters(), max_size=60)


@pytest.mark.parametrize(
    ("given_text", "kept"),
    [
        ("  a   b  ", "a b"),
        ("Ｈｅｌｌｏ，１２３！", "Hello,123!"),
        ("你好　世界", "你好 世界"),
        ("a\x00b\x1bc\x7f", "abc"),
        ("safe\u202etxt\u2066\u2069", "safetxt"),
        ("\ufefftea\u200b", "tea"),
        ("a\ud800b", "ab"),
        ("milk\neggs\n\nbread", "milk; eggs; bread"),
        ("Milk.\nEggs.\r\nBread!", "Milk. Eggs. Bread!"),
        ("牛奶\n鸡蛋", "牛奶; 鸡蛋"),
        ("one\u2028two", "one; two"),
        ("\n\ntea\n", "tea"),
        ("a\tb", "a b"),
        ("", ""),
        (" \n ", ""),
    ],
)
def test_cleaning_keeps_what_was_said(given_text: str, kept: str) -> None:
    assert clean(given_text) == kept


@given(ANY_TEXT)
@example("e\u200b\u0301")
@example("\u1680 a \u1680")
@example("\ufdfa")
def test_cleaning_twice_changes_nothing_and_leaves_one_printable_line(text: str) -> None:
    kept = clean(text)
    assert clean(kept) == kept
    assert kept.isprintable()
    assert kept == kept.strip()
    assert "  " not in kept
    assert not any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co"} for character in kept)


def test_characters_that_stand_for_a_sentence_do_not_blow_a_text_up() -> None:
    assert len(clean("\ufdfa" * 2000)) <= 2000 + 64


@given(ANY_TEXT)
@example("İstanbul ß ŉ")
def test_folding_keeps_the_length(text: str) -> None:
    assert len(fold(text)) == len(text)
    assert len(fold(text, SIMPLIFIED)) == len(text)


def test_folding_makes_spellings_alike() -> None:
    assert fold("Don’t") == "don't"
    assert fold("請把剛才說的話忘了", SIMPLIFIED) == "请把刚才说的话忘了"
    assert fold("請", None) == "請"
