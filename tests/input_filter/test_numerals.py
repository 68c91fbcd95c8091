"""Numerals of both languages, as the packs give them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claudemem_edge.input_filter.numerals import Numeral, Numerals
from claudemem_edge.language.load import load

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Language


def reader(language: Language) -> Numerals:
    return Numerals.of(language.tables["times"]["numerals"], joined=language.joined)


CHINESE = reader(load(("zh",)).languages["zh"])
ENGLISH = reader(load(("en",)).languages["en"])


@pytest.mark.parametrize(
    ("text", "value", "kind", "length"),
    [
        ("三", 3, "number", 1),
        ("两百", 200, "number", 2),
        ("十五", 15, "number", 2),
        ("二十", 20, "number", 2),
        ("一百二十", 120, "number", 4),
        ("一百零五", 105, "number", 4),
        ("两千零四", 2004, "number", 4),
        ("一万五千", 15000, "number", 4),
        ("廿", 20, "number", 1),
        ("卅一", 31, "number", 2),
        ("二零一七", 2017, "digits", 4),
        ("零五", 5, "digits", 2),
        ("第一", 1, "ordinal", 2),
        ("第12", 12, "ordinal", 3),
        ("十三五", 13, "number", 2),
        ("五第", 5, "number", 1),
    ],
)
def test_chinese(text: str, value: int, kind: str, length: int) -> None:
    assert CHINESE.read(text, 0) == Numeral(length, value, kind)


@pytest.mark.parametrize(
    ("text", "value", "kind", "rest"),
    [
        ("seven", 7, "number", ""),
        ("twelve", 12, "number", ""),
        ("twenty-five", 25, "number", ""),
        ("twenty five", 25, "number", ""),
        ("one hundred and twenty", 120, "number", ""),
        ("two thousand and eighteen", 2018, "number", ""),
        ("eight forty", 8, "number", " forty"),
        ("nineteen ninety nine", 19, "number", " ninety nine"),
        ("one and a half", 1, "number", " and a half"),
        ("five and ten", 5, "number", " and ten"),
        ("first", 1, "ordinal", ""),
        ("twenty first", 21, "ordinal", ""),
        ("thirty-first", 31, "ordinal", ""),
        ("twenty second", 22, "tens_second", ""),
        ("thirtieth", 30, "ordinal", ""),
    ],
)
def test_english(text: str, value: int, kind: str, rest: str) -> None:
    assert ENGLISH.read(text, 0) == Numeral(len(text) - len(rest), value, kind)


@pytest.mark.parametrize(("numerals", "text"), [(CHINESE, "天"), (CHINESE, ""), (ENGLISH, "tent"), (ENGLISH, "and")])
def test_no_numeral(numerals: Numerals, text: str) -> None:
    assert numerals.read(text, 0) is None


def chinese(number: int) -> str:
    digits = "零一二三四五六七八九"
    said = ""
    for scale, mark in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, scale)
        if digit:
            said += digits[digit] + mark
        elif said and not said.endswith("零") and number:
            said += "零"
    return said


@given(st.integers(1, 9999))
def test_every_chinese_number_comes_back(number: int) -> None:
    assert CHINESE.read(chinese(number), 0) == Numeral(len(chinese(number)), number, "number")


@given(st.sampled_from([CHINESE, ENGLISH]), st.text(max_size=30), st.integers(0, 30))
def test_a_numeral_ends_inside_the_text(numerals: Numerals, text: str, start: int) -> None:
    if start < len(text) and (found := numerals.read(text, start)) is not None:
        assert start < found.end <= len(text)
