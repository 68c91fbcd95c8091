"""Real brokers, and a door between one of them and real sessions over a fake language model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fakes.fake_ollama import FakeOllama
from fakes.mqtt_house import PIECES, House, open_house
from fakes.real_mosquitto import Broker

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
async def fake() -> AsyncIterator[FakeOllama]:
    async with FakeOllama(pieces=PIECES) as server:
        yield server


@pytest.fixture
async def house(broker: Broker, fake: FakeOllama) -> AsyncIterator[House]:
    async with open_house(broker, fake) as opened:
        yield opened
