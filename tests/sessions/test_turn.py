from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from fakes.fake_ollama import FakeOllama
from fakes.house import ask, events_of, make_sessions

from claudemem_edge.shapes.options import TurnOptions
from claudemem_edge.shapes.turn import ENDINGS, Accepted, Cancelled, Delta, Failed, Final, Said

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from claudemem_edge.sessions import Sessions
    from claudemem_edge.shapes.turn import TurnEvent

WORDS = "My cousin plays the oboe in Leeds."
REMINDER = "Remind me tomorrow at 10 am to measure my blood pressure. What does my cousin play?"
REPLY = "Your cousin plays the oboe."


def texts(sessions: Sessions, scope: str = "anna") -> list[tuple[str, str]]:
    return [(one["speaker"], one["text"]) for one in sessions.memory(scope).view()["statements"]]


def heard(sessions: Sessions, words: str) -> bool:
    return any(words in text for speaker, text in texts(sessions) if speaker == "user")


def answered(sessions: Sessions) -> bool:
    return any("oboe" in text for speaker, text in texts(sessions) if speaker == "assistant")


async def ending_final(sessions: Sessions, fake: FakeOllama) -> TurnEvent:
    return (await events_of(sessions, ask(REMINDER)))[-1]


async def ending_failed(sessions: Sessions, fake: FakeOllama) -> TurnEvent:
    fake.next("reset", after=2)
    return (await events_of(sessions, ask(REMINDER)))[-1]


async def ending_cancelled(sessions: Sessions, fake: FakeOllama) -> TurnEvent:
    fake.next("gated")
    one = ask(REMINDER)
    seen = asyncio.create_task(_last(sessions.turn(one)))
    await fake.wait_asked(2)  # WORDS was the first
    assert sessions.cancel("anna", one.id)
    await fake.wait_closed()
    return await seen


async def ending_superseded(sessions: Sessions, fake: FakeOllama) -> TurnEvent:
    fake.next("gated")
    seen = asyncio.create_task(_last(sessions.turn(ask(REMINDER))))
    await fake.wait_asked(2)
    fake.next("500")
    fake.next("500")
    await events_of(sessions, ask("Never mind the oboe.", supersede=True))
    return await seen


async def ending_busy(sessions: Sessions, fake: FakeOllama) -> TurnEvent:
    fake.next("gated")
    blocker = asyncio.create_task(_last(sessions.turn(ask("Hello there.", "bert"))))
    await fake.wait_asked(2)
    ending = (await events_of(sessions, ask(REMINDER)))[-1]
    fake.release(9)
    await blocker
    return ending


async def _last(turn: AsyncIterator[TurnEvent]) -> TurnEvent:
    return [event async for event in turn][-1]


@pytest.mark.parametrize(
    ("way", "ending", "code", "assistant_kept"),
    [
        (ending_final, Final, "", True),
        (ending_failed, Failed, "backend_unreachable", False),
        (ending_cancelled, Cancelled, "client", False),
        (ending_superseded, Cancelled, "superseded", False),
        (ending_busy, Failed, "busy", False),
    ],
    ids=["final", "failed", "cancelled", "superseded", "busy"],
)
async def test_what_a_turn_leaves_behind(
    fake: FakeOllama, way: object, ending: type[TurnEvent], code: str, assistant_kept: object
) -> None:
    sessions = make_sessions(fake.url, turn_options=TurnOptions(queue_per_model=0))
    await events_of(sessions, ask(WORDS))
    sessions.memory("anna").command("forget_last", at=sessions.now())
    assert callable(way)
    event = await way(sessions, fake)
    assert isinstance(event, ending)
    assert code in {getattr(event, "code", ""), getattr(event, "reason", "")}
    assert heard(sessions, "blood pressure"), "the user's words stay learned"
    assert [item.text for item in sessions.memory("anna").pending()] == ["measure my blood pressure"]
    assert answered(sessions) is assistant_kept
    if isinstance(event, Failed):
        assert event.heard
        assert event.text


async def test_events_come_in_order_with_one_ending(fake: FakeOllama) -> None:
    sessions = make_sessions(fake.url)
    events = await events_of(sessions, ask(WORDS))
    assert isinstance(events[0], Accepted)
    assert [one.seq for one in events if isinstance(one, Delta)] == [0, 1, 2]
    assert [type(one) for one in events if isinstance(one, ENDINGS)] == [Final]
    assert isinstance(events[-1], Final)
    assert events[-1].text == REPLY


async def test_words_are_learned_before_anybody_reads_the_events(fake: FakeOllama) -> None:
    sessions = make_sessions(fake.url)
    turn = sessions.turn(ask(WORDS))
    assert heard(sessions, "oboe")
    await turn.aclose()


async def test_a_command_is_answered_without_a_model(fake: FakeOllama) -> None:
    sessions = make_sessions(fake.url)
    events = await events_of(sessions, ask("提醒我明天上午10点测血压"))
    assert [type(one) for one in events] == [Accepted, Said, Final]
    assert not fake.asked
    assert "10" in str(events[-1])


