"""Numbers of the daemon: counted, measured, and told in two forms."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claudemem_edge.counters import Counters, Ring, rss_mb

if TYPE_CHECKING:
    from collections.abc import Sequence

SAMPLE = re.compile(r'^claudemem_[a-z0-9_]+(\{[a-z]+="[a-z0-9_.]+"\})? [0-9.e+-]+$')


def test_counts_measures_and_gauges_stand_in_the_snapshot() -> None:
    counters = Counters()
    counters.add("turns")
    counters.add("turns", 2)
    counters.set("queue", 4)
    counters.error("busy")
    for value in range(1, 101):
        counters.measure("filter_ms", value)
    found = counters.snapshot()
    assert counters.count("turns") == found["turns"] == 3
    assert found["queue"] == 4
    assert found["errors"] == {"busy": 1}
    assert (found["filter_p50_ms"], found["filter_p95_ms"]) == (50, 95)
    assert json.loads(json.dumps(found)) == found


def test_a_code_that_nobody_defined_cannot_carry_words_into_the_metrics() -> None:
    counters = Counters()
    counters.error('my secret"}')
    assert counters.snapshot()["errors"] == {"internal": 1}
    assert "secret" not in counters.prometheus()


def test_every_line_for_prometheus_can_be_scraped() -> None:
    counters = Counters()
    counters.add("turns")
    counters.error("timeout")
    counters.set("scopes", 2)
    counters.measure("filter_ms", 0.25)
    lines = counters.prometheus().splitlines()
    assert all(line.startswith("# ") or SAMPLE.match(line) for line in lines)
    assert "claudemem_turns_total 1" in lines
    assert 'claudemem_errors_total{code="timeout"} 1' in lines
    assert 'claudemem_filter_ms{quantile="0.95"} 0.25' in lines
    assert "claudemem_filter_ms_count 1" in lines
    types = [line for line in lines if line.startswith("# TYPE ")]
    assert len(types) == len(set(types))


@pytest.mark.parametrize(
    ("values", "expected"),
    [([], (0.0, 0.0)), ([7], (7, 7)), ([1, 2], (1, 2)), ([3, 1, 2], (2, 3)), (list(range(20)), (9, 18))],
)
def test_percentiles(values: Sequence[float], expected: tuple[float, float]) -> None:
    ring = Ring()
    for value in values:
        ring.add(value)
    assert ring.percentiles(0.5, 0.95) == expected


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=1500))
def test_a_ring_remembers_the_newest_and_counts_all(values: list[float]) -> None:
    ring = Ring()
    for value in values:
        ring.add(value)
    newest = sorted(values[-512:])
    assert ring.count == len(values)
    assert ring.percentiles(0.0, 1.0) == (newest[0], newest[-1])


def test_resident_memory_is_that_of_this_process() -> None:
    assert 5 < rss_mb() < 4000
