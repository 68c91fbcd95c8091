"""What the daemon counts and measures: numbers only. For health, for /metrics, and for whoever looks after it."""

from __future__ import annotations

import math
import resource
import time
from array import array
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from claudemem_edge.errors import EdgeError

if TYPE_CHECKING:
    from collections.abc import Iterator

_RING_SIZE = 512
_PREFIX = "claudemem_"
_HELP = {
    "turns": "Turns that went on to the model.",
    "said": "Turns answered from phrases, without a model.",
    "observed": "Utterances learned outside of turns.",
    "dropped": "Messages lost or ignored because a bound was reached.",
    "retained_ignored": "Retained MQTT requests, which are never acted on.",
    "repeated": "Requests that came a second time and had no second effect.",
    "rejected": "MQTT messages that could not be read and named nobody to answer.",
    "learn_ms": "Milliseconds of reading and learning one utterance.",
    "context_ms": "Milliseconds of choosing one block.",
    "model_ms": "Milliseconds from asking the model to the end of its answer.",
    "queue": "Turns waiting or under way.",
    "scopes": "Memories held.",
}


class Ring:
    """The last numbers of a series, for its percentiles, with count and sum of all of them."""

    __slots__ = ("_last", "_next", "count", "total")

    def __init__(self) -> None:
        self._last = array("d")
        self._next = 0
        self.count = 0
        self.total = 0.0

    def add(self, value: float) -> None:
        """Take one number; the oldest goes when the ring is full."""
        self.count += 1
        self.total += value
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


class Counters:
    """All numbers of one daemon. Names come from the code, never from a request; nothing here can hold a word."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._errors: Counter[str] = Counter()
        self._gauges: dict[str, float] = {}
        self._rings: dict[str, Ring] = {}
        self._codes = frozenset(_codes(EdgeError))
        self._started_s = time.monotonic()

    def add(self, name: str, count: int = 1) -> None:
        """Count something that happened."""
        self._counts[name] += count

    def error(self, code: str) -> None:
        """Count an error by its code; a code nobody defined counts as internal."""
        self._errors[code if code in self._codes else EdgeError.code] += 1

    def set(self, name: str, value: float) -> None:
        """Note how much of something there is now."""
        self._gauges[name] = value

    def measure(self, name: str, value: float) -> None:
        """Take one measurement of a series that has percentiles."""
        ring = self._rings.get(name)
        if ring is None:
            ring = self._rings[name] = Ring()
        ring.add(value)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Measure how many milliseconds the block takes; one that fails is not counted."""
        begun_s = time.perf_counter()
        yield
        self.measure(name, 1000 * (time.perf_counter() - begun_s))

    def count(self, name: str) -> int:
        """Return how often something happened."""
        return self._counts[name]

    def snapshot(self) -> dict[str, object]:
        """Return all numbers as plain JSON values. A series `x_ms` gives `x_p50_ms` and `x_p95_ms`."""
        found: dict[str, object] = {"uptime_s": round(time.monotonic() - self._started_s), "rss_mb": rss_mb()}
        found.update(sorted(self._counts.items()))
        found["errors"] = dict(sorted(self._errors.items()))
        found.update(sorted(self._gauges.items()))
        for name, ring in sorted(self._rings.items()):
            series, _, unit = name.rpartition("_")
            middle, high = ring.percentiles(0.5, 0.95)
            found[f"{series}_p50_{unit}"] = round(middle, 3)
            found[f"{series}_p95_{unit}"] = round(high, 3)
        return found

    def prometheus(self) -> str:
        """Return all numbers in the text format that Prometheus scrapes."""
        lines = [*_series("uptime_seconds", "gauge", "Seconds since the start.", time.monotonic() - self._started_s)]
        lines += _series("resident_bytes", "gauge", "Resident memory of the process.", round(rss_mb() * (1 << 20)))
        for name, count in sorted(self._counts.items()):
            lines += _series(f"{name}_total", "counter", _HELP.get(name, ""), count)
        lines += _head("errors_total", "counter", "Errors told to callers, by code.")
        lines += [f'{_PREFIX}errors_total{{code="{code}"}} {count}' for code, count in sorted(self._errors.items())]
        for name, value in sorted(self._gauges.items()):
            lines += _series(name, "gauge", _HELP.get(name, ""), value)
        for name, ring in sorted(self._rings.items()):
            lines += _summary(name, ring)
        return "\n".join(lines) + "\n"


def rss_mb() -> float:
    """Return the resident memory of this process in MiB, from the kernel's own page for it."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)
    return round(pages * resource.getpagesize() / (1 << 20), 1)


def _codes(error: type[EdgeError]) -> set[str]:
    """Return the codes of an error class and of all below it."""
    return {error.code}.union(*(_codes(below) for below in error.__subclasses__()))


def _head(name: str, kind: str, meaning: str) -> list[str]:
    told = [f"# HELP {_PREFIX}{name} {meaning}"] if meaning else []
    return [*told, f"# TYPE {_PREFIX}{name} {kind}"]


def _series(name: str, kind: str, meaning: str, value: float) -> list[str]:
    return [*_head(name, kind, meaning), f"{_PREFIX}{name} {value:.10g}"]


def _summary(name: str, ring: Ring) -> list[str]:
    middle, high = ring.percentiles(0.5, 0.95)
    return [
        *_head(name, "summary", _HELP.get(name, "")),
        f'{_PREFIX}{name}{{quantile="0.5"}} {middle:.10g}',
        f'{_PREFIX}{name}{{quantile="0.95"}} {high:.10g}',
        f"{_PREFIX}{name}_sum {ring.total:.10g}",
        f"{_PREFIX}{name}_count {ring.count}",
    ]
