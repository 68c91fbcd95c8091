"""What the daemon counts and measures: numbers only. For health, for /metrics, and for whoever looks after it."""

from __future__ import annotations

import math
import resource
import time
from array import array
from bisect import bisect_left
from collections import Counter
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, cast

from claudemem_edge.errors import CODES, EdgeError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from claudemem_edge.shapes.status import Numbers

COUNTS = {
    "turns": "Turns that went on to the model.",
    "said": "Turns answered from phrases, without a model.",
    "observed": "Utterances learned outside of turns.",
    "dropped": "MQTT messages lost because a bound was reached.",
    "retained_ignored": "Retained MQTT requests, which are never acted on.",
    "repeated": "MQTT requests that came a second time and had no second effect.",
    "rejected": "MQTT messages that could not be read and named nobody to answer.",
}
"""What only ever grows, and what it means."""
GAUGES = {
    "queue": "Turns waiting or under way.",
    "scopes": "Memories held.",
    "memory_bytes": "Size of all memories, in bytes.",
    "backend_up": "1 when the last that was asked of the language model came back, else 0.",
    "mqtt_connected": "1 while the broker is connected; 0 without it, or without MQTT.",
}
"""What there is now, and what it means."""
SERIES = {
    "learn": ("Seconds of reading and learning one utterance.", (0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.25)),
    "context": ("Seconds of choosing one block.", (0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.25)),
    "model": (
        "Seconds from asking the model to the end of its answer, whole or not.",
        (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0),
    ),
}
"""What is measured, what it means, and the upper bounds of its buckets in seconds.

The bounds of the first two surround the goals of 0.2 and 2 ms on a machine ten times slower than a desktop; those of
the last one, the patience of a person and the deadline of a turn.
"""
_PREFIX = "claudemem_"
_RING_SIZE = 512


class Ring:
    """The last numbers of a series, for its percentiles."""

    __slots__ = ("_last", "_next")

    def __init__(self) -> None:
        self._last = array("d")
        self._next = 0

    def add(self, value: float) -> None:
        """Take one number; the oldest goes when the ring is full."""
        if len(self._last) < _RING_SIZE:
            self._last.append(value)
            return
        self._last[self._next] = value
        self._next = (self._next + 1) % _RING_SIZE

    def percentiles(self, *shares: float) -> tuple[float, ...]:
        """Return the smallest kept number that each share of the numbers does not exceed; 0.0 before any came."""
        ordered = sorted(self._last)
        if not ordered:
            return tuple(0.0 for _ in shares)
        return tuple(ordered[max(0, math.ceil(share * len(ordered)) - 1)] for share in shares)


class Histogram:
    """How many numbers of a series fell under each bound, and their sum; with the newest of them in a ring."""

    __slots__ = ("_bounds", "_fell", "ring", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self._fell = [0] * (len(bounds) + 1)
        self.ring = Ring()
        self.total = 0.0

    def add(self, value: float) -> None:
        """Take one number."""
        self._fell[bisect_left(self._bounds, value)] += 1
        self.total += value
        self.ring.add(value)

    def buckets(self) -> list[tuple[float, int]]:
        """Return each bound with the count of numbers up to it; the last bound is infinite, its count that of all."""
        return list(zip((*self._bounds, math.inf), accumulate(self._fell), strict=True))


class Counters:
    """All numbers of one daemon. Names stand in the tables above; nothing here can hold a word."""

    def __init__(self) -> None:
        self._counts = dict.fromkeys(COUNTS, 0)
        self._gauges = dict.fromkeys(GAUGES, 0.0)
        self._series = {name: Histogram(bounds) for name, (_, bounds) in SERIES.items()}
        self._errors: Counter[str] = Counter()
        self._started_s = time.monotonic()

    def add(self, name: str, count: int = 1) -> None:
        """Count something that happened. Raises KeyError for a name that no table has, as the others here do."""
        self._counts[name] += count

    def error(self, code: str) -> None:
        """Count an error by its code; a code nobody defined counts as internal."""
        self._errors[code if code in CODES else EdgeError.code] += 1

    def set(self, name: str, value: float) -> None:
        """Note how much of something there is now."""
        if name not in GAUGES:
            raise KeyError(name)
        self._gauges[name] = value

    def measure(self, name: str, value_s: float) -> None:
        """Take one measurement of a series, in seconds."""
        self._series[name].add(value_s)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Measure how long the block takes, however it ends."""
        begun_s = time.perf_counter()
        try:
            yield
        finally:
            self.measure(name, time.perf_counter() - begun_s)

    def count(self, name: str) -> int:
        """Return how often something happened."""
        return self._counts[name]

    def snapshot(self) -> Numbers:
        """Return all counts and gauges, and of each series `x` its newest as `x_p50_ms` and `x_p95_ms`."""
        found: dict[str, float] = {"uptime_s": round(time.monotonic() - self._started_s), "rss_mb": rss_mb()}
        found.update(self._counts)
        found.update(self._gauges)
        for name, series in self._series.items():
            middle_s, high_s = series.ring.percentiles(0.5, 0.95)
            found[f"{name}_p50_ms"] = round(1000 * middle_s, 3)
            found[f"{name}_p95_ms"] = round(1000 * high_s, 3)
        return cast("Numbers", found)  # made from the tables above, which a test holds against it

    def errors(self) -> dict[str, int]:
        """Return how often each error was told to a caller, by its code."""
        return dict(sorted(self._errors.items()))

    def prometheus(self) -> str:
        """Return all numbers in the text format that Prometheus scrapes, version 0.0.4."""
        lines = _series("uptime_seconds", "gauge", "Seconds since the start.", time.monotonic() - self._started_s)
        lines += _series("resident_bytes", "gauge", "Resident memory of the process.", round(rss_mb() * (1 << 20)))
        for name, count in self._counts.items():
            lines += _series(f"{name}_total", "counter", COUNTS[name], count)
        lines += _head("errors_total", "counter", "Errors told to callers, by code.")
        lines += [f'{_PREFIX}errors_total{{code="{code}"}} {self._errors[code]}' for code in CODES]
        for name, value in self._gauges.items():
            lines += _series(name, "gauge", GAUGES[name], value)
        for name, series in self._series.items():
            lines += _histogram(f"{name}_seconds", SERIES[name][0], series)
        return "\n".join(lines) + "\n"


def rss_mb() -> float:
    """Return the resident memory of this process in MiB, from the kernel's own page for it."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)
    return round(pages * resource.getpagesize() / (1 << 20), 1)


def _head(name: str, kind: str, meaning: str) -> list[str]:
    return [f"# HELP {_PREFIX}{name} {meaning}", f"# TYPE {_PREFIX}{name} {kind}"]


def _series(name: str, kind: str, meaning: str, value: float) -> list[str]:
    return [*_head(name, kind, meaning), f"{_PREFIX}{name} {value:.10g}"]


def _histogram(name: str, meaning: str, series: Histogram) -> list[str]:
    buckets = series.buckets()
    told = [f'{_PREFIX}{name}_bucket{{le="{_bound(bound)}"}} {count}' for bound, count in buckets]
    count = buckets[-1][1]
    totals = [f"{_PREFIX}{name}_sum {series.total:.10g}", f"{_PREFIX}{name}_count {count}"]
    return [*_head(name, "histogram", meaning), *told, *totals]


def _bound(bound: float) -> str:
    return "+Inf" if math.isinf(bound) else f"{bound:g}"
