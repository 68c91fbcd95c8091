"""Small floods at every door: each request is told its end, and a client that behaves is answered meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from floods.floods import longest_run
from floods.play import Sizes, all_floods, play

if TYPE_CHECKING:
    from pathlib import Path

    from floods.play import Flood

pytestmark = pytest.mark.broker
SMALL = Sizes(callers=30, half_open=160, slow_readers=2, bodies=12, requests=200, messages=400)
TOKEN_S = 0.03
MOST_MB = 40
"""By so much the daemon may grow: its own bounds are below that."""
TOLD: dict[str, dict[str, int]] = {
    "callers of one scope": {"busy": 1, "final": 5},
    "callers of 5 scopes": {"busy": 1, "final": 17},
    "half-open": {"busy": 0, "timeout": 1},
    "readers that take nothing": {"cut off": 2},
    "bodies": {"too_long": 1, "busy": 0},
    "MQTT requests": {"busy": 1, "final": 100},
    "MQTT messages": {"too_long": 400},
}
"""What may be told, and to how many at least: on a slow machine a place becomes free while others still come."""


@pytest.mark.parametrize("flood", all_floods(SMALL, TOKEN_S), ids=lambda flood: flood.what)
async def test_a_flood(tmp_path: Path, flood: Flood) -> None:
    quick = {"CLAUDEMEM_HTTP__HEADER_TIMEOUT_S": "2", "CLAUDEMEM_TURN__STUCK_READER_S": "0.5"}
    row = await play(flood, tmp_path, settle_s=0, **quick)
    least = next(found for words, found in TOLD.items() if words in flood.what)
    told = +row.told.codes
    assert row.told.wrong == []
    assert set(told) <= set(least)
    assert all(told[code] >= count for code, count in least.items())
    assert longest_run(row.told.served) < 3, "one scope after the other would be a run of five"
    assert row.watch.missed == []
    assert row.watch.answers_s
    assert row.watch.peak_mb - row.watch.before_mb < MOST_MB
    assert row.recovered
