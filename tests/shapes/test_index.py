from __future__ import annotations

from sys import getsizeof

from hypothesis import given
from hypothesis import strategies as st

from claudemem_edge.shapes.index import InvertedIndex

SALT = b"0123456789abcdef"
TALK = st.lists(st.lists(st.sampled_from(["tea", "milk", "cup", "sugar", "tray"]), max_size=6), max_size=40)


def filled(talk: list[list[str]]) -> InvertedIndex:
    index = InvertedIndex(SALT)
    for number, terms in enumerate(talk, 1):
        index.add(number * 3, terms)
    return index


def rows(index: InvertedIndex) -> dict[int, list[int]]:
    return {key: list(index.find(key)) for key in index.postings}


def counted(index: InvertedIndex) -> int:
    """The bytes of keys and rows, by the interpreter's own measure."""
    return sum(getsizeof(key) for key in index.postings) + sum(
        getsizeof(row) for row in index.postings.values() if isinstance(row, list)
    )  # fmt: skip


@given(TALK)
def test_finds_the_statements_of_a_term_oldest_first(talk: list[list[str]]) -> None:
    index = filled(talk)
    for term in ("tea", "milk", "cup", "sugar", "tray", "never said"):
        wanted = [number * 3 for number, terms in enumerate(talk, 1) if term in terms]
        assert list(index.find(index.key(term))) == wanted
        for bound in range(3 * len(talk) + 3):
            assert list(index.before(index.key(term), bound)) == [one for one in wanted if one < bound]


@given(TALK)
def test_keys_of_a_statement_are_those_of_its_terms_in_order(talk: list[list[str]]) -> None:
    index = filled(talk)
    for number, terms in enumerate(talk, 1):
        assert list(index.keys(number * 3)) == [index.key(term) for term in dict.fromkeys(terms)]
    assert list(index.keys(1)) == []


@given(TALK, st.data())
def test_removing_and_restoring_leaves_everything_as_it_was(talk: list[list[str]], data: st.DataObject) -> None:
    index = filled(talk)
    before = (rows(index), list(index.order), [list(index.keys(one)) for one in index.order], index.row_bytes)
    removed = data.draw(st.lists(st.sampled_from(index.order), unique=True)) if talk else []
    keys = {one: index.keys(one) for one in removed}
    for one in removed:
        index.remove(one)
    for one in reversed(removed):
        index.restore(one, keys[one])
    after = (rows(index), list(index.order), [list(index.keys(one)) for one in index.order], index.row_bytes)
    assert after == before


@given(TALK)
def test_a_removed_word_is_a_key_nowhere(talk: list[list[str]]) -> None:
    index = filled(talk)
    for one in list(index.order):
        index.remove(one)
    assert rows(index) == {}
    assert not index.order
    assert not any(index.pool)
    assert index.row_bytes == 0


@given(TALK)
def test_counts_its_own_bytes(talk: list[list[str]]) -> None:
    index = filled(talk)
    assert 0.85 * counted(index) - 64 <= index.row_bytes <= 1.15 * counted(index) + 64


def test_an_unknown_statement_is_ignored() -> None:
    index = filled([["tea"]])
    index.remove(99)
    assert list(index.find(index.key("tea"))) == [3]


def test_keys_of_two_memories_cannot_be_compared() -> None:
    one, other = InvertedIndex(SALT), InvertedIndex(b"fedcba9876543210")
    assert one.key("tea") == one.key("tea")
    assert one.key("tea") != other.key("tea")
    assert one.key("tea") < 1 << 30


def test_compacting_changes_nothing_that_can_be_seen() -> None:
    index = filled([["tea", "milk"], ["tea"], ["cup"]])
    index.remove(3)
    before = (rows(index), [list(index.keys(one)) for one in index.order])
    index.compact()
    assert (rows(index), [list(index.keys(one)) for one in index.order]) == before
    assert len(index.pool) == 2
