"""Simple patterns as the texts they stand for."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claudemem_edge.language.spelled import MOST_TEXTS, spelled_out


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("cold", {"cold"}),
        ("dogs?|cat", {"dog", "dogs", "cat"}),
        ("(?:dry )?cough", {"cough", "dry cough"}),
        ("(left|right) (?:hand|foot)", {"left hand", "left foot", "right hand", "right foot"}),
        ("[lr]eft{0,1}", {"lef", "left", "ref", "reft"}),
        ("[a-c2]只", {"a只", "b只", "c只", "2只"}),
        (r"st\.\ john", {"st. john"}),
        ("x|", {"x", ""}),
    ],
)
def test_spelled_out(pattern: str, texts: set[str]) -> None:
    assert spelled_out(pattern) == texts


@pytest.mark.parametrize(
    "pattern", ["a.c", "a{2}", "a+", r"\w", "[^a]", "(?!a)b", "(?:a", "a)", "(?P<name>a)", "a$", "[0-9][0-9][0-9][0-9]"]
)
def test_what_is_no_plain_word_is_told(pattern: str) -> None:
    with pytest.raises(ValueError, match=rf"at \d|more than {MOST_TEXTS} texts"):
        spelled_out(pattern)


PLAIN = st.recursive(
    st.sampled_from(["a", "b", "[ab]", r"\.", "c?"]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        inner.map(lambda part: f"(?:{part})?"),
    ),
    max_leaves=8,
)


@given(PLAIN, st.text("abc.", max_size=6))
def test_it_is_what_the_pattern_matches(pattern: str, text: str) -> None:
    assert (text in spelled_out(pattern)) == (re.fullmatch(pattern, text) is not None)
