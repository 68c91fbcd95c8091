"""The line of letters, without a broker."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from claudemem_edge.counters import Counters
from claudemem_edge.transport.mqtt_messages import Letter
from claudemem_edge.transport.mqtt_outbox import (
    MOST_ATTEMPTS,
    MOST_BYTES,
    MOST_CONNECTED,
    MOST_UNDER_WAY,
    Outbox,
)


def kept(text: str, expires_s: float | None = None) -> Letter:
    return Letter("t", text.encode(), qos=1, keep=True, expires_s=expires_s)


def passing(text: str) -> Letter:
    return Letter("t", text.encode())


def sent(outbox: Outbox, now_s: float = 0) -> list[str]:
    texts = []
    while (posting := outbox.take(now_s)) is not None:
        texts.append(posting.letter.payload.decode())
        outbox.done(posting)
    return texts


async def test_letters_leave_in_their_order() -> None:
    outbox = Outbox(9, Counters())
    for letter in (kept("1"), passing("2"), kept("3")):
        outbox.put(letter)
    assert sent(outbox) == ["1", "2", "3"]
    await outbox.emptied()


def test_only_so_many_are_under_way_at_a_time() -> None:
    outbox = Outbox(99, Counters())
    for number in range(MOST_UNDER_WAY + 1):
        outbox.put(kept(str(number)))
    postings = [outbox.take(0) for _ in range(MOST_UNDER_WAY)]
    assert outbox.take(0) is None
    assert postings[0] is not None
    outbox.done(postings[0])
    assert outbox.take(0) is not None


def test_full_means_that_the_oldest_goes_and_what_passes_by_before_replies() -> None:
    counters = Counters()
    outbox = Outbox(3, counters)
    for letter in (kept("1"), passing("2"), kept("3"), kept("4"), kept("5")):
        outbox.put(letter)
    assert len(outbox) == 3
    assert sent(outbox) == ["3", "4", "5"]
    assert counters.count("dropped") == 2


def test_with_a_connection_there_is_more_room_but_not_without_end() -> None:
    counters = Counters()
    outbox = Outbox(3, counters)
    outbox.away = False
    for number in range(MOST_CONNECTED + 2):
        outbox.put(kept(str(number)))
    assert len(outbox) == MOST_CONNECTED
    outbox.put(Letter("t", bytes(MOST_BYTES), qos=1, keep=True))
    assert len(outbox) == 1, "the newest stays, however large"
    assert counters.count("dropped") == MOST_CONNECTED + 2


def test_what_is_late_is_not_sent() -> None:
    counters = Counters()
    outbox = Outbox(9, counters)
    outbox.put(kept("late", 100))
    outbox.put(kept("in time", 101))
    assert sent(outbox, now_s=100) == ["in time"]
    assert counters.count("dropped") == 1


async def test_what_was_under_way_goes_again_in_front_and_what_passes_by_does_not() -> None:
    outbox = Outbox(9, Counters())
    for letter in (kept("1"), passing("2"), kept("3"), passing("4")):
        outbox.put(letter)
    outbox.take(0)
    outbox.take(0)
    outbox.connection_lost()
    assert sent(outbox) == ["1", "3"]
    await outbox.emptied()


def test_a_letter_that_breaks_every_connection_goes_alone_and_is_given_up() -> None:
    counters = Counters()
    outbox = Outbox(9, counters)
    outbox.put(kept("poison"))
    outbox.put(kept("harmless"))
    assert outbox.take(0) is not None
    assert outbox.take(0) is not None, "the first time they go together"
    outbox.connection_lost()
    for _ in range(MOST_ATTEMPTS - 1):
        posting = outbox.take(0)
        assert posting is not None
        assert posting.letter == kept("poison")
        assert outbox.take(0) is None
        outbox.connection_lost()
    assert sent(outbox) == ["harmless"]
    assert counters.count("dropped") == 1


def test_it_knows_for_how_long_the_broker_has_owed_an_acknowledgement() -> None:
    outbox = Outbox(9, Counters())
    assert outbox.unanswered_s(100) == 0
    outbox.put(kept("1"))
    assert outbox.unanswered_s(100) == 0
    posting = outbox.take(100)
    assert posting is not None
    assert outbox.unanswered_s(107) == 7
    outbox.done(posting)
    assert outbox.unanswered_s(107) == 0


def test_a_letter_put_twice_is_sent_twice() -> None:
    outbox = Outbox(9, Counters())
    letter = kept("same")
    outbox.put(letter)
    outbox.put(letter)
    assert sent(outbox) == ["same", "same"]


def test_what_had_to_wait_goes_only_if_it_stands() -> None:
    outbox = Outbox(9, Counters())
    stands = {"1": True, "2": False, "3": False}
    for text, instead in (("1", b"one"), ("2", b"two"), ("3", b"")):
        letter = replace(kept(text), stands=partial(stands.__getitem__, text), instead=instead)
        outbox.put(letter)
    assert sent(outbox) == ["1", "two"]


def test_what_need_not_wait_is_the_answer_of_its_moment() -> None:
    outbox = Outbox(9, Counters())
    outbox.away = False
    letter = replace(kept("1"), stands=lambda: False)
    outbox.put(letter)
    outbox.put(letter)
    first = outbox.take(0)
    assert first is not None
    assert first.letter.payload == b"1"
    outbox.connection_lost()
    assert sent(outbox) == []
