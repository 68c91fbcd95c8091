"""Nobody hears a word of anybody else, nor that there is anybody: at once, with a token, or under the same name."""

from __future__ import annotations

import asyncio
import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from fakes.doors_house import Doors, open_doors
from fakes.fake_ollama import FakeOllama
from fakes.http_house import MODEL

from claudemem_edge.transport.operations import EVENT_OPERATIONS, MEMORY_OPERATIONS, STATUS_OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import httpx
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


TOKENS = '{ "key-of-bert" = ["bert"], "key-of-kiosk" = ["visit-*"] }'
BERT = {"Authorization": "Bearer key-of-bert"}
KIOSK = {"Authorization": "Bearer key-of-kiosk"}
NOBODY: dict[str, str] = {}
SOMEBODY, WORD = "zephyrine", "quincetart"
BODIES: dict[str, dict[str, Any]] = {
    "say": {"text": "Hello you."},
    "observe": {"text": "Hello you."},
    "cancel": {"id": "r-1"},
    "forget": {"what": "last"},
    "add_pending": {"text": "buy milk"},
    "change_pending": {"op": "done"},
}


def requests_about(scope: str) -> Iterator[tuple[str, str, dict[str, Any] | None]]:
    """Give every request there is about a scope: method, path, body."""
    for one in (*MEMORY_OPERATIONS, *EVENT_OPERATIONS):
        path = one.path.format(scope=scope, turn=1, id="p1")
        yield one.method, path + ("?query=who" if one.name == "context" else ""), BODIES.get(one.name)
    hello = {"model": MODEL, "messages": [{"role": "user", "content": "Hello you."}]}
    yield "POST", f"/u/{scope}/api/chat", hello
    yield "POST", f"/u/{scope}/v1/chat/completions", hello
    yield "POST", f"/u/{scope}/api/generate", {"model": MODEL, "prompt": "Hello you."}


def told(reply: httpx.Response) -> str:
    """Return all that an answer says."""
    return f"{reply.status_code} {reply.headers.multi_items()} {reply.text}"


async def test_to_others_a_memory_that_is_there_is_like_one_that_is_not(tmp_path: Path) -> None:
    async with open_doors(tmp_path, CLAUDEMEM_HTTP__TOKENS=TOKENS) as doors:
        await doors.say(f"Remind me tomorrow at 10 am to eat {WORD}.", SOMEBODY)
        before = (await doors.statements(SOMEBODY), (await doors.unix.get(f"/memory/{SOMEBODY}/pending")).text)
        ways = ((doors.tcp, NOBODY, 401), (doors.tcp, BERT, 403), (doors.unix, BERT, 403), (doors.tcp, KIOSK, 403))
        for client, headers, status in ways:
            for there, absent in zip(requests_about(SOMEBODY), requests_about("nobody"), strict=True):
                found = [await client.request(*one[:2], json=one[2], headers=headers) for one in (there, absent)]
                assert [reply.status_code for reply in found] == [status, status]
                assert told(found[0]) == told(found[1])
        after = (await doors.statements(SOMEBODY), (await doors.unix.get(f"/memory/{SOMEBODY}/pending")).text)
        assert after == before
        health = (await doors.unix.get("/health")).json()
        assert health["scopes"] == 1


@pytest.mark.parametrize("tokens", [TOKENS, ""])
async def test_no_route_lists_others(tmp_path: Path, tokens: str) -> None:
    headers = BERT if tokens else NOBODY
    async with open_doors(tmp_path, CLAUDEMEM_HTTP__TOKENS=tokens) as doors:
        await doors.say(f"Remind me tomorrow at 10 am to eat {WORD}.", SOMEBODY)
        own = [one for one in requests_about("bert") if not one[1].endswith("/events")]
        common = [("GET", one.path, None) for one in STATUS_OPERATIONS]
        guesses = [
            "/memory",
            "/memory/",
            "/scopes",
            "/memory/*",
            "/memory/*/events",
            "/memory/%2A",
            "/u",
            "/u/",
            "/events",
        ]
        asked = [*own, *common, *(("GET", path, None) for path in (*guesses, "/", "/api/ps", "/v1/models"))]
        clients = (doors.tcp, doors.unix) if tokens else (doors.tcp,)
        for client in clients:
            for method, path, body in asked:
                reply = await client.request(method, path, json=body, headers=headers)
                assert SOMEBODY not in told(reply)
                assert WORD not in told(reply)
                if path in guesses:
                    assert reply.status_code in {403, 404}


async def test_nothing_of_a_visit_reaches_the_next_under_its_name(tmp_path: Path) -> None:
    async def chat(doors: Doors) -> str:
        """Ask what an Ollama client asks, with the same bytes each time, and return what the model is sent."""
        body = {"model": MODEL, "messages": [{"role": "user", "content": "What do I eat?"}]}
        await doors.tcp.post("/u/visit-1/api/chat", json=body)
        return doors.fake.asked[-1].body.decode()

    async with open_doors(tmp_path, CLAUDEMEM_HTTP__TOKENS=TOKENS) as doors:
        doors.tcp.headers.update(KIOSK)
        visit = "/memory/visit-1"
        await doors.tcp.post(f"{visit}/say", json={"text": f"I eat {WORD}."})
        await doors.tcp.post(f"{visit}/pending", json={"text": f"buy {WORD}"})
        assert WORD in await chat(doors), "or this test would prove nothing"
        asked = len(doors.fake.asked)
        doors.fake.next("gated")
        async with doors.tcp.stream("GET", f"{visit}/events") as listening:
            events = listening.aiter_lines()
            await anext(events)
            turn = asyncio.create_task(doors.tcp.post(f"{visit}/say", json={"text": "Tell me a story."}))
            await doors.fake.wait_asked(asked + 1)
            answers = [(await doors.tcp.post(f"{visit}/end")).json()["ended"] for _ in range(2)]
            assert [json.loads(row) async for row in events] == [{"event": "ended", "scope": "visit-1"}]
        ending = json.loads((await turn).text.splitlines()[-1])
        assert (ending["event"], ending["reason"]) == ("cancelled", "ended")
        assert answers == [True, False]
        assert WORD not in await chat(doors)
        for path in ("", "/pending", "/turns/1", "/turns/2", "/context?query=What+do+I+eat%3F"):
            assert WORD not in (await doors.tcp.get(visit + path)).text
