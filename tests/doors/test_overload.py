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
TOLD = {
    "callers of one scope": {"busy": 25, "final": 5},
    "callers of 5 scopes": {"busy": 13, "final": 17},
    "readers that take nothing": {"cut off": 2},
    "MQTT messages": {"too_long": 400},
}
MAY_BE_TOLD = {
    "half-open": {"busy", "timeout"},
    "bodies": {"too_long", "busy"},
    "MQTT requests": {"busy", "final"},
}


def named(table: dict[str, dict[str, int]] | dict[str, set[str]], flood: Flood) -> object:
    return next((found for words, found in table.items() if words in flood.what), None)


@pytest.mark.parametrize("flood", all_floods(SMALL, TOKEN_S), ids=lambda flood: flood.what)
async def test_a_flood(tmp_path: Path, flood: Flood) -> None:
    quick = {"CLAUDEMEM_HTTP__HEADER_TIMEOUT_S": "2", "CLAUDEMEM_TURN__STUCK_READER_S": "0.5"}
    row = await play(flood, tmp_path, settle_s=0, **quick)
    told = {code: count for code, count in row.told.codes.items() if count}
    assert row.told.wrong == []
    assert told == (named(TOLD, flood) or told)
    may_be_told = named(MAY_BE_TOLD, flood)
    assert not isinstance(may_be_told, set) or set(told) <= may_be_told
    assert longest_run(row.told.served) <= 1
    assert row.watch.missed == []
    assert row.watch.answers_s
    assert row.watch.peak_mb - row.watch.before_mb < MOST_MB
    assert row.recovered
