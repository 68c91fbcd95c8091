"""A whole daemon as its own process, with every door open: a broker, a fake Ollama, and clients in front of them."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx
from fakes.child_daemon import PROGRAM, WAIT_S, Child
from fakes.fake_ollama import FakeOllama
from fakes.real_mosquitto import Broker, Listener, eventually, free_port

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path

BASE = "claudemem/home"


@dataclass
class Doors:
    """Clients of one daemon: HTTP on its Unix socket and on TCP, and somebody at the broker who hears all topics."""

    child: Child
    broker: Broker
    fake: FakeOllama
    unix: httpx.AsyncClient
    tcp: httpx.AsyncClient
    heard: Listener
    url: str

    async def publish(self, path: str, payload: bytes | dict[str, Any]) -> None:
        data = json.dumps(payload) if isinstance(payload, dict) else payload
        await self.heard.client.publish(f"{BASE}/{path}", data, qos=1)

    async def request(self, path: str, payload: bytes | dict[str, Any], answer: str) -> dict[str, Any]:
        """Publish a request and return the next message on the topic of its answer."""
        topic = f"{BASE}/{answer}"
        before = len(self.heard.on(topic))
        await self.publish(path, payload)
        await eventually(lambda: len(self.heard.on(topic)) > before)
        reply: dict[str, Any] = json.loads(self.heard.on(topic)[before])
        return reply

    async def say(self, text: str, scope: str, **fields: Any) -> dict[str, Any]:
        """Say something over HTTP and return the ending of its turn."""
        reply = await self.unix.post(f"/memory/{scope}/say", json={"text": text, "stream": False, **fields})
        ending: dict[str, Any] = reply.json()
        return ending

    async def view(self, scope: str) -> str:
        return (await self.unix.get(f"/memory/{scope}")).text

    async def statements(self, scope: str) -> list[str]:
        return [row["text"] for row in json.loads(await self.view(scope)).get("statements", [])]

    async def until_health(self, wanted: Callable[[dict[str, Any]], bool]) -> None:
        """Wait until the daemon says that it is as wanted."""
        async with asyncio.timeout(WAIT_S):
            while not wanted((await self.unix.get("/health")).json()):  # noqa: ASYNC110 - health tells nobody by itself
                await asyncio.sleep(0.01)


@asynccontextmanager
async def open_doors(
    folder: Path, *, program: Sequence[str] = PROGRAM, fake: FakeOllama | None = None, **environment: str
) -> AsyncIterator[Doors]:
    """Start everything and wait until every door is open."""
    async with AsyncExitStack() as stack:
        broker = Broker(folder)
        stack.callback(broker.kill)
        broker.start()
        model = await stack.enter_async_context(fake or FakeOllama())
        port = free_port()
        options = ("--tcp", "--model-url", model.url, "--mqtt", f"127.0.0.1:{broker.port}", "--verbose")
        wanted = {"CLAUDEMEM_HTTP__TCP_PORT": str(port), "CLAUDEMEM_MQTT__RECONNECT_FIRST_S": "0.05", **environment}
        child = Child(folder, *options, program=program, **wanted)
        stack.callback(child.close)
        await asyncio.to_thread(child.hears, "READY=1")
        heard = await stack.enter_async_context(Listener(broker, "#"))
        await heard.until(lambda one: one.topic.value == f"{BASE}/status" and one.payload == b"online")
        way = httpx.AsyncHTTPTransport(uds=str(child.path))
        unix = await stack.enter_async_context(
            httpx.AsyncClient(transport=way, base_url="http://daemon", timeout=WAIT_S)
        )
        url = f"http://127.0.0.1:{port}"
        tcp = await stack.enter_async_context(httpx.AsyncClient(base_url=url, timeout=WAIT_S, trust_env=False))
        yield Doors(child, broker, model, unix, tcp, heard, url)
