from __future__ import annotations

import asyncio

import pytest

from claudemem_edge.errors import Busy, TimedOut
from claudemem_edge.model.slot import ModelSlot


def soon() -> float:
    return asyncio.get_running_loop().time() + 20


async def settle(slot: ModelSlot, queue: int) -> None:
    while slot.queue < queue:  # noqa: ASYNC110 (nothing else needs an event for it)
        await asyncio.sleep(0)


async def test_scopes_are_served_in_turn_and_each_in_its_own_order() -> None:
    slot, served = ModelSlot(10, 99), list[str]()
    release = asyncio.Event()

    async def first() -> None:
        async with slot.place("x", soon()):
            await release.wait()

    async def one(scope: str, name: str) -> None:
        async with slot.place(scope, soon()):
            served.append(name)

    async with asyncio.TaskGroup() as group:
        group.create_task(first())
        await settle(slot, 1)
        for number, (scope, name) in enumerate([("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"), ("c", "c1")]):
            group.create_task(one(scope, name))
            await settle(slot, number + 2)
        release.set()
    assert served == ["a1", "b1", "c1", "a2", "a3"]
    assert slot.queue == 0


async def test_a_full_queue_is_told_at_once_with_a_time() -> None:
    slot = ModelSlot(0, 99)
    async with slot.place("a", soon()):
        with pytest.raises(Busy) as caught:
            async with slot.place("b", soon()):
                pass
    assert caught.value.retry_after_s > 0


async def test_waiting_ends_at_the_deadline_and_leaves_no_place_behind() -> None:
    slot = ModelSlot(4, 99)
    async with slot.place("a", soon()):
        with pytest.raises(TimedOut):
            async with slot.place("b", asyncio.get_running_loop().time() + 0.01):
                pass
        assert slot.queue == 1
    async with slot.place("b", soon()):
        assert slot.queue == 1


@pytest.mark.parametrize("when", ["waiting", "just served"])
async def test_a_cancelled_waiter_hands_the_slot_on(when: str) -> None:
    slot = ModelSlot(4, 99)

    async def wait() -> None:
        async with slot.place("b", soon()):
            await asyncio.Event().wait()

    async with slot.place("a", soon()):
        task = asyncio.create_task(wait())
        await settle(slot, 2)
        if when == "waiting":
            task.cancel()
            await asyncio.wait([task])
    task.cancel()
    await asyncio.wait([task])
    async with slot.place("c", soon()):
        assert slot.queue == 1


async def test_one_scope_never_takes_all_places() -> None:
    slot = ModelSlot(4, 1)
    places = [slot.promise("noisy") for _ in range(2)]
    with pytest.raises(Busy, match="too many questions at once"):
        slot.promise("noisy")
    with pytest.raises(Busy, match="too many questions at once"):
        async with slot.place("noisy", soon()):
            pass
    async with slot.place("quiet", soon()):
        assert slot.queue == 3
    places[0].give_back()
    slot.promise("noisy")
