"""A whole daemon to play a report on: a child process, or the same daemon in here where a report turns the clock."""

from __future__ import annotations

import asyncio
import gc
import itertools
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import httpx
from fakes.child_daemon import WAIT_S, Child
from fakes.fake_ollama import FakeOllama
from fakes.real_mosquitto import Broker, Listener

from claudemem_edge.daemon import Daemon
from claudemem_edge.settings import read_settings
from claudemem_edge.shapes.times import Moment

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from datetime import tzinfo

BASE = "claudemem/home"
START = "2026-03-11T09:00:00+08:00"
ZONE = "Asia/Shanghai"
QUICK = {
    "CLAUDEMEM_MQTT__RECONNECT_FIRST_S": "0.05",
    "CLAUDEMEM_MQTT__RECONNECT_MOST_S": "0.5",
    "CLAUDEMEM_MODEL__FIRST_TOKEN_TIMEOUT_S": "5",
    "CLAUDEMEM_MODEL__TOKEN_TIMEOUT_S": "2",
}
"""So that nobody has to wait for a neighbour that is dead."""


class SteppedClock:
    """Both clocks of a machine. They stand still until somebody turns them."""

    def __init__(self, at: str = START) -> None:
        self.wall = datetime.fromisoformat(at)
        self.boot_s = 1000.0

    def __call__(self, zone: tzinfo) -> Moment:
        return Moment(self.wall.astimezone(zone), self.boot_s)

    def advance(self, seconds: float) -> None:
        """Let time go by."""
        self.step(seconds)
        self.boot_s += seconds

    def step(self, seconds: float) -> None:
        """Set the wall clock alone."""
        self.wall += timedelta(seconds=seconds)


@dataclass
class Stage:
    """The daemon with its neighbours. `http` speaks to its Unix socket; `heard` hears every topic."""

    folder: Path
    fake: FakeOllama
    broker: Broker
    clock: SteppedClock | None
    environment: Mapping[str, str]
    heard: Listener = field(init=False)
    http: httpx.AsyncClient = field(init=False)
    daemon: Daemon | None = None
    child: Child | None = None
    path: Path = Path()
    """The daemon's socket."""
    logged: str = ""
    _running: AsyncExitStack = field(default_factory=AsyncExitStack)
    _hearing: AsyncExitStack = field(default_factory=AsyncExitStack)
    _starts: itertools.count[int] = field(default_factory=itertools.count)

    async def __aenter__(self) -> Self:
        try:
            self.broker.start()
            await self.listen()
            await self.start()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()
        await self._hearing.aclose()
        self.broker.kill()
        await self.fake.stop()

    async def listen(self) -> None:
        """Hear every topic of the broker that runs now."""
        await self._hearing.aclose()
        self.heard = await self._hearing.enter_async_context(Listener(self.broker, "#"))

    async def start(self) -> None:
        """Start the daemon and wait until its doors are open."""
        folder = self.folder / f"start-{next(self._starts)}"
        folder.mkdir()
        if self.clock is None:
            await self._start_child(folder)
        else:
            await self._start_within(folder, self.clock)
        self.path = folder / "api.sock"
        way = httpx.AsyncHTTPTransport(uds=str(self.path))
        client = httpx.AsyncClient(transport=way, base_url="http://daemon", timeout=WAIT_S, trust_env=False)
        self.http = await self._running.enter_async_context(client)
        await self.connected()

    async def stop(self) -> None:
        """Stop the daemon in order, and keep what it logged."""
        if self.child is not None:
            self.child.process.terminate()
            _, logged = await asyncio.to_thread(self.child.ends)
            self.logged += logged
        await self._running.aclose()
        self.child = self.daemon = None

    async def connected(self) -> None:
        """Wait until the daemon says that it is connected to the broker."""
        async with asyncio.timeout(WAIT_S):
            while not (await self.http.get("/health")).json()["mqtt"]["connected"]:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.02)

    def look_again(self) -> None:
        """Have the alarm look at a clock that was turned, and end what its time ends."""
        if self.daemon is not None:
            self.daemon._sessions.sweep()
            self.daemon._alarm.fire_due()

    async def _start_child(self, folder: Path) -> None:
        options = ("--no-tcp", "--model-url", self.fake.url, "--mqtt", f"127.0.0.1:{self.broker.port}")
        self.child = Child(folder, *options, **{**QUICK, "TZ": ZONE, **self.environment})
        self._running.callback(self.child.close)
        await asyncio.to_thread(self.child.hears, "READY=1")

    async def _start_within(self, folder: Path, clock: SteppedClock) -> None:
        overrides: dict[str, Any] = {
            "http": {"socket": str(folder / "api.sock"), "tcp": False},
            "model": {"urls": [self.fake.url]},
            "mqtt": {"enabled": True, "port": self.broker.port},
        }
        known = {"XDG_CONFIG_HOME": str(folder), "CLAUDEMEM_LANGUAGE__ZONE": ZONE, **QUICK, **self.environment}
        self.daemon = Daemon(read_settings(known, overrides), clock)
        await self._running.enter_async_context(self.daemon._serving())
        gc.unfreeze()  # what the tests of this process leave open is to be found


@asynccontextmanager
async def open_stage(
    folder: Path, clock: SteppedClock | None = None, environment: Mapping[str, str] | None = None
) -> AsyncIterator[Stage]:
    """Open everything. With a clock the daemon runs within this process, else as a child."""
    fake = FakeOllama()
    await fake.start()  # before the broker looks for a free port, so that the two cannot pick the same one
    async with Stage(folder, fake, Broker(folder), clock, environment or {}) as stage:
        yield stage
