"""The doors as people use them: curl, mosquitto_pub, Home Assistant, chat clients that want titles."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from fakes.doors_house import BASE, Doors
from fakes.http_house import MODEL
from fakes.real_mosquitto import eventually

if TYPE_CHECKING:
    import httpx

pytestmark = [pytest.mark.broker, pytest.mark.asyncio(loop_scope="module")]


async def curl(doors: Doors, *arguments: str) -> str:
    """Run curl on the Unix socket, as the README writes it, and return what it printed."""
    command = ("curl", "-s", "--max-time", "20", "--unix-socket", str(doors.child.path), *arguments)
    running = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    told, _ = await running.communicate()
    return told.decode()


CURL = [
    (("http://x/memory/carl/say", "-d", '{"text": "My dog is called Biscuit."}'), '"event":"final"'),
    (("http://x/memory/carl/observe", "-d", '{"text": "bedroom light on", "speaker": "event"}'), '"turn":3'),
    (("http://x/memory/carl/context?query=What+is+my+dog+called",), "Biscuit"),
    (("http://x/memory/carl",), "bedroom light on"),
    (("http://x/memory/carl/turns/1",), '"outcome"'),
    (("http://x/memory/carl/pending", "-d", '{"op": "add", "text": "buy milk"}'), '"id":"p1"'),
    (("-X", "PATCH", "http://x/memory/carl/pending/p1", "-d", '{"op": "snooze", "for_s": 60}'), '"snoozed"'),
    (("http://x/memory/carl/pending",), "buy milk"),
    (("http://x/memory/carl/cancel", "-d", '{"id": "nobody"}'), '"cancelled":false'),
    (("http://x/memory/carl/forget", "-d", '{"what": "entity", "key": "Biscuit"}'), '"forgot"'),
    (("-X", "POST", "http://x/memory/carl/end"), '"ended":true'),
    (("http://x/health",), '"status":"ok"'),
    (("http://x/metrics",), "claudemem_turns_total"),
    (("http://x/",), "Ollama is running"),
]


async def test_every_line_of_the_memory_api_works_with_curl(doors: Doors) -> None:
    for arguments, expected in CURL:
        assert expected in await curl(doors, *arguments), arguments


MQTT = [
    ("chat/olga/request", '{"id": "r-1", "text": "What is my dog called?"}', "chat/olga/reply"),
    ("chat/olga/request", "hello there", "chat/olga/reply"),
    ("chat/olga/request", "提醒我明天上午10点测血压", "chat/olga/reply"),
    ("chat/olga/cancel", '{"id": "r-9"}', "chat/olga/cancelled"),
    ("memory/olga/observe", '{"text": "bedroom light on", "speaker": "event"}', "memory/olga/observed"),
    ("memory/olga/observe", "the kettle is hot", "memory/olga/observed"),
    ("memory/olga/context", '{"query": "What is on?", "limit_chars": 100}', "memory/olga/context/result"),
    ("memory/olga/get", "{}", "memory/olga/state"),
    ("pending/olga/set", '{"op": "snooze", "id": "p1", "for_s": 60}', "pending/olga/result"),
    ("pending/olga/set", '{"op": "done", "id": "p1"}', "pending/olga/result"),
    ("pending/olga/set", '{"op": "add", "text": "walk", "due": "2090-01-01T10:00:00+08:00"}', "pending/olga/result"),
    ("memory/olga/forget", '{"what": "last"}', "memory/olga/forgotten"),
    ("memory/olga/forget", '{"what": "all", "confirm": true}', "memory/olga/forgotten"),
]


async def test_every_topic_works_with_mosquitto_pub(doors: Doors) -> None:
    for path, payload, answer in MQTT:
        before = len(doors.heard.on(f"{BASE}/{answer}"))
        arguments = ("-t", f"{BASE}/{path}", "-m", payload)
        await asyncio.to_thread(doors.broker.run, "mosquitto_pub", *arguments)
        topic = f"{BASE}/{answer}"
        await eventually(lambda topic=topic, seen=before: len(doors.heard.on(topic)) > seen)  # type: ignore[misc]
        replies = doors.heard.on(topic)
        assert json.loads(replies[before])["ok"], path


async def first_due(client: httpx.AsyncClient, accept: str) -> str:
    """Listen for events until one is due, and return its line."""
    async with client.stream("GET", "/memory/dora/events", headers={"Accept": accept}) as reply:
        async for line in reply.aiter_lines():
            if '"event":"due"' in line:
                return line
    return ""


async def test_a_reminder_made_over_mqtt_is_heard_at_every_door(doors: Doors) -> None:
    async with asyncio.TaskGroup() as listening:
        plain = listening.create_task(first_due(doors.unix, "application/json"))
        pushed = listening.create_task(first_due(doors.tcp, "text/event-stream"))
        reply = await doors.request("chat/dora/request", b"Remind me in 2 seconds to stretch.", "chat/dora/reply")
        told = await doors.heard.until(lambda one: one.topic.value == f"{BASE}/event/dora/due")
    assert "stretch" in reply["text"]
    due = json.loads(told.payload)
    assert (due["event_type"], due["text"], due["repeat"], told.retain) == ("due", "stretch", 0, False)
    assert json.loads(plain.result())["text"] == "stretch"
    assert json.loads(pushed.result().removeprefix("data: "))["text"] == "stretch"


async def test_what_home_assistant_sends_is_passed_on_and_its_newest_words_learned(doors: Doors) -> None:
    call = {"function": {"name": "HassTurnOn", "arguments": {"name": "lamp"}}}
    off = {"name": "HassTurnOff", "description": "off", "parameters": {"type": "object", "properties": {}}}
    body: dict[str, Any] = {
        "model": MODEL,
        "messages": [
            {"role": "system", "content": "You are a voice assistant.\nCurrent time is 14:03:07."},
            {"role": "tool", "content": "an orphan"},
            {"role": "user", "content": "turn on the lamp", "images": []},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "content": '{"success": true}'},
            {"role": "assistant", "content": "Done."},
            {"role": "user", "content": "turn it off again"},
        ],
        "tools": [{"type": "function", "function": off}],
        "keep_alive": "-1s",
        "options": {"num_ctx": 8192.0},
        "think": False,
        "stream": True,
    }
    for system in (body["messages"][0], {"role": "system", "content": "Current time is 14:03:09."}):
        body["messages"][0] = system
        reply = await doors.tcp.post("/u/home/api/chat", json=body)
        assert json.loads(reply.text.splitlines()[-1])["done"]
        sent = doors.fake.asked[-1].json
        assert {**sent, "messages": sent["messages"][:-1]} == {**body, "messages": body["messages"][:-1]}
        assert sent["messages"][-1]["content"].endswith("turn it off again")
    said = await doors.statements("home")
    assert said.count("turn it off again") == 1, "the clock in a system prompt makes no new question"
    assert "turn on the lamp" not in said


HISTORY = "### Chat History:\n<chat_history>\nUSER: hi\nASSISTANT: hello\n</chat_history>"
CHORES = (
    f"### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n{HISTORY}",
    f"### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat history.\n{HISTORY}",
)


@pytest.mark.parametrize("chore", CHORES, ids=["title", "tags"])
async def test_a_chore_is_nobodys_words(doors: Doors, chore: str) -> None:
    body = json.dumps({"model": MODEL, "messages": [{"role": "user", "content": chore}], "stream": False}).encode()
    reply = await doors.unix.post("/u/chores/api/chat", content=body)
    assert reply.status_code == 200
    assert doors.fake.asked[-1].body == body
    assert (await doors.unix.get("/memory/chores")).status_code == 404
