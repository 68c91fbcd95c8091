from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING

from claudemem_edge.clock_steps import watching

if TYPE_CHECKING:
    import pytest


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


async def test_what_the_kernel_tells_is_handed_on_and_the_watch_goes_on() -> None:
    told = asyncio.Event()
    before = open_files()
    with watching(told.set, time.time() + 0.02):  # going off comes by the same way as a step, and needs no privilege
        async with asyncio.timeout(20):
            await told.wait()
        told.clear()
        await asyncio.sleep(0)
        assert not told.is_set(), "told once"
        assert open_files() == before + 1
    assert open_files() == before


async def test_without_such_a_timer_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "CLOCK_REALTIME", -1)
    told: list[None] = []
    with watching(lambda: told.append(None)):
        await asyncio.sleep(0)
    assert told == []
