"""The line of letters, without a broker."""

from __future__ import annotations

import asyncio

from claudemem_edge.counters import Counters
from claudemem_edge.transport.mqtt_messages import Letter
from claudemem_edge.transport.mqtt_outbox import MOST_ATTEMPTS, Outbox


def kept(text: str, expires_s: float | None = None) -> Letter:
    return Letter("t", text.encode(), qos=1, keep=True, expires_s=expires_s)


def passing(text: str) -> Letter:
    return Letter("t", text.encode())


async def sent(outbox: Outbox, count: int) -> list[str]:
    texts = []
    for _ in range(count):
        posting = await outbox.take()
        texts.append(posting.letter.payload.decode())
        outbox.done(posting)
    return texts


async def test_letters_leave_in_their_order() -> None:
    outbox = Outbox(9, Counters())
    for letter in (kept("1"), passing("2"), kept("3")):
        outbox.put(letter)
    assert await sent(outbox, 3) == ["1", "2", "3"]
    await outbox.emptied()


async def test_taking_waits_for_a_letter() -> None:
    outbox = Outbox(9, Counters())
    taking = asyncio.create_task(outbox.take())
    await asyncio.sleep(0)
    assert not taking.done()
    outbox.put(kept("1"))
    assert (await taking).letter == kept("1")


async def test_full_means_that_the_oldest_goes_and_what_passes_by_before_replies() -> None:
    counters = Counters()
    outbox = Outbox(3, counters)
    for letter in (kept("1"), passing("2"), kept("3"), kept("4"), kept("5")):
        outbox.put(letter)
    assert len(outbox) == 3
    assert await sent(outbox, 3) == ["3", "4", "5"]
    assert counters.count("dropped") == 2


async def test_what_is_late_is_not_sent() -> None:
    counters = Counters()
    outbox = Outbox(9, counters)
    now_s = asyncio.get_running_loop().time()
    outbox.put(kept("late", now_s))
    outbox.put(kept("in time", now_s + 60))
    assert await sent(outbox, 1) == ["in time"]
    assert counters.count("dropped") == 1


async def test_what_was_under_way_goes_again_in_front_and_what_passes_by_does_not() -> None:
    outbox = Outbox(9, Counters())
    for letter in (kept("1"), passing("2"), kept("3"), passing("4")):
        outbox.put(letter)
    await outbox.take()
    await outbox.take()
    outbox.connection_lost()
    assert await sent(outbox, 2) == ["1", "3"]
    await outbox.emptied()


async def test_a_letter_that_breaks_every_connection_is_given_up() -> None:
    counters = Counters()
    outbox = Outbox(9, counters)
    outbox.put(kept("poison"))
    outbox.put(kept("harmless"))
    for _ in range(MOST_ATTEMPTS):
        assert (await outbox.take()).letter == kept("poison")
        outbox.connection_lost()
    assert await sent(outbox, 1) == ["harmless"]
    assert counters.count("dropped") == 1


async def test_a_letter_put_twice_is_sent_twice() -> None:
    outbox = Outbox(9, Counters())
    letter = kept("same")
    outbox.put(letter)
    outbox.put(letter)
    assert await sent(outbox, 2) == ["same", "same"]
