"""A word said at every door is in no log, file, number, retained message or other caller's error, and can be forgotten.

The daemon may write no file here at all: a limit of the system's forbids it.
"""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from fakes.doors_house import BASE, Doors, open_doors
from fakes.fake_ollama import FakeOllama
from fakes.http_house import MODEL
from fakes.real_mosquitto import Listener

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

pytestmark = pytest.mark.broker
WORD = "zanzibarix"
NAME = "Zanzibarix"
BREAKING = "breakage"
PROGRAM = f"""
import resource, runpy, signal
import claudemem_edge.memory as memory
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
read = memory.read
def broken(text, **rest):
    if "{BREAKING}" in text:
        raise RuntimeError(text)
    return read(text, **rest)
memory.read = broken
runpy.run_module("claudemem_edge", run_name="__main__")
"""
"""The daemon without a file to write to, and with a fault inside that quotes whoever meets it."""


@asynccontextmanager
async def quiet_doors(folder: Path) -> AsyncIterator[Doors]:
    fake = FakeOllama(pieces=("Ah, ", NAME, "."))
    async with open_doors(folder, program=("-c", PROGRAM), fake=fake, CLAUDEMEM_LOG__ACCESS="true") as doors:
        yield doors


def chat(text: str) -> dict[str, Any]:
    return {"model": MODEL, "messages": [{"role": "user", "content": text}], "stream": False}


async def say_it_everywhere(doors: Doors) -> None:
    """Say the word at each door, in each way in which it can be kept."""
    for text in (
        f"My dog is called {NAME}.",
        f"I live in {NAME}.",
        f"No, I live in Oslo, not in {NAME}.",
        f"Remind me in 1 second to feed {NAME}.",
        f"Remind me tomorrow at 10 am to brush {NAME}.",
        f"Who is {NAME}?",
    ):
        await doors.say(text, "anna")
    for speaker in ("event", "assistant", NAME):
        await doors.unix.post("/memory/anna/observe", json={"text": f"{NAME} barks", "speaker": speaker})
    await doors.tcp.post("/memory/anna/pending", json={"text": f"wash {NAME}"})
    for path in ("/u/anna/api/chat", "/u/anna/v1/chat/completions"):
        await doors.tcp.post(path, json=chat(f"{NAME} runs {path}"))
    await doors.unix.post("/u/anna/api/generate", json={"model": MODEL, "prompt": f"{NAME} sleeps", "stream": False})
    await doors.request("chat/anna/request", {"id": "m-1", "text": f"{NAME} swims"}, "chat/anna/reply")
    await doors.request("memory/anna/observe", {"id": "m-2", "text": f"{NAME} jumps"}, "memory/anna/observed")
    pending = {"op": "add", "id": "m-3", "text": f"walk {NAME}"}
    await doors.request("pending/anna/set", pending, "pending/anna/result")
    await doors.heard.until(lambda one: one.topic.value == f"{BASE}/event/anna/due")


async def fail_in_every_way(doors: Doors) -> str:
    """Say the word in turns that fail or are cancelled, in bad requests and where something breaks inside.

    Returns what was told of the requests that could not be read or carried out.
    """
    for mode in ("500", "reset", "no_done", "error_line", "bad_line", "not_json"):
        doors.fake.next(mode)
        await doors.say(f"{NAME} and {mode}", "anna")
        doors.fake.next(mode)
        await doors.tcp.post("/u/anna/api/chat", json={**chat(f"{NAME} with {mode}"), "stream": True})
    asked = len(doors.fake.asked)
    doors.fake.next("gated")
    await doors.publish("chat/anna/request", {"id": "c-1", "text": f"{NAME} is cancelled"})
    await doors.fake.wait_asked(asked + 1)
    await doors.request("chat/anna/cancel", {"id": "c-1"}, "chat/anna/cancelled")
    told = [
        await doors.unix.post("/memory/anna/say", content=f'{{"text": "{WORD}'.encode()),
        await doors.unix.post("/memory/anna/say", json={WORD: WORD, "text": WORD}),
        await doors.unix.post(f"/memory/{NAME}/say", json={"text": WORD}),
        await doors.tcp.post(f"/api/{WORD}", json={WORD: WORD}),
        await doors.tcp.post("/api/chat", content=WORD, headers={"Content-Type": "application/json"}),
        await doors.tcp.post("/memory/anna/observe", json={"text": f"{BREAKING} {WORD}"}),
        await doors.tcp.post("/u/anna/api/chat", json=chat(f"{BREAKING} {WORD}")),
        await doors.unix.post("/memory/anna/say", json={"text": f"{BREAKING} {WORD}"}),
        await doors.unix.get("/memory/anna/context", params={"query": f"{BREAKING} {WORD}"}),
    ]
    assert sum(reply.status_code == 500 for reply in told) == 4
    refused = [
        await doors.request("memory/anna/observe", f'{{"text": "{WORD}'.encode(), "memory/anna/observed"),
        await doors.request("memory/anna/observe", {"text": f"{BREAKING} {WORD}"}, "memory/anna/observed"),
        await doors.request("chat/anna/request", {"text": f"{BREAKING} {WORD}"}, "chat/anna/reply"),
    ]
    assert not any(reply["ok"] for reply in refused)
    return "".join(reply.text for reply in told) + json.dumps(refused)


