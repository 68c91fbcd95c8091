from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claudemem_edge.context_injector.phrase import CONTENT, NAME, NUMBER, WEAK
from claudemem_edge.context_injector.phrases import phrases
from claudemem_edge.language.load import load

LEXICON = load(("zh", "en"))


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        (
            "en",
            "Would you like to sail on the Sea Breeze at 4:30 pm for $217",
            [("sail", CONTENT), ("Sea Breeze", NAME), ("4:30 pm", NUMBER), ("$217", NUMBER)],
        ),
        ("en", "The Bank of Ghent closed", [("Bank of Ghent closed", NAME)]),
        ("en", "It was my mother-in-law who knitted it", [("mother-in-law", CONTENT), ("knitted", CONTENT)]),
        ("en", "Tom does not eat shrimp", [("Tom", CONTENT), ("not eat shrimp", CONTENT)]),
        ("en", "We love the harbour", [("love", WEAK), ("harbour", CONTENT)]),
        ("zh", "我们昨天去了西山国家森林公园", [("昨天去", CONTENT), ("西山国家森林公园", NAME)]),
        ("zh", "住在和平饭店，一晚300元", [("住", CONTENT), ("和平饭店", NAME), ("一晚300元", NUMBER)]),
        ("zh", "他不喜欢吃虾", [("喜欢", WEAK), ("不喜欢吃虾", CONTENT)]),
        ("zh", "看过《长安的荔枝》吗", [("看过", CONTENT), ("长安的荔枝", NAME)]),
    ],
)
def test_keeps_what_says_something(language: str, text: str, found: list[tuple[str, int]]) -> None:
    assert [(one.text, one.rank) for one in phrases(text, LEXICON.get(language))] == found


@pytest.mark.parametrize("language", ["zh", "en", ""])
@given(text=st.text(alphabet="aIxY 1.3,'-$我不的了吃药，。《》()（）和", max_size=40))
def test_phrases_are_stretches_of_the_text_in_order(language: str, text: str) -> None:
    last = 0
    for one in phrases(text, LEXICON.get(language) if language else None):
        assert text[one.start : one.end] == one.text
        assert one.text.lower() == one.folded
        assert one.start < one.end
        if one.rank != WEAK:
            assert one.start >= last
            last = one.end
