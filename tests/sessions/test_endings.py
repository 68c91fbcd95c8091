"""What ends an answer, and what is then left of it."""

from __future__ import annotations

import asyncio

import pytest
from fakes.fake_ollama import FakeOllama
from fakes.house import ask, events_of, make_sessions

from claudemem_edge.errors import Expired, Full, UnknownScope
from claudemem_edge.sessions.stream import EventStream
from claudemem_edge.shapes.options import SessionOptions, TurnOptions
from claudemem_edge.shapes.turn import Accepted, Cancelled, Delta, Failed, Final

NOWHERE = "http://127.0.0.1:9"


async def test_ending_a_scope_cancels_and_forgets() -> None:
    async with FakeOllama() as fake:
        sessions = make_sessions(fake.url)
        fake.next("gated")
        turn = sessions.turn(ask("Hello there."))
        await fake.wait_asked()
        assert sessions.end("anna")
        events = [event async for event in turn]
        assert isinstance(events[-1], Cancelled)
        assert not sessions.end("anna")
        await fake.wait_closed()


async def test_stopping_refuses_new_asks_and_ends_running_ones() -> None:
    async with FakeOllama() as fake:
        sessions = make_sessions(fake.url, turn_options=TurnOptions(stop_grace_s=0.1))
        fake.next("gated")
        turn = sessions.turn(ask("Hello there."))
        await fake.wait_asked()
        stopping = asyncio.create_task(sessions.stop())
        await asyncio.sleep(0)
        late = (await events_of(sessions, ask("Too late?")))[-1]
        assert isinstance(late, Failed)
        assert late.code == "shutdown"
        events = [event async for event in turn]
        assert isinstance(events[-1], Cancelled)
        assert events[-1].reason == "shutdown"
        await stopping


async def test_a_turn_under_way_during_a_forget_leaves_no_trace_of_its_block() -> None:
    async with FakeOllama() as fake:
        sessions = make_sessions(fake.url)
        sessions.observe("anna", "user", "My dog is called Biscuit.")
        fake.next("gated")
        turn = sessions.turn(ask("What is my dog called?"))
        await fake.wait_asked()
        sessions.command("anna", "forget_all", "confirmed")
        ending = [event async for event in turn][-1]
        assert isinstance(ending, Cancelled)
        assert sessions.trace("anna", ending.turn).context is None


@pytest.mark.parametrize("how", ["by a door", "by voice", "by observing"])
async def test_a_forget_ends_what_is_answered_or_waits_in_its_scope_alone(fake: FakeOllama, how: str) -> None:
    sessions = make_sessions(fake.url)
    sessions.observe("anna", "user", "My dog is called Biscuit.")
    fake.default = "gated"
    scopes = ("anna", "anna", "bert")
    turns = [sessions.turn(ask("What is my dog called?", scope)) for scope in scopes]
    assert [type(await anext(turn)) for turn in turns] == [Accepted] * 3
    await fake.wait_asked()
    match how:
        case "by a door":
            sessions.command("anna", "forget_last")
        case "by voice":
            await events_of(sessions, ask("Forget my last sentence."))
        case _:
            sessions.observe("anna", "user", "Forget my last sentence.")
    for turn in turns[:2]:
        (ending,) = [event async for event in turn]
        assert isinstance(ending, Cancelled)
        assert ending.reason == "forgotten"
    await fake.wait_closed()
    fake.release(9)
    assert isinstance([event async for event in turns[2]][-1], Final)
    assert sessions.queue == 0


async def test_pieces_that_nobody_took_are_not_told_after_a_cancel() -> None:
    stream, ending = EventStream(8, 20), Cancelled("r-1", "client", 1)
    for event in (Accepted("r-1", 1), Delta("r-1", 0, "It "), Delta("r-1", 1, "is")):
        await stream.put(event)
    stream.end_now(ending)
    stream.end_now(Cancelled("r-1", "shutdown", 1))
    await stream.put(Delta("r-1", 2, " late"))
    assert [event async for event in stream.read()] == [Accepted("r-1", 1), ending]


async def test_a_request_that_a_door_passes_on_ends_with_the_memory_whose_words_it_holds() -> None:
    sessions = make_sessions(NOWHERE)
    memory, deadline_s = sessions.memory("anna"), asyncio.get_running_loop().time() + 20
    sessions.observe("anna", "user", "My dog is called Biscuit.")
    begun = asyncio.Event()

    async def pass_on(epoch: int) -> None:
        async with sessions.relaying("anna", memory, epoch, deadline_s):
            begun.set()
            await asyncio.Event().wait()

    relay = asyncio.create_task(pass_on(memory.epoch))
    waiting = asyncio.create_task(pass_on(memory.epoch))
    await begun.wait()
    sessions.command("anna", "forget_last")
    for one in (relay, waiting, pass_on(0)):
        with pytest.raises(Expired):
            await one
    sessions.end("anna")
    with pytest.raises(Expired):
        await pass_on(memory.epoch)
    assert sessions.queue == 0


async def test_a_timeout_of_its_own_stays_one() -> None:
    sessions = make_sessions(NOWHERE)
    memory = sessions.memory("anna")
    with pytest.raises(TimeoutError):
        async with sessions.relaying("anna", memory, memory.epoch, asyncio.get_running_loop().time() + 20):
            raise TimeoutError


async def test_a_scope_whose_request_is_passed_on_makes_no_room() -> None:
    sessions = make_sessions(NOWHERE, options=SessionOptions(max_scopes=1))
    memory = sessions.memory("anna")
    async with sessions.relaying("anna", memory, memory.epoch, asyncio.get_running_loop().time() + 20):
        with pytest.raises(Full):
            sessions.observe("bert", "user", "Hello.")
    sessions.observe("bert", "user", "Hello.")


async def test_a_turn_that_is_cancelled_before_it_began_gives_its_place_back(fake: FakeOllama) -> None:
    sessions = make_sessions(fake.url, turn_options=TurnOptions(queue_per_model=0))
    turn = sessions.turn(ask("How is the oboe?", ask_id="r-early"))
    assert sessions.queue == 1
    assert sessions.cancel("anna", "r-early")
    assert sessions.queue == 0
    assert isinstance(await anext(turn), Cancelled)


async def test_a_turn_that_is_not_running_cannot_be_cancelled() -> None:
    sessions = make_sessions(NOWHERE)
    sessions.observe("anna", "user", "Hello.")
    assert not sessions.cancel("anna", "unknown")
    assert not sessions.cancel("nobody", "unknown")


async def test_a_scope_has_another_epoch_after_a_forget_and_when_it_begins_anew() -> None:
    sessions = make_sessions(NOWHERE)
    epochs = []
    for step in ("observe", "forget", "end"):
        if step == "forget":
            sessions.command("anna", "forget_last")
        elif step == "end":
            sessions.end("anna")
        sessions.observe("anna", "user", "My dog is called Biscuit.")
        epochs.append(sessions.epoch("anna"))
    assert len(set(epochs)) == 3
    with pytest.raises(UnknownScope):
        sessions.epoch("nobody")


async def test_with_nothing_under_way_it_stops_at_once() -> None:
    sessions = make_sessions(NOWHERE)
    async with sessions.model_slot("anna", asyncio.get_running_loop().time() + 20):
        assert sessions.queue == 1
    await sessions.stop()
    assert sessions.queue == 0
