"""An exception that quotes what was said, in each handler of the daemon: one typed error, and no word in the log.

Faults are put in from outside: the daemon of this file fails wherever BREAKING is named, and in turns that hold LATE.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from fakes.doors_house import BASE, Doors, open_doors
from fakes.http_house import MODEL
from fakes.real_mosquitto import eventually

from claudemem_edge.transport.events_routes import EventsRoutes
from claudemem_edge.transport.memory_routes import MemoryRoutes
from claudemem_edge.transport.mqtt_topics import REPLY_TO
from claudemem_edge.transport.ollama_routes import OllamaRoutes
from claudemem_edge.transport.operations import EVENT_OPERATIONS, MEMORY_OPERATIONS, routes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

pytestmark = [pytest.mark.broker, pytest.mark.asyncio(loop_scope="module")]
WORD = "zanzibarix"
BREAKING, LATE = "breakage", "belated"
PROGRAM = f"""
import runpy
from claudemem_edge import alarm
from claudemem_edge.model.client import ModelClient
from claudemem_edge.notices import Notices
from claudemem_edge.sessions import Sessions
from claudemem_edge.transport.health import Health
from claudemem_edge.transport.mqtt_link import MqttLink
alarm.AFTER_FAILURE_S = 0.05
faults = []

def breaks(part, word, *names):
    for name in names:
        real = getattr(part, name)
        def call(self, *given, real=real, **named):
            if word in repr((given, named)):
                raise RuntimeError("{WORD} " + repr((given, named)))
            return real(self, *given, **named)
        setattr(part, name, call)

def breaks_once(part, *names):
    for name in names:
        real = getattr(part, name)
        def call(self, *given, real=real, name=name, **named):
            if name not in faults:
                faults.append(name)
                raise RuntimeError("{WORD} " + repr((self, given, named)))
            return real(self, *given, **named)
        setattr(part, name, call)

