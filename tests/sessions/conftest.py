"""A fake language model; and clients of it are closed where they were opened: in the loop of the test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fakes.fake_ollama import FakeOllama
from fakes.house import close_models

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture(autouse=True)
async def models_closed() -> AsyncIterator[None]:
    yield
    await close_models()


@pytest.fixture
async def fake() -> AsyncIterator[FakeOllama]:
    async with FakeOllama(pieces=("Your cousin ", "plays ", "the oboe.")) as server:
        yield server
