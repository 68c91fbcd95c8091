"""How things are measured here: CPU time of the calling thread, resident memory, quantiles, compiled modules."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Result = TypeVar("Result")
EVERYTHING = "import claudemem_edge.cli.run, claudemem_edge.daemon, claudemem_edge.transport.mqtt, httpx, tzlocal"
COMPILED = tempfile.TemporaryDirectory(prefix="compiled-")


@functools.cache
def installed_environment() -> dict[str, str]:
    """Return an environment in which all modules come compiled, as an installation has them.

    From a working copy with PYTHONDONTWRITEBYTECODE every start would compile them: half a second, and megabytes.
    """
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": COMPILED.name}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run([sys.executable, "-c", EVERYTHING], env=environment, check=True)
    return environment


def timed(times_s: list[float], call: Callable[[], Result]) -> Result:
    """Call, and append the CPU seconds of this thread that it took."""
    begun = time.thread_time()
    result = call()
    times_s.append(time.thread_time() - begun)
    return result


def quantiles_ms(times_s: Sequence[float]) -> dict[str, float]:
    """Return p50, p95, p99 and max in milliseconds."""
    ordered = sorted(times_s)

    def at(share: float) -> float:
        return round(1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))], 4)

    return {"p50": at(0.5), "p95": at(0.95), "p99": at(0.99), "max": round(1000 * ordered[-1], 4)}


def memory_mb(process: int | str = "self") -> dict[str, float]:
    """Return resident memory now and at its highest, of a process."""
    rows = dict(
        line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text("ascii").splitlines() if ":" in line
    )
    return {name: round(int(rows[key].split()[0]) / 1024, 1) for name, key in (("rss", "VmRSS"), ("peak", "VmHWM"))}
