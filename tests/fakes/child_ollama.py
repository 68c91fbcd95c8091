"""The fake Ollama as a process of its own, to be killed: `python -m fakes.child_ollama PORT`, or a socket's path."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fakes.fake_ollama import FakeOllama

if TYPE_CHECKING:
    from fakes.fake_ollama_wire import Recorded

LONG = "a long story"
"""Whoever asks for it gets the long answer."""
WORDS = ("It ", "is ", "kept.")
LONG_WORDS = tuple(f"word{number} " for number in range(60))
TOKEN_S = 0.02


def pieces(asked: Recorded) -> tuple[str, ...]:
    """Return the answer to a question."""
    return LONG_WORDS if LONG in asked.text else WORDS


async def serve(where: str) -> None:
    """Serve until killed, on a port or on a Unix socket."""
    path = None if where.isdecimal() else Path(where)
    fake = FakeOllama(path, pieces=pieces, default="slow", token_s=TOKEN_S)
    fake.url = f"http://127.0.0.1:{where}"
    if path is not None:
        path.unlink(missing_ok=True)  # whoever was killed has left it
    async with fake:
        print("serving", flush=True)  # noqa: T201 - whoever started it waits for this
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1]))