async def retained(doors: Doors) -> str:
    """Return all that the broker stores."""
    async with Listener(doors.broker, "#") as late:
        await late.until(lambda one: one.topic.value == f"{BASE}/health")
        return "".join(f"{one.topic} {one.payload!r}" for one in late.messages if one.retain)


def written_in(folder: Path) -> str:
    """Return what the files of a folder hold, but for the broker's own log."""
    files = [one for one in folder.rglob("*") if one.is_file() and one.name != "mosquitto.log"]
    return "".join(one.read_text("utf-8", "replace") for one in files)


async def test_what_is_said_stays_in_memory_alone(tmp_path: Path) -> None:
    async with quiet_doors(tmp_path) as doors:
        await say_it_everywhere(doors)
        told = await fail_in_every_way(doors)
        assert await doors.view("anna") != ""
        assert WORD in (await doors.view("anna")).lower(), "or this test would prove nothing"
        for path in ("/health", "/metrics"):
            told += (await doors.unix.get(path)).text
        told += await retained(doors)
        other = await doors.unix.get("/memory/bert/context", params={"query": f"Who is {NAME}?"})
        told += other.text + await doors.view("bert")
        told += written_in(tmp_path)
        doors.child.process.terminate()
        status, logged = doors.child.ends()
    assert status == 0
    assert "failed inside" in logged
    assert "POST /memory/{scope}/say 200" in logged
    assert WORD not in logged.lower()
    assert "Traceback" not in logged
    assert WORD not in told.lower()


async def test_what_is_forgotten_is_nowhere(tmp_path: Path) -> None:
    async with quiet_doors(tmp_path) as doors:
        doors.fake.pieces = ("It is kept.",)
        await say_it_everywhere(doors)
        chats = [chat(f"{NAME} runs /u/anna/api/chat"), chat("What do you know?")]
        for body in chats:
            await doors.tcp.post("/u/anna/api/chat", json=body)
        assert WORD in doors.fake.asked[-1].body.decode().lower(), "or this test would prove nothing"
        forgotten = await doors.unix.post("/memory/anna/forget", json={"what": "entity", "key": NAME})
        assert forgotten.status_code == 200
        before = len(doors.heard.messages)
        found = {
            "view": await doors.view("anna"),
            "block": (await doors.unix.get("/memory/anna/context", params={"query": "Tell me of my dog"})).text,
            "pending": (await doors.unix.get("/memory/anna/pending")).text,
            "traces": "".join([(await doors.unix.get(f"/memory/anna/turns/{turn}")).text for turn in range(40)]),
        }
        for id_, path, answer in (
            ("m-1", "chat/anna/request", "chat/anna/reply"),
            ("m-2", "memory/anna/observe", "memory/anna/observed"),
            ("m-3", "pending/anna/set", "pending/anna/result"),
        ):
            fields = {"op": "add"} if id_ == "m-3" else {}
            found[id_] = json.dumps(await doors.request(path, {"id": id_, "text": "again", **fields}, answer))
        await doors.say("What is my dog called?", "anna")
        found["history"] = doors.fake.asked[-1].body.decode()
        await doors.tcp.post("/u/anna/api/chat", json=chats[1])
        found["repeat"] = doors.fake.asked[-1].body.decode()
        found["topics"] = "".join(repr(one.payload) for one in doors.heard.messages[before:])
    assert {where: text for where, text in found.items() if WORD in text.lower()} == {}


@pytest.mark.parametrize("order", ["forget all", "end"])
async def test_what_waits_for_a_broker_is_not_told_after_it_was_forgotten(tmp_path: Path, order: str) -> None:
    async with quiet_doors(tmp_path) as doors:
        doors.broker.kill()
        await doors.say(f"Remind me in 1 second to feed {NAME}.", "anna")
        await doors.until_health(lambda health: health["mqtt"]["waiting"] > 0)
        if order == "end":
            await doors.unix.post("/memory/anna/end")
        else:
            await doors.unix.post("/memory/anna/forget", json={"what": "all", "confirm": True})
        doors.broker.start()
        async with Listener(doors.broker, f"{BASE}/#") as late:
            await late.until(lambda one: one.topic.value == f"{BASE}/status" and one.payload == b"online")
            await late.client.publish(f"{BASE}/memory/bert/observe", "hello", qos=1)
            await late.until(lambda one: one.topic.value == f"{BASE}/memory/bert/observed")
            assert not any(WORD in one.payload.decode().lower() for one in late.messages)
