"""The whole daemon with neighbours that can be killed: a broker, a server of language models, and clients before it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import httpx
from fakes import child_ollama
from fakes.child_daemon import WAIT_S, Child
from fakes.http_house import MODEL
from fakes.real_mosquitto import Broker, Gate, Listener, eventually, free_port

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    import aiomqtt

BASE = "claudemem/home"
TESTS = Path(__file__).parent.parent
LOOK_EVERY_S = 0.5
SMALLEST = "smollm2:135m"


class Neighbour(Protocol):
    """A program beside the daemon that may die at any moment."""

    name: str

    async def kill(self) -> None:
        """End it with kill -9."""

    async def start(self) -> None:
        """Start it again, and return once it listens."""


class Program:
    """A server of language models as a child: the fake Ollama, or the embedded engine with the smallest weights."""

    def __init__(self, name: str, model: str, url: str, *command: str) -> None:
        self.name = name
        self.model = model
        self.url = url
        self._command = command
        self._process: subprocess.Popen[str] | None = None

    async def start(self) -> None:
        """Start it, and wait until it says that it serves."""
        await asyncio.to_thread(self._start)

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, *self._command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=TESTS
        )
        assert self._process.stdout is not None
        told: list[str] = []
        for line in self._process.stdout:
            told.append(line)
            if "serving" in line:
                return
        raise AssertionError(f"{self.name} did not start: {''.join(told)}")

    async def kill(self) -> None:
        """Kill it and let its pipe go."""
        if self._process is not None:
            process, self._process = self._process, None
            process.kill()
            process.communicate()


def ollama(token_s: float = child_ollama.TOKEN_S) -> Program:
    """Return the fake Ollama on a port that stays its own, so many seconds a word."""
    port = free_port()
    wish = ("-m", child_ollama.__name__, str(port), str(token_s))
    return Program("ollama", MODEL, f"http://127.0.0.1:{port}", *wish)


def stand_in(folder: Path) -> Program:
    """Return the fake Ollama on a Unix socket, as the engine has one: it starts at once and says little."""
    path = folder / "engine.sock"
    return Program("stand-in", MODEL, f"unix:{path}", "-m", child_ollama.__name__, str(path))


def engine(folder: Path) -> Program:
    """Return the embedded engine with the smallest weights there are."""
    path = folder / "engine.sock"
    wish = ("--model", SMALLEST, "--context-tokens", "1024", "--threads", "1")
    return Program("engine", SMALLEST, f"unix:{path}", "-m", "claudemem_edge.engine", "--socket", str(path), *wish)


@dataclass
class House:
    """One daemon with its neighbours. `messages` are all that anybody ever heard at the broker."""

    child: Child
    broker: Broker
    gate: Gate
    model: Program
    unix: httpx.AsyncClient
    tcp: httpx.AsyncClient
    tcp_port: int
    messages: list[aiomqtt.Message] = field(default_factory=list)
    listener: Listener | None = None

    async def listen(self) -> None:
        """Listen at the broker, after it was started anew as well."""
        listener = Listener(self.broker, "#")
        listener.messages = self.messages
        listener.client.pending_calls_threshold = 100_000  # a flood has its reasons
        await listener.__aenter__()
        self.listener = listener

    async def hang_up(self) -> None:
        """Let go of the broker."""
        if self.listener is not None:
            listener, self.listener = self.listener, None
            await listener.__aexit__(None, None, None)

    async def publish(self, path: str, payload: dict[str, Any], **options: Any) -> None:
        """Publish a request."""
        assert self.listener is not None
        await self.listener.client.publish(f"{BASE}/{path}", json.dumps(payload), **{"qos": 1, **options})

    def heard(self, path: str) -> list[dict[str, Any]]:
        """Return what was heard on a topic."""
        return [json.loads(one.payload) for one in self.messages if one.topic.value == f"{BASE}/{path}" and one.payload]

    async def health(self) -> dict[str, Any]:
        """Return what the daemon says of itself."""
        told: dict[str, Any] = (await self.unix.get("/health")).json()
        return told


class BrokerNeighbour:
    """The broker as a neighbour. The daemon gets back in only after the clients, which would miss its replies else."""

    name = "mosquitto"

    def __init__(self, house: House) -> None:
        self._house = house

    async def kill(self) -> None:
        """Kill it; the daemon loses its connection with it."""
        self._house.broker.kill()
        await self._house.hang_up()
        await self._house.gate.shut()

    async def start(self) -> None:
        """Start it, have the clients come, then let the daemon in."""
        await asyncio.to_thread(self._house.broker.start)
        await self._house.listen()
        await self._house.gate.open()


@asynccontextmanager
async def open_house(
    folder: Path, model: Program, broker_options: tuple[str, ...] = (), **settings: str
) -> AsyncIterator[House]:
    """Start everything and wait until every door is open."""
    async with AsyncExitStack() as stack:
        broker = Broker(folder, broker_options)
        stack.callback(broker.kill)
        broker.start()
        gate = await stack.enter_async_context(Gate(broker))
        stack.push_async_callback(model.kill)
        await model.start()
        port = free_port()
        wanted = {
            "CLAUDEMEM_HTTP__TCP_PORT": str(port),
            "CLAUDEMEM_MODEL__CHECK_EVERY_S": str(LOOK_EVERY_S),
            **settings,
        }
        child = Child(folder, "--tcp", "--model-url", model.url, "--mqtt", f"127.0.0.1:{gate.port}", **wanted)
        stack.callback(child.close)
        await asyncio.to_thread(child.hears, "READY=1")
        way = httpx.AsyncHTTPTransport(uds=str(child.path))
        unix = await stack.enter_async_context(httpx.AsyncClient(transport=way, base_url="http://x", timeout=WAIT_S))
        tcp = await stack.enter_async_context(
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=WAIT_S, trust_env=False)
        )
        house = House(child, broker, gate, model, unix, tcp, port)
        await house.listen()
        stack.push_async_callback(house.hang_up)
        await eventually(lambda: any(one.payload == b"online" for one in house.messages))
        yield house


async def seconds_until(met: Callable[[], Awaitable[bool]], within_s: float = WAIT_S) -> float | None:
    """Return after how long an asynchronous condition was met; None when it was not met in time."""
    begun_s = time.monotonic()
    while not await met():
        if time.monotonic() - begun_s > within_s:
            return None
        await asyncio.sleep(0.02)
    return time.monotonic() - begun_s
