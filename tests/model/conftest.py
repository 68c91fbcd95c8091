from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fakes.fake_ollama import FakeOllama

from claudemem_edge.model.client import ModelClient
from claudemem_edge.shapes.options import ModelOptions

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable


@pytest.fixture
async def fake() -> AsyncIterator[FakeOllama]:
    async with FakeOllama() as server:
        yield server


@pytest.fixture
async def client_for() -> AsyncIterator[Callable[..., ModelClient]]:
    """Clients of the given urls, closed after the test."""
    made: list[ModelClient] = []

    def make(*urls: str, **options: float | str) -> ModelClient:
        made.append(ModelClient(ModelOptions(urls=urls, **options)))  # type: ignore[arg-type]  # by name, as tests give them
        return made[-1]

    yield make
    for client in made:
        await client.aclose()
