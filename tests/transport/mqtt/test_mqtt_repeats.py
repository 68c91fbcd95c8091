"""Requests seen lately, without a broker or a clock."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from claudemem_edge.transport.mqtt_messages import Address
from claudemem_edge.transport.mqtt_repeats import MOST_ADDRESSES, MOST_REPLY_BYTES, MOST_REQUESTS, Repeats

KEY = ("chat/request", "anna", "r-1")
HERE, THERE = Address("here"), Address("there", b"17")


def test_a_new_request_is_new_once() -> None:
    repeats = Repeats(300)
    assert repeats.look(KEY, HERE, 0) is None
    seen = repeats.look(KEY, THERE, 1)
    assert seen is not None
    assert seen.reply is None
    assert repeats.answered(KEY, b"reply", (1, 0)) == (HERE, THERE)
    again = repeats.look(KEY, HERE, 2)
    assert again is not None
    assert again.reply == b"reply"


def test_after_the_window_it_is_new_again() -> None:
    repeats = Repeats(300)
    repeats.look(KEY, HERE, 0)
    assert repeats.look(KEY, HERE, 299) is not None
    assert repeats.look(KEY, HERE, 300) is None


def test_a_reply_that_asks_to_try_again_is_not_kept() -> None:
    repeats = Repeats(300)
    repeats.look(KEY, HERE, 0)
    assert repeats.answered(KEY, b"busy", (1, 0), keep=False) == (HERE,)
    assert repeats.look(KEY, HERE, 1) is None


def test_one_request_has_only_so_many_who_wait_for_it() -> None:
    repeats = Repeats(300)
    for number in range(20):
        repeats.look(KEY, Address(str(number)), 0)
    assert len(repeats.answered(KEY, b"reply", (1, 0))) == MOST_ADDRESSES


def test_what_was_forgotten_is_let_go() -> None:
    repeats = Repeats(300)
    repeats.look(KEY, HERE, 0)
    repeats.answered(KEY, b"words", (1, 3))
    repeats.forget("bert", (1, 9))
    repeats.forget("anna", (1, 3))
    assert list(repeats.scopes()) == ["anna"]
    repeats.forget("anna", (1, 4))
    assert list(repeats.scopes()) == []
    repeats.answered(KEY, b"words", (1, 4))
    repeats.forget("anna", (2, 4))
    assert list(repeats.scopes()) == [], "another memory of the same name"
    seen = repeats.look(KEY, HERE, 1)
    assert seen is not None
    assert seen.reply == b""


@given(st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 40_000)), max_size=60))
def test_it_never_grows_beyond_its_bounds(requests: list[tuple[int, int]]) -> None:
    repeats = Repeats(300)
    for number, size in requests:
        key = ("chat/request", "anna", str(number))
        if repeats.look(key, HERE, 0) is None:
            repeats.answered(key, b"x" * size, (1, 0))
        held = sum(len(seen.reply or b"") for seen in repeats._seen.values())
        assert held == repeats._reply_bytes <= MOST_REPLY_BYTES


def test_the_oldest_request_goes_when_there_are_too_many() -> None:
    repeats = Repeats(300)
    for number in range(MOST_REQUESTS + 5):
        repeats.look(("chat/request", "anna", str(number)), HERE, 0)
    assert len(repeats) == MOST_REQUESTS
    assert repeats.look(("chat/request", "anna", "0"), HERE, 0) is None


def test_a_reply_beyond_all_bounds_is_not_kept_and_what_is_old_goes_before_it() -> None:
    repeats = Repeats(300)
    assert repeats.look(KEY, HERE, 0) is None
    assert repeats.answered(KEY, b"x" * (MOST_REPLY_BYTES + 1), (1, 0)) == (HERE,)
    seen = repeats.look(KEY, HERE, 1)
    assert seen is not None
    assert seen.reply == b""
    assert repeats._reply_bytes == 0
