"""Memories to ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fakes.asked import CHATTER, Talked

if TYPE_CHECKING:
    from fakes.asked import MakeTalk


@pytest.fixture
def talk() -> MakeTalk:
    return lambda *turns: Talked().say(*turns)


@pytest.fixture
def chatter() -> dict[str, tuple[str, ...]]:
    return CHATTER
