"""How things are measured here: CPU time of the calling thread, resident memory, quantiles, compiled modules."""

from __future__ import annotations

import compileall
import functools
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Result = TypeVar("Result")
PACKAGE = Path(__file__).parent.parent / "claudemem_edge"
INSTALLED = tempfile.TemporaryDirectory(prefix="installed-")


@functools.cache
def installed() -> str:
    """Return a folder to run in that holds the package with all modules compiled, as an installation does.

    A working copy compiles whatever has changed, or everything where it may not write: half a second, and megabytes.
    """
    shutil.copytree(PACKAGE, Path(INSTALLED.name, PACKAGE.name), ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(INSTALLED.name, quiet=1)
    return INSTALLED.name


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


def processor_s(process: int) -> float:
    """Return the processor time another process has taken so far."""
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
