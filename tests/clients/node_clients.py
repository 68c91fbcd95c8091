"""The clients written in JavaScript: one process of Node for all that they are asked."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from clients.step import FOUND, TOOL, Heard, Step

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

SCRIPT = Path(__file__).parent / "node_clients.mjs"
INSTALLED = Path(sys.prefix) / "npm-clients" / "node_modules"
"""Where tests/run puts them."""


class Node:
    """A running script. Its steps are done one after another."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def ollama(self, step: Step) -> Heard:
        """`ollama` of npm."""
        return await self._ask("ollama", step)

    async def openai(self, step: Step) -> Heard:
        """`openai` of npm, without retries of its own."""
        return await self._ask("openai", step)

    async def _ask(self, client: str, step: Step) -> Heard:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        told = {"client": client, "tool": TOOL, "found": FOUND, **asdict(step)}
        self._process.stdin.write(json.dumps(told).encode() + b"\n")
        line = await self._process.stdout.readline()
        return Heard(**json.loads(line))


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[Node]:
    """Start the script in a folder where it finds its clients, as a program of one's own has them."""
    assert INSTALLED.is_dir(), f"{INSTALLED} is missing: tests/run installs the JavaScript clients there"
    shutil.copy(SCRIPT, folder)
    (folder / "node_modules").symlink_to(INSTALLED)
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec("node", folder / SCRIPT.name, stdin=pipe, stdout=pipe)
    try:
        yield Node(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        async with asyncio.timeout(20):
            await process.wait()
