"""A fake Ollama, and an HTTP door in front of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fakes.fake_ollama import FakeOllama
from fakes.http_house import House, open_house

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest.fixture
async def fake() -> AsyncIterator[FakeOllama]:
    async with FakeOllama() as running:
        yield running


@pytest.fixture
async def house(tmp_path: Path, fake: FakeOllama) -> AsyncIterator[House]:
    """Give a door as it is by default."""
    async with open_house(tmp_path, fake) as opened:
        yield opened
