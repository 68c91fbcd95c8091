"""Two people talk at once, through HTTP and MQTT, some turns broken off: neither ever hears a word of the other's."""

from __future__ import annotations

import asyncio
import json
import random
from typing import TYPE_CHECKING

import pytest
from fakes.doors_house import Doors, open_doors
from fakes.fake_ollama import FakeOllama
from fakes.http_house import MODEL

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.fake_ollama_wire import Recorded

pytestmark = pytest.mark.broker
WORDS = {"anna": "anchovytree", "bert": "basiliskrock", "visit-3": "cinnamonwell"}
SENTENCES = (
    "My dog is called {0}.",
    "Remind me tomorrow at 10 am to feed {0}.",
    "What is my dog called?",
    "Tell me more.",
    "What do you remember?",
    "Where did I put {0}?",
    "No, my dog is called {0}.",
    "Forget my last sentence.",
)


def repeat_the_question(request: Recorded) -> tuple[str, ...]:
    """Answer with what was asked, so that whatever leaks into one prompt is seen in the reply as well."""
    asked = request.json
    return (str(asked.get("prompt") or asked["messages"][-1]["content"])[:300],)


async def by_say(doors: Doors, scope: str, text: str) -> str:
    return (await doors.unix.post(f"/memory/{scope}/say", json={"text": text})).text


async def by_chat(doors: Doors, scope: str, text: str) -> str:
    body = {"model": MODEL, "messages": [{"role": "user", "content": text}]}
    return (await doors.tcp.post(f"/u/{scope}/api/chat", json=body)).text


async def by_mqtt(doors: Doors, scope: str, text: str) -> str:
    await doors.publish(f"chat/{scope}/request", {"text": text})
    return ""


async def left_early(doors: Doors, scope: str, text: str) -> str:
    async with doors.unix.stream("POST", f"/memory/{scope}/say", json={"text": text}) as reply:
        return await anext(reply.aiter_text())


async def cancelled(doors: Doors, scope: str, text: str) -> str:
    await doors.publish(f"chat/{scope}/request", {"id": "same", "text": text})
    await doors.publish(f"chat/{scope}/cancel", {"id": "same"})
    return ""


WAYS = (by_say, by_chat, by_mqtt, left_early, cancelled)


def others(scope: str, told: str) -> list[str]:
    """Return the words in a text that belong to somebody else."""
    return [word for owner, word in WORDS.items() if owner != scope and word in told.lower()]


@pytest.mark.parametrize("seed", range(3))
async def test_nobody_hears_a_word_of_anybody_else(tmp_path: Path, seed: int) -> None:
    order = random.Random(seed)
    async with open_doors(tmp_path, fake=FakeOllama(pieces=repeat_the_question)) as doors:

        async def talk(scope: str, steps: list[tuple[int, str]]) -> None:
            for way, sentence in steps:
                told = await WAYS[way](doors, scope, sentence.format(WORDS[scope].title()))
                assert others(scope, told) == []

        async with asyncio.TaskGroup() as people:
            for scope in WORDS:
                steps = [(order.randrange(len(WAYS)), order.choice(SENTENCES)) for _ in range(20)]
                people.create_task(talk(scope, steps))
                people.create_task(talk(scope, [(0, SENTENCES[0]), *steps[::-1]]))
        await doors.until_health(lambda health: health["queue"] == 0)
        for scope, word in WORDS.items():
            asked = await doors.request(f"memory/{scope}/get", {}, f"memory/{scope}/state")
            block = await doors.unix.get(f"/memory/{scope}/context", params={"query": "What is my dog called?"})
            everything = json.dumps(asked) + block.text + await doors.view(scope)
            assert word in everything.lower(), "or this test would prove nothing"
            assert others(scope, everything) == []
            messages = [one for one in doors.heard.messages if f"/{scope}/" in f"{one.topic}"]
            assert others(scope, "".join(one.payload.decode() for one in messages)) == []
        for request in doors.fake.asked:
            assert sum(word in request.body.decode().lower() for word in WORDS.values()) <= 1
        health = (await doors.unix.get("/health")).json()
        assert "internal" not in health["errors"]
