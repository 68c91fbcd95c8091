"""What every test has: a fixed now, a zone, and loops in debug mode."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from claudemem_edge.shapes.times import Moment

SHANGHAI = ZoneInfo("Asia/Shanghai")


@pytest.fixture
def now() -> Moment:
    """Wednesday 2026-03-11, 09:40 in Shanghai."""
    return Moment(datetime(2026, 3, 11, 9, 40, tzinfo=SHANGHAI), 1000.0)