async def test_the_block_stands_in_the_last_user_message_and_the_system_prompt_never_changes(fake: FakeOllama) -> None:
    sessions = make_sessions(fake.url)
    for text in (WORDS, "It rained all day.", "Which instrument does my cousin play?"):
        await events_of(sessions, ask(text))
    bodies = [request.json["messages"] for request in fake.asked]
    assert len({body[0]["content"] for body in bodies}) == 1
    assert bodies[-1][-1]["role"] == "user"
    assert "Which instrument does my cousin play?" in bodies[-1][-1]["content"]
    everything = "".join(message["content"] for message in bodies[-1])
    assert "oboe" in everything


async def test_a_forget_during_the_stream_keeps_the_reply_out(fake: FakeOllama) -> None:
    sessions = make_sessions(fake.url)
    fake.next("gated")
    seen = asyncio.create_task(_last(sessions.turn(ask(WORDS))))
    await fake.wait_asked()
    sessions.command("anna", "forget_all", "confirmed")
    ending = await seen
    assert isinstance(ending, Cancelled)
    assert ending.reason == "forgotten"
    await fake.wait_closed()
    assert texts(sessions) == []


async def test_a_correction_during_the_stream_keeps_the_reply_out_of_the_history(fake: FakeOllama) -> None:
    sessions = make_sessions(fake.url)
    sessions.observe("anna", "user", "My dog is called Biscuit.")
    fake.next("gated", pieces=("Your dog is called Biscuit.",))
    seen = asyncio.create_task(_last(sessions.turn(ask("What is my dog called?"))))
    await fake.wait_asked()
    fake.next("normal")
    corrected = asyncio.create_task(_last(sessions.turn(ask("No, my dog is called Rex. Is it a good name?"))))
    await asyncio.sleep(0)
    fake.release(9)
    assert isinstance(await seen, Final)
    await corrected
    fake.next("normal")
    await events_of(sessions, ask("And what does my cousin play?"))
    assert "Biscuit" not in fake.asked[-1].text


async def test_turns_of_one_scope_wait_for_one_another(fake: FakeOllama) -> None:
    sessions = make_sessions(fake.url)
    fake.next("gated")
    first = asyncio.create_task(_last(sessions.turn(ask("Hello there."))))
    await fake.wait_asked()
    second = asyncio.create_task(_last(sessions.turn(ask("Are you well?"))))
    await asyncio.sleep(0.05)
    assert len(fake.asked) == 1
    fake.release(9)
    assert isinstance(await first, Final)
    assert isinstance(await second, Final)
    assert len(fake.asked) == 2


@pytest.mark.parametrize("mode", ["stall", "endless"])
async def test_the_deadline_ends_a_turn(fake: FakeOllama, mode: str) -> None:
    sessions = make_sessions(fake.url)
    fake.next(mode)
    event = (await events_of(sessions, ask(WORDS, within_s=0.3)))[-1]
    assert isinstance(event, Failed)
    assert event.code == "timeout"
    await fake.wait_closed()


@pytest.mark.parametrize("mode", ["half_line", "error_line", "no_done", "500", "reset"])
async def test_a_broken_answer_is_never_a_final(fake: FakeOllama, mode: str) -> None:
    sessions = make_sessions(fake.url)
    fake.next(mode)
    if mode == "500":  # no word was heard: asked once more
        fake.next(mode)
    event = (await events_of(sessions, ask(WORDS)))[-1]
    assert isinstance(event, Failed)
    assert event.code == "backend_unreachable"
    assert not answered(sessions)
    assert isinstance((await events_of(sessions, ask("And now?")))[-1], Final)


async def test_a_client_that_leaves_closes_the_models_connection(fake: FakeOllama) -> None:
    sessions = make_sessions(fake.url)
    fake.next("gated")
    turn = sessions.turn(ask(WORDS))
    assert isinstance(await anext(turn), Accepted)
    await fake.wait_asked()
    await turn.aclose()
    await fake.wait_closed()
    assert heard(sessions, "oboe")


async def test_a_stuck_reader_loses_its_turn(fake: FakeOllama) -> None:
    sessions = make_sessions(fake.url, turn_options=TurnOptions(delta_queue=2, stuck_reader_s=0.1))
    fake.next("endless")
    turn = sessions.turn(ask(WORDS))
    await fake.wait_closed()
    event = [one async for one in turn][-1]
    assert isinstance(event, Failed)
    assert event.code == "timeout"


async def test_the_next_server_answers_when_the_first_breaks_off_before_a_word() -> None:
    async with FakeOllama() as first, FakeOllama(pieces=("Still ", "here.")) as second:
        sessions = make_sessions(first.url, second.url)
        await events_of(sessions, ask("Hello there."))
        await first.stop()
        final = (await events_of(sessions, ask("Are you there?")))[-1]
        assert isinstance(final, Final)
        assert final.text == "Still here."
