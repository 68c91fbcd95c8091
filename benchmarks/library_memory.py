"""Resident memory of a process that uses the library alone, after 500 turns in both languages.

The process holds nothing else: what is said comes over a pipe, and its modules are compiled beforehand.
"""

from __future__ import annotations

import subprocess
import sys

from benchmarks._measure import installed
from benchmarks._talk import talk

TURNS = 500
GOAL_MB = 18.7
"""The figure the idea was sold with."""
CHILD = """
import sys

def resident_mb():
    with open("/proc/self/status") as status:
        return next(round(int(line.split()[1]) / 1024, 1) for line in status if line.startswith("VmRSS"))

megabytes = [resident_mb()]
from datetime import datetime
from claudemem_edge import Memory
megabytes.append(resident_mb())
memory = Memory()
megabytes.append(resident_mb())
for line in sys.stdin:
    speaker, said_at, text = line.rstrip().split("\\t")
    now = datetime.fromisoformat(said_at)
    memory.observe(speaker, text, at=now)
    memory.context(text, now=now)
megabytes.append(resident_mb())
print(*megabytes)
"""
POINTS = ("bare_python_mb", "imported_mb", "packs_loaded_mb", "after_mb")


def run(arguments: list[str]) -> dict[str, object]:
    """Return megabytes at four points. Arguments: number of turns."""
    turns = int(arguments[0]) if arguments else TURNS
    said = "".join(
        f"{speaker}\t{at.isoformat()}\t{text}\n"
        for language in ("en", "zh")
        for speaker, text, at in talk(language, turns // 2)
    )
    command = [sys.executable, "-c", CHILD]
    child = subprocess.run(command, cwd=installed(), input=said, capture_output=True, text=True, check=True)
    return {"turns": turns, "goal_mb": GOAL_MB, **dict(zip(POINTS, map(float, child.stdout.split()), strict=True))}
