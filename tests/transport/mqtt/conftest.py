"""Brokers of these tests: real ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fakes.real_mosquitto import Broker, Listener

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    broker = Broker(tmp_path)
    broker.start()
    yield broker
    broker.kill()


@pytest.fixture
def guarded_broker(tmp_path: Path) -> Iterator[Broker]:
    """A broker that wants a name and a password: edge / right."""
    broker = Broker(tmp_path, users={"edge": "right"})
    broker.start()
    yield broker
    broker.kill()


@pytest.fixture
async def everything(broker: Broker) -> AsyncIterator[Listener]:
    """Somebody who hears all of claudemem/home."""
    async with Listener(broker, "claudemem/home/#") as listener:
        yield listener
