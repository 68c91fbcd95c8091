"""Seconds from spawning the daemon to its READY, beside a process that imports the dependencies eagerly.

All modules are compiled beforehand, as installing does it; without that, compiling is most of what is measured.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from benchmarks._daemon import daemon
from benchmarks._measure import installed_environment

RUNS = 7
GOAL_S = 0.3
EAGER = "import ollama, pydantic, regex, dateparser, paho.mqtt.client"


def run(arguments: list[str]) -> dict[str, object]:
    """Return the least and the median of several runs. Arguments: number of runs."""
    ready_s, eager_s = [], []
    subprocess.run(
        [sys.executable, "-c", EAGER], env=installed_environment(), check=True
    )  # compiles what only it needs
    for _ in range(int(arguments[0]) if arguments else RUNS):
        with daemon() as running:
            ready_s.append(running.ready_s)
        begun = time.monotonic()
        subprocess.run([sys.executable, "-c", EAGER], env=installed_environment(), check=True)
        eager_s.append(time.monotonic() - begun)
    return {"goal_s": GOAL_S, "ready_s": _summary(ready_s), "eager_imports_s": _summary(eager_s)}


def _summary(times_s: list[float]) -> dict[str, float]:
    return {"least": round(min(times_s), 3), "median": round(statistics.median(times_s), 3)}