breaks(Sessions, "{BREAKING}", "observe", "context", "command", "peek", "memory", "trace", "turn", "cancel", "end")
breaks(ModelClient, "{BREAKING}", "relay")
breaks(ModelClient, "{LATE}", "stream")
breaks(Notices, "{BREAKING}", "subscribe")
breaks_once(Sessions, "sweep", "carry_out", "stands")
breaks_once(Health, "report", "metrics")
breaks_once(MqttLink, "_look_at")
runpy.run_module("claudemem_edge", run_name="__main__")
"""
ROUTES = [
    ("GET", f"/memory/{BREAKING}", None),
    ("POST", f"/memory/{BREAKING}/say", {"text": WORD}),
    ("POST", f"/memory/{BREAKING}/cancel", {"id": "r-1"}),
    ("POST", f"/memory/{BREAKING}/observe", {"text": WORD}),
    ("POST", f"/memory/{BREAKING}/forget", {"what": "entity", "key": WORD}),
    ("POST", f"/memory/{BREAKING}/end", None),
    ("GET", f"/memory/{BREAKING}/context?query={WORD}", None),
    ("GET", f"/memory/{BREAKING}/digest", None),
    ("GET", f"/memory/{BREAKING}/turns/1", None),
    ("GET", f"/memory/{BREAKING}/events", None),
    ("GET", f"/memory/{BREAKING}/pending", None),
    ("POST", f"/memory/{BREAKING}/pending", {"text": WORD}),
    ("PATCH", f"/memory/{BREAKING}/pending/p1", {"op": "done"}),
    ("GET", "/metrics", None),
    ("POST", f"/u/{BREAKING}/api/chat", {"model": MODEL, "messages": [{"role": "user", "content": WORD}]}),
    ("POST", f"/u/{BREAKING}/api/generate", {"model": MODEL, "prompt": WORD}),
    ("POST", f"/u/{BREAKING}/v1/chat/completions", {"model": MODEL, "messages": [{"role": "user", "content": WORD}]}),
    ("POST", "/api/show", {"model": f"{BREAKING} {WORD}"}),
    ("POST", "/api/embed", {"model": MODEL, "input": f"{BREAKING} {WORD}"}),
    ("GET", f"/v1/models/{BREAKING}{WORD}", None),
]
FIELDS: dict[str, dict[str, Any]] = {
    "chat/request": {"text": WORD},
    "chat/cancel": {"id": "r-1"},
    "memory/get": {},
    "memory/observe": {"text": WORD},
    "memory/context": {"query": WORD},
    "memory/forget": {"what": "entity", "key": WORD},
    "pending/set": {"op": "add", "text": WORD},
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def doors(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Doors]:
    folder = tmp_path_factory.mktemp("doors")
    async with open_doors(
        folder, program=("-c", PROGRAM), CLAUDEMEM_LOG__LEVEL="debug", CLAUDEMEM_LOG__ACCESS="true"
    ) as opened:
        yield opened


@pytest.mark.parametrize(("method", "path", "body"), ROUTES, ids=[f"{row[0]} {row[1]}" for row in ROUTES])
async def test_a_route_that_fails_inside(doors: Doors, method: str, path: str, body: dict[str, Any] | None) -> None:
    reply = await doors.unix.request(method, path, json=body)
    assert reply.status_code == 500
    assert "went wrong inside" in reply.text
    assert WORD not in reply.text


async def test_each_route_is_among_them() -> None:
    """Each that is about a scope, or about a model: no other can meet anybody's words."""
    nobody: Any = None
    ours = routes(MEMORY_OPERATIONS, MemoryRoutes) + routes(EVENT_OPERATIONS, EventsRoutes)
    ours += OllamaRoutes(nobody, nobody, relay_admin=False, note_error=print).routes()
    paths = [(method, path.removeprefix(f"/u/{BREAKING}").partition("?")[0]) for method, path, _ in ROUTES]
    handlers = {
        one.endpoint.__name__ for one in ours if "{scope}" in one.path or one.path.startswith(("/api/", "/v1/"))
    }
    tried = {
        one.endpoint.__name__
        for one in ours
        for method, path in paths
        if one.path_regex.match(path) and method in (one.methods or ())
    }
    assert handlers <= tried


@pytest.mark.parametrize("levels", REPLY_TO, ids="/".join)
async def test_a_topic_that_fails_inside(doors: Doors, levels: tuple[str, str]) -> None:
    first, last = levels
    answer = f"{first}/{BREAKING}/{REPLY_TO[levels]}"
    reply = await doors.request(f"{first}/{BREAKING}/{last}", FIELDS[f"{first}/{last}"], answer)
    assert reply["error"]["code"] == "internal"
    assert WORD not in json.dumps(reply)


async def test_a_turn_that_fails_inside(doors: Doors) -> None:
    ending = await doors.say(f"My {LATE} {WORD}", "anna")
    assert ending["error"]["code"] == "internal"
    assert WORD not in json.dumps(ending)


async def test_the_alarm_fails_inside_and_goes_on(doors: Doors) -> None:
    await doors.say(f"Remind me in 1 second to feed {WORD}", "anna")
    await doors.heard.until(lambda one: one.topic.value == f"{BASE}/event/anna/due")


async def test_nothing_of_all_this_is_in_the_log(doors: Doors) -> None:
    """The last of this file: it ends the daemon."""
    await eventually(lambda: f"{BASE}/health" in {one.topic.value for one in doors.heard.messages})
    doors.child.process.terminate()
    status, logged = doors.child.ends()
    assert status == 0
    for part in ("a request", "the alarm", "turn 1"):
        assert f"{part} failed inside: RuntimeError" in logged
    assert "health could not be told: RuntimeError" in logged
    assert "no MQTT broker: RuntimeError" in logged
    assert WORD not in logged
    assert "Traceback" not in logged
