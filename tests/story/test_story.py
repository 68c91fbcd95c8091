"""The family doctor's conversation, through the library and through the daemon with a model behind it."""

from __future__ import annotations

import tomllib
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fakes.fake_ollama import FakeOllama
from fakes.house import ask, events_of, make_sessions

from claudemem_edge import Memory
from claudemem_edge.shapes.turn import Final

STORIES = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in Path(__file__).parent.glob("*.toml")}


@pytest.fixture(params=sorted(STORIES))
def story(request: pytest.FixtureRequest) -> dict[str, Any]:
    return STORIES[request.param]


def stands(wanted: str, text: str) -> bool:
    """Tell whether one of the alternatives, divided by |, stands in a text."""
    return any(one in text for one in wanted.split("|"))


def check(memory: Memory, turn: dict[str, Any], now: datetime, said: str) -> None:
    view = memory.view(at=now)
    claims = [f"{one['subject']} {one['predicate']} {one['object']}" for one in view["claims"] if one["open"]]
    for wanted in turn.get("claims", []):
        assert any(held.startswith(wanted) for held in claims), f"{wanted!r} is not among {claims}"
    items = [f"{one['text']} {one['due']} {one['state']}" for one in view["items"]]
    for wanted in turn.get("items", []):
        assert wanted in items
    for wanted in turn.get("statements", []):
        assert any(wanted in one["text"] for one in view["statements"])
    for wanted in turn.get("reply", []):
        assert wanted in said
    block = str(memory.context(turn["say"], now=now))
    assert len(block) <= 220
    for wanted in turn.get("block", []):
        assert stands(wanted, block), block


def test_the_memory_after_each_turn(story: dict[str, Any]) -> None:
    memory = Memory()
    now = datetime.fromisoformat(story["started"])
    for turn in story["turn"]:
        now += timedelta(seconds=30)
        outcome = memory.observe("user", turn["say"], at=now)
        assert outcome.language == story["language"]
        check(memory, turn, now, outcome.say)
    for sentence in story["meanwhile"]["say"]:
        now += timedelta(minutes=3)
        outcome = memory.observe("user", sentence, at=now)
        assert not outcome.say, f"{sentence!r} is plain talk"
    for question in story["question"]:
        now += timedelta(minutes=1)
        outcome = memory.observe("user", question["say"], at=now)
        assert not outcome.complete or outcome.say
        check(memory, question, now, outcome.say)


async def test_what_the_model_is_given(story: dict[str, Any]) -> None:
    async with FakeOllama(pieces=("…",)) as fake:
        sessions = make_sessions(fake.url)
        said = [turn["say"] for turn in story["turn"]] + story["meanwhile"]["say"]
        for sentence in said:
            assert isinstance((await events_of(sessions, ask(sentence)))[-1], Final)
        for question in story["question"]:
            asked = len(fake.asked)
            final = (await events_of(sessions, ask(question["say"])))[-1]
            assert isinstance(final, Final)
            if len(fake.asked) == asked:  # we answered it ourselves
                assert all(stands(wanted, final.text) for wanted in question["block"])
                continue
            sent = "\n".join(message["content"] for message in fake.asked[-1].json["messages"])
            for wanted in question["block"]:
                assert stands(wanted, sent)
