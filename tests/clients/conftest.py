"""One daemon, one fake Ollama behind it and one process of Node for all tests of a file."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx
import pytest_asyncio
from clients.node_clients import Node, running
from fakes.child_daemon import WAIT_S, Child
from fakes.fake_ollama import FakeOllama
from fakes.real_mosquitto import free_port

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import pytest


@dataclass(slots=True)
class Desk:
    """What a test works with. `own` speaks to the daemon's Unix socket."""

    url: str
    fake: FakeOllama
    own: httpx.AsyncClient

    async def said(self, scope: str, speaker: str) -> list[str]:
        """Return what a speaker said that is remembered in a scope."""
        view = (await self.own.get(f"/memory/{scope}")).json()
        return [row["text"] for row in view.get("statements", []) if row["speaker"] == speaker]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def desk(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Desk]:
    """Open a daemon whose model answers one question at a time, with nobody waiting."""
    async with AsyncExitStack() as stack:
        fake = await stack.enter_async_context(FakeOllama())
        port, folder = free_port(), tmp_path_factory.mktemp("daemon")
        settings = {"CLAUDEMEM_HTTP__TCP_PORT": str(port), "CLAUDEMEM_TURN__QUEUE_PER_MODEL": "0"}
        child = Child(folder, "--tcp", "--model-url", fake.url, **settings)
        stack.callback(child.close)
        await asyncio.to_thread(child.hears, "READY=1")
        way = httpx.AsyncHTTPTransport(uds=str(child.path))
        own = await stack.enter_async_context(httpx.AsyncClient(transport=way, base_url="http://x", timeout=WAIT_S))
        yield Desk(f"http://127.0.0.1:{port}", fake, own)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def node(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Node]:
    async with running(tmp_path_factory.mktemp("node")) as started:
        yield started
