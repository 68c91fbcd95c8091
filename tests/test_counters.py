"""Numbers of the daemon: counted, measured, and told in two forms."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from claudemem_edge.counters import SERIES, Counters, Ring, rss_mb
from claudemem_edge.errors import CODES
from claudemem_edge.shapes.status import Numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from prometheus_client import Metric


def test_counts_measures_and_gauges_stand_in_the_snapshot() -> None:
    counters = Counters()
    counters.add("turns")
    counters.add("turns", 2)
    counters.set("queue", 4)
    counters.error("busy")
    for value_ms in range(1, 101):
        counters.measure("learn", value_ms / 1000)
    found = counters.snapshot()
    assert counters.count("turns") == found["turns"] == 3
    assert found["queue"] == 4
    assert counters.errors() == {"busy": 1}
    assert (found["learn_p50_ms"], found["learn_p95_ms"]) == (50, 95)
    assert json.loads(json.dumps(found)) == found


def test_the_snapshot_is_what_the_promise_says() -> None:
    assert set(Counters().snapshot()) == set(Numbers.__annotations__)


@pytest.mark.parametrize("count", [Counters.add, Counters.measure, Counters.set])
def test_a_name_that_no_table_has_is_a_mistake(count: Callable[[Counters, str, int], None]) -> None:
    with pytest.raises(KeyError):
        count(Counters(), "my secret", 1)


def test_a_code_that_nobody_defined_cannot_carry_words_into_the_metrics() -> None:
    counters = Counters()
    counters.error('my secret"}')
    assert counters.errors() == {"internal": 1}
    assert "secret" not in counters.prometheus()


def families(counters: Counters) -> dict[str, Metric]:
    """Return the metrics as Prometheus' own reader finds them."""
    return {one.name: one for one in text_string_to_metric_families(counters.prometheus())}


def value(metric: Metric, name: str, **labels: str) -> float:
    (found,) = (one.value for one in metric.samples if one.name == name and one.labels == labels)
    return float(found)


def test_prometheus_reads_every_number_with_its_type_and_its_meaning() -> None:
    counters = Counters()
    counters.add("turns")
    counters.error("timeout")
    counters.set("scopes", 2)
    found = families(counters)
    assert {one.type for one in found.values()} == {"counter", "gauge", "histogram"}
    assert all(name.startswith("claudemem_") for name in found)
    assert all(one.documentation.endswith(".") for one in found.values())
    assert value(found["claudemem_turns"], "claudemem_turns_total") == 1
    assert value(found["claudemem_said"], "claudemem_said_total") == 0, "what never happened is told as well"
    assert value(found["claudemem_scopes"], "claudemem_scopes") == 2
    errors = found["claudemem_errors"]
    assert value(errors, "claudemem_errors_total", code="timeout") == 1
    assert [one.labels["code"] for one in errors.samples] == list(CODES)


@given(st.lists(st.floats(0, 300), max_size=50))
def test_a_histogram_counts_each_measurement_under_every_bound_it_does_not_exceed(values_s: list[float]) -> None:
    counters = Counters()
    for value_s in values_s:
        counters.measure("model", value_s)
    found = families(counters)["claudemem_model_seconds"]
    for bound in SERIES["model"][1]:
        under = value(found, "claudemem_model_seconds_bucket", le=f"{bound:g}")
        assert under == sum(one <= bound for one in values_s)
    assert value(found, "claudemem_model_seconds_bucket", le="+Inf") == len(values_s)
    assert value(found, "claudemem_model_seconds_count") == len(values_s)
    assert value(found, "claudemem_model_seconds_sum") == pytest.approx(sum(values_s))


def test_what_is_timed_counts_however_it_ends() -> None:
    counters = Counters()
    with pytest.raises(ValueError, match="stop"), counters.timed("model"):
        raise ValueError("stop")
    assert value(families(counters)["claudemem_model_seconds"], "claudemem_model_seconds_count") == 1


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
def test_a_ring_remembers_the_newest(values: list[float]) -> None:
    ring = Ring()
    for value in values:
        ring.add(value)
    newest = sorted(values[-512:])
    assert ring.percentiles(0.0, 1.0) == (newest[0], newest[-1])


def test_resident_memory_is_that_of_this_process() -> None:
    assert 5 < rss_mb() < 4000
