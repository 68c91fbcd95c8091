from __future__ import annotations

import pytest

from claudemem_edge.input_filter.attitude import overall, weigh
from claudemem_edge.language.load import load

LEXICON = load(("zh", "en"))


def weighed(text: str, *spans: tuple[int, int]) -> list[float]:
    language = LEXICON.of(text)
    assert language is not None
    return weigh(text, spans or [(0, len(text))], language.scan(text), language)[0]


@pytest.mark.parametrize(
    ("weaker", "stronger"),
    [
        ("a bit good", "good"),
        ("good", "very good"),
        ("not very good", "good"),
        ("not good", "not very good"),
        ("very bad", "bad"),
        ("bad", "not bad"),
        ("有点喜欢", "喜欢"),
        ("喜欢", "非常喜欢"),
        ("不喜欢", "不太喜欢"),
        ("一点也不喜欢", "不喜欢"),
        ("很讨厌", "讨厌"),
    ],
)
def test_degree_and_negation_order_feelings(weaker: str, stronger: str) -> None:
    assert weighed(weaker)[0] < weighed(stronger)[0]


def test_it_stays_between_minus_one_and_one() -> None:
    assert weighed("love love love love") == [1.0]
    assert weighed("hate hate hate hate") == [-1.0]


def test_a_clause_has_its_own() -> None:
    text = "i love tea. i hate rain"
    good, bad = weighed(text, (0, 10), (12, 23))
    assert good > 0 > bad


def test_a_negation_does_not_reach_over_a_comma_or_into_the_next_clause() -> None:
    assert weighed("not today, good")[0] > 0
    assert weighed("i do not. good", (0, 8), (10, 14))[1] > 0


def test_words_outside_every_clause_count_for_none() -> None:
    assert weighed("good", (0, 2)) == [0.0]


def test_the_words_it_was_read_from_are_told() -> None:
    language = LEXICON.languages["en"]
    text = "this is good"
    assert weigh(text, [(0, 12)], language.scan(text), language)[1] == [("attitude.0.5", (8, 12))]


def test_an_utterance_has_the_mean_of_the_clauses_that_have_one() -> None:
    assert overall([0.0, 0.5, 0.0, -0.1]) == 0.2
    assert overall([0.0]) == 0.0
    assert overall([]) == 0.0
