"""Seconds from spawning the daemon to its READY, beside a process that imports the dependencies eagerly.

All modules are compiled beforehand, as installing does it; without that, compiling is most of what is measured.
On a busy machine the processor time says more than the clock.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time

from benchmarks._daemon import daemon
from benchmarks._measure import processor_s

RUNS = 7
GOAL_S = 0.3
EAGER = "import ollama, pydantic, regex, dateparser, paho.mqtt.client"


def run(arguments: list[str]) -> dict[str, object]:
    """Return the least and the median of several runs. Arguments: number of runs."""
    ready: list[tuple[float, float]] = []
    eager: list[tuple[float, float]] = []
    for _ in range(int(arguments[0]) if arguments else RUNS):
        with daemon() as running:
            ready.append((running.ready_s, processor_s(running.process.pid)))
        begun, before = time.monotonic(), os.times()
        subprocess.run([sys.executable, "-c", EAGER], check=True)
        after = os.times()
        used_s = after.children_user + after.children_system - before.children_user - before.children_system
        eager.append((time.monotonic() - begun, used_s))
    return {"goal_s": GOAL_S, "ready": _summary(ready), "eager_imports": _summary(eager)}


def _summary(runs: list[tuple[float, float]]) -> dict[str, dict[str, float]]:
    named = zip(("clock_s", "processor_s"), zip(*runs, strict=True), strict=True)
    return {
        name: {"least": round(min(times), 3), "median": round(statistics.median(times), 3)} for name, times in named
    }
