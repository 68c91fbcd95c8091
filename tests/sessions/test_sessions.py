from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from fakes.fake_ollama import FakeOllama
from fakes.house import ask, events_of, fill, make_sessions

from claudemem_edge.errors import BadRequest, Full, TooLong, UnknownScope
from claudemem_edge.sessions.session import TRACES_MOST
from claudemem_edge.shapes.options import SessionOptions, TurnOptions
from claudemem_edge.shapes.turn import Accepted, Failed, Final, Notice

NOWHERE = "http://127.0.0.1:9"


async def test_scopes_never_see_one_another() -> None:
    sessions = make_sessions(NOWHERE)
    sessions.observe("anna", "user", "My dog is called Biscuit.")
    sessions.observe("bert", "user", "I like tea.")
    assert "Biscuit" in str(sessions.context("anna", "What is my dog called?"))
    assert "Biscuit" not in str(sessions.context("bert", "What is my dog called?"))


async def test_an_unknown_scope_is_not_made_by_looking() -> None:
    sessions = make_sessions(NOWHERE)
    with pytest.raises(UnknownScope):
        sessions.context("nobody", "anything")
    with pytest.raises(UnknownScope):
        sessions.command("nobody", "forget_all", "confirmed")
    assert sessions.scopes() == ()


async def test_the_longest_unused_scope_makes_room_and_visits_go_first() -> None:
    sessions = make_sessions(NOWHERE, options=SessionOptions(max_scopes=3))
    for scope in ("anna", "visit-1", "bert"):
        sessions.observe(scope, "user", "Hello.")
    sessions.observe("carl", "user", "Hello.")
    assert set(sessions.scopes()) == {"anna", "bert", "carl"}
    sessions.observe("anna", "user", "Me again.")
    sessions.observe("dora", "user", "Hello.")
    assert set(sessions.scopes()) == {"anna", "carl", "dora"}


async def test_a_scope_with_something_pending_never_makes_room() -> None:
    sessions = make_sessions(NOWHERE, options=SessionOptions(max_scopes=1))
    sessions.observe("anna", "user", "Remind me tomorrow at 10 am to call Bob.")
    with pytest.raises(Full):
        sessions.observe("bert", "user", "Hello.")
    event = (await events_of(sessions, ask("Hello.", "bert")))[-1]
    assert isinstance(event, Failed)
    assert event.code == "full"
    assert not event.heard
    assert sessions.scopes() == ("anna",)


async def test_the_cap_of_all_scopes_evicts_the_oldest() -> None:
    sessions = make_sessions(NOWHERE, options=SessionOptions(all_bytes=60_000))
    for number in range(12):
        for line in range(20):
            sessions.observe(f"s{number}", "user", f"Line {line} about subject {number * 31 + line} and its colour.")
    assert sessions.size_bytes() <= 60_000
    assert "s11" in sessions.scopes()
    assert "s0" not in sessions.scopes()


async def test_a_silent_visit_ends_and_a_name_stays() -> None:
    sessions = make_sessions(NOWHERE, options=SessionOptions(visit_idle_s=0))
    sessions.observe("visit-7", "user", "Hello.")
    sessions.observe("anna", "user", "Hello.")
    await asyncio.sleep(0.01)
    sessions.sweep()
    assert sessions.scopes() == ("anna",)


async def test_the_end_of_a_visit_is_told_and_that_of_a_name_is_not() -> None:
    sessions = make_sessions(NOWHERE, options=SessionOptions(max_scopes=3, visit_idle_s=0))
    ended: list[str] = []
    sessions.on_visit_ended = ended.append
    for scope in ("visit-1", "visit-2", "visit-3", "anna"):
        sessions.observe(scope, "user", "Hello.")
        with pytest.raises(TooLong):
            sessions.observe("visit-9", "user", "a" * 2001)
    assert ended == ["visit-1", "visit-2"], "which made room; one that never began cannot end"
    await asyncio.sleep(0.01)
    sessions.sweep()
    assert ended[2:] == ["visit-3"]
    assert sessions.end("anna")
    assert not sessions.end("visit-3")
    assert ended[3:] == []


async def test_an_id_in_use_is_refused_and_nothing_is_learned_twice() -> None:
    async with FakeOllama() as fake:
        sessions = make_sessions(fake.url)
        fake.next("gated")
        first = sessions.turn(ask("Hello there.", ask_id="same"))
        await fake.wait_asked()
        second = (await events_of(sessions, ask("Hello there.", ask_id="same")))[-1]
        assert isinstance(second, Failed)
        assert second.code == "bad_request"
        fake.release(9)
        assert isinstance([event async for event in first][-1], Final)
        assert [one["speaker"] for one in sessions.memory("anna").view()["statements"]].count("user") == 1


async def test_a_turn_can_be_explained_until_something_is_forgotten() -> None:
    async with FakeOllama() as fake:
        sessions = make_sessions(fake.url)
        await events_of(sessions, ask("My dog is called Biscuit."))
        final = (await events_of(sessions, ask("What is my dog called?")))[-1]
        assert isinstance(final, Final)
        trace = sessions.trace("anna", final.turn)
        assert trace.context is not None
        assert str(trace.context) == str(final.context)
        sessions.command("anna", "forget_last")
        with pytest.raises(BadRequest):
            sessions.trace("anna", final.turn)


