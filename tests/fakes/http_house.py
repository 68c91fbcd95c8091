"""A whole HTTP door over real sockets: real sessions and memories, and a fake Ollama behind them."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import httpx

from claudemem_edge.counters import Counters
from claudemem_edge.memory import Memory
from claudemem_edge.model.client import ModelClient
from claudemem_edge.notices import Notices
from claudemem_edge.sessions import Sessions
from claudemem_edge.shapes.options import HttpOptions, ModelOptions, SessionOptions, TurnOptions
from claudemem_edge.transport.health import Health
from claudemem_edge.transport.http import HttpDoor

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from fakes.fake_ollama import FakeOllama

PATIENCE_S = 20
MODEL = "llama3.2:1b"


@dataclass(slots=True)
class House:
    """The door with everything behind it."""

    door: HttpDoor
    sessions: Sessions
    notices: Notices
    fake: FakeOllama
    counters: Counters

    @property
    def socket(self) -> str:
        """Return the path of the Unix socket."""
        return self.door.addresses[0]

    @property
    def url(self) -> str:
        """Return the address on TCP."""
        return f"http://127.0.0.1:{self.door.tcp_port}"

    def client(self, *, tcp: bool = False, headers: dict[str, str] | None = None) -> httpx.AsyncClient:
        """Return an HTTP client over the Unix socket, or over TCP."""
        transport = httpx.AsyncHTTPTransport(uds=None if tcp else self.socket)
        base = self.url if tcp else "http://daemon"
        return httpx.AsyncClient(
            transport=transport, base_url=base, headers=headers, timeout=PATIENCE_S, trust_env=False
        )

    async def say(self, text: str, scope: str = "default") -> list[dict[str, Any]]:
        """Say something and return the events of the turn."""
        async with self.client() as client:
            reply = await client.post(f"/memory/{scope}/say", json={"text": text})
        return [json.loads(line) for line in reply.text.splitlines()]

    def said(self, speaker: str, scope: str = "default") -> list[str]:
        """Return the statements that a speaker left in a scope, without their last marks."""
        if scope not in self.sessions.scopes():
            return []
        view = self.sessions.peek(scope).view(at=self.sessions.now())
        return [plain(row["text"]) for row in view["statements"] if row["speaker"] == speaker]


@contextlib.asynccontextmanager
async def open_house(
    folder: Path,
    fake: FakeOllama,
    *,
    turn: TurnOptions | None = None,
    session: SessionOptions | None = None,
    **options: Any,
) -> AsyncIterator[House]:
    """Open a door whose socket lies in `folder`; `options` are those of HttpOptions."""
    turn_options = turn or TurnOptions(stop_grace_s=0.1)
    model = ModelClient(ModelOptions(urls=(fake.url,)))
    zone = ZoneInfo("Asia/Shanghai")
    kept = session or SessionOptions()
    sessions = Sessions(model, new_memory=Memory, options=kept, turn_options=turn_options, zone=zone)
    notices = Notices()
    http_options = replace(HttpOptions(socket=str(folder / "api.sock"), tcp_port=0), **options)
    counters = Counters()
    health = Health(sessions, model, counters)
    door = HttpDoor(http_options, sessions, notices, model, health, deadline_s=turn_options.deadline_s)
    try:
        await door.start()
        yield House(door, sessions, notices, fake, counters)
    finally:
        await sessions.stop()
        notices.close()
        await door.stop()
        await model.aclose()


def plain(text: str) -> str:
    """Return a text as `House.said` gives it."""
    return text.rstrip(".?")


def user(text: str) -> dict[str, Any]:
    """Return a message of the user."""
    return {"role": "user", "content": text}


def chat(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a request to /api/chat."""
    return {"model": MODEL, "messages": messages, **more}


def rows(reply: httpx.Response) -> list[dict[str, Any]]:
    """Return the lines of an answer."""
    return [json.loads(line) for line in reply.text.splitlines()]
