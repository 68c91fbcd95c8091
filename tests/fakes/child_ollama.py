"""The fake Ollama as a process of its own: `python -m fakes.child_ollama PORT [SECONDS]`, or a socket's path."""

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
ENDLESS = "an endless story"
"""More than any buffer between it and its reader takes."""
ENDLESS_WORDS = (f"{'x' * 1023} ",) * 20_000
LONG_WORDS = tuple(f"word{number} " for number in range(60))
TOKEN_S = 0.02


def pieces(asked: Recorded) -> tuple[str, ...]:
    """Return the answer to a question."""
    if ENDLESS in asked.text:
        return ENDLESS_WORDS
    return LONG_WORDS if LONG in asked.text else WORDS


async def serve(where: str, token_s: float) -> None:
    """Serve until killed, on a port or on a Unix socket, so many seconds a word."""
    path = None if where.isdecimal() else Path(where)
    fake = FakeOllama(path, pieces=pieces, default="slow", token_s=token_s)
    fake.url = f"http://127.0.0.1:{where}"
    if path is not None:
        path.unlink(missing_ok=True)  # whoever was killed has left it
    async with fake:
        print("serving", flush=True)  # noqa: T201 - whoever started it waits for this
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else TOKEN_S))