async def test_a_doors_command_leaves_the_trace_of_the_turn_before_it() -> None:
    sessions = make_sessions(NOWHERE)
    turn = sessions.observe("anna", "user", "Remind me tomorrow at 10 am to call Bob.").turn
    sessions.command("anna", "done", "p1")
    assert any(change.kind == "stored" for change in sessions.trace("anna", turn).outcome.changed)


@pytest.mark.parametrize(("scopes", "callers"), [(1, 9), (3, 3), (9, 1)])
async def test_of_callers_at_once_just_as_many_are_accepted_as_may_wait(
    fake: FakeOllama, scopes: int, callers: int
) -> None:
    sessions = make_sessions(fake.url, turn_options=TurnOptions(queue_per_model=3, queue_per_scope=9))
    fake.default = "gated"
    turns = [sessions.turn(ask("How is the oboe?", f"s{scope}")) for scope in range(scopes) for _ in range(callers)]
    first = [await anext(turn) for turn in turns]
    accepted = [event for event in first if isinstance(event, Accepted)]
    refused = [event for event in first if isinstance(event, Failed)]
    assert (len(accepted), len(refused)) == (4, 5)
    assert {(event.code, event.heard) for event in refused} == {("busy", True)}
    assert all(event.retry_after_s for event in refused)
    for turn in turns:
        await turn.aclose()
    assert sessions.queue == 0


@pytest.mark.parametrize("door", ["observe", "turn"])
async def test_a_scope_in_which_nothing_could_be_said_is_not_kept(door: str) -> None:
    sessions = make_sessions(NOWHERE)
    if door == "observe":
        with pytest.raises(TooLong):
            sessions.observe("anna", "user", "a" * 2001)
    else:
        (event,) = await events_of(sessions, ask("a" * 2001))
        assert isinstance(event, Failed)
        assert (event.code, event.heard) == ("too_long", False)
    assert sessions.scopes() == ()


async def test_what_a_door_has_added_outlives_words_that_are_refused() -> None:
    sessions = make_sessions(NOWHERE)
    sessions.memory("anna")
    sessions.command("anna", "add", "water the figs")
    with pytest.raises(TooLong):
        sessions.observe("anna", "user", "a" * 2001)
    (event,) = await events_of(sessions, ask("a" * 2001))
    assert isinstance(event, Failed)
    assert [item.text for item in sessions.peek("anna").pending()] == ["water the figs"]


async def test_scopes_that_may_not_go_share_the_room_there_is() -> None:
    sessions = make_sessions(NOWHERE, options=SessionOptions(all_bytes=2_500_000))
    sessions.observe("grandma", "user", "Remind me tomorrow at 10 am to call Bob.")
    for scope in ("anna", "bert"):
        fill(sessions, scope)
    assert sessions.size_bytes() > 2_500_000
    with pytest.raises(Full):
        sessions.observe("new", "user", "Hello.")
    with pytest.raises(Full):
        sessions.observe("bert", "user", "Remind me tomorrow at 10 am to call Tom.")
    sessions.observe("grandma", "user", "Remind me tomorrow at 11 am to call Tom.")
    assert isinstance((await events_of(sessions, ask("What time is it?", "grandma")))[-1], Final)
    assert len(sessions.peek("grandma").pending()) == 2
    sessions.end("anna")
    sessions.observe("new", "user", "Hello.")


async def test_only_recent_turns_can_be_explained() -> None:
    sessions = make_sessions(NOWHERE)
    turns = [sessions.observe("anna", "user", f"It rained on day {number}.").turn for number in range(TRACES_MOST + 1)]
    with pytest.raises(BadRequest, match="not kept"):
        sessions.trace("anna", turns[0])
    assert sessions.trace("anna", turns[1]).outcome.turn == turns[1]


async def test_what_the_alarm_does_is_no_use_of_a_scope() -> None:
    sessions = make_sessions(NOWHERE)
    sessions.observe("anna", "user", "Remind me tomorrow at 10 am to call Bob.")
    sessions.observe("bert", "user", "Hello.")
    sessions.carry_out("anna", "fire", "p1")
    assert sessions.scopes() == ("anna", "bert"), "the longest unused first"
    notice = Notice("anna", "p1", "due", "call Bob", "")
    assert sessions.stands(notice)
    assert not sessions.stands(replace(notice, text="call Tom"))
    assert not sessions.stands(replace(notice, scope="nobody"))
    sessions.carry_out("anna", "done", "p1")
    assert not sessions.stands(notice)
    with pytest.raises(UnknownScope):
        sessions.carry_out("nobody", "fire", "p1")


@pytest.mark.parametrize(
    ("said", "warning"),
    [
        ("Remind me tomorrow at 10 am to call Bob.", "no device is listening"),
        ("提醒我明天上午10点测血压", "没有设备在听"),
    ],
)
async def test_a_reminder_that_nobody_would_hear_is_told_to_be_one(said: str, warning: str) -> None:
    sessions = make_sessions(NOWHERE)
    sessions.listeners = lambda scope: int(scope == "anna")
    assert warning in sessions.observe("bert", "user", said).say
    final = (await events_of(sessions, ask(said, "carl")))[-1]
    assert isinstance(final, Final)
    assert warning in final.text
    assert warning not in sessions.observe("anna", "user", said).say
    assert warning not in sessions.observe("bert", "user", "What time is it?").say
