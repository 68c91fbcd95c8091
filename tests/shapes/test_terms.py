from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from claudemem_edge.shapes.terms import TermHit, TermIndex, words_apart

TERMS = st.text(alphabet="ab1 '.-我你é,", min_size=1, max_size=5).filter(lambda term: term == term.strip())
PAIRS = st.lists(st.tuples(TERMS, st.sampled_from("xyz")), max_size=24)
TEXTS = st.text(alphabet="ab1 '.-我你é,", max_size=16)


def index_of(*pairs: tuple[str, str]) -> TermIndex:
    index = TermIndex()
    for term, value in pairs:
        index.add(term, value)
    return index


def joins(character: str) -> bool:
    return character.isalnum() and character < "\u2e80"


def searched_one_by_one(pairs: set[tuple[str, str]], text: str) -> list[TermHit]:
    """The contract in its slowest form: each term tried at each place."""
    found: list[TermHit] = []
    for value in {value for _, value in pairs}:
        last = 0
        for start in range(len(text)):
            if start < last or (start and joins(text[start - 1]) and joins(text[start])):
                continue
            ends = [
                start + len(term)
                for term, of in pairs
                if of == value
                and text.startswith(term, start)
                and not (
                    start + len(term) < len(text)
                    and joins(text[start + len(term)])
                    and joins(text[start + len(term) - 1])
                )
            ]
            if ends:
                last = max(ends)
                found.append(TermHit(start, last, value))
    return sorted(found)


@given(PAIRS, TEXTS)
def test_finds_what_searching_one_by_one_finds(pairs: list[tuple[str, str]], text: str) -> None:
    hits = index_of(*pairs).hits(text)
    assert sorted(hits) == searched_one_by_one(set(pairs), text)
    assert [hit.start for hit in hits] == sorted(hit.start for hit in hits)


@given(PAIRS, PAIRS)
def test_what_is_removed_leaves_no_trace(kept: list[tuple[str, str]], removed: list[tuple[str, str]]) -> None:
    index = index_of(*removed, *kept)
    for term, value in removed:
        index.remove(term, value)
    still = index_of(*(pair for pair in kept if pair not in removed))
    assert index.count == still.count
    for name in ("words", "phrases", "singles", "pairs"):
        assert getattr(index, name).keys() == getattr(still, name).keys()


def test_latin_terms_match_whole_words_and_han_terms_anywhere() -> None:
    index = index_of(("tom", "Tom"), ("小明", "小明"))
    assert index.hits("tomorrow tom's tom") == [TermHit(9, 12, "Tom"), TermHit(15, 18, "Tom")]
    assert index.hits("我和小明说") == [TermHit(2, 4, "小明")]


def test_the_longest_term_of_a_value_wins_its_place() -> None:
    index = index_of(("blood", "m"), ("blood pressure", "m"), ("pressure", "m"), ("血压", "m"), ("高血压", "m"))
    assert index.hits("blood pressure") == [TermHit(0, 14, "m")]
    assert index.hits("高血压") == [TermHit(0, 3, "m")]


def test_two_values_may_share_a_term() -> None:
    assert index_of(("dr wang", "a"), ("dr wang", "b")).hits("ask dr wang") == [
        TermHit(4, 11, "a"),
        TermHit(4, 11, "b"),
    ]


def test_places_give_every_term_the_longest_first() -> None:
    index = index_of(("remind", "1"), ("remind me", "2"), ("提醒", "3"), ("提醒我", "4"))
    assert index.places("remind me提醒我") == [(0, 9, "2"), (0, 6, "1"), (9, 12, "4"), (9, 11, "3")]
    assert index.places("remind mere提醒") == [(0, 6, "1"), (11, 13, "3")]


def test_the_same_pair_counts_once_and_unknown_pairs_are_ignored() -> None:
    index = index_of(("a b", "x"), ("a b", "x"), ("", "x"))
    assert index.count == 1
    index.remove("a c", "x")
    index.remove("", "x")
    assert index.count == 1


def test_a_text_already_cut_into_words_is_read_alike() -> None:
    index = index_of(("remind me", "1"), ("tom", "2"), ("'s name", "3"), ("提醒", "4"))
    text = "remind me: tom's name提醒"
    assert index.places(text, words_apart(text)) == index.places(text)
    assert index.hits(text, words_apart(text)) == index.hits(text)
    assert "".join(words_apart(text)) == text


@given(st.text("a'@ é提", max_size=20))
def test_few_beginnings_are_found_as_many_are(text: str) -> None:
    few = index_of(("'a", "1"), ("@", "2"), ("提", "3"))
    many = index_of(("'a", "1"), ("@", "2"), ("提", "3"), *((mark * 2, mark) for mark in "+*#=%"))
    assert few.places(text) == many.places(text)
