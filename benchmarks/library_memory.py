"""Resident memory of a process that uses the library alone, after 500 turns in both languages."""

from __future__ import annotations

import json
import subprocess
import sys

TURNS = 500
GOAL_MB = 18.7
"""The figure the idea was sold with."""
CHILD = """
import json, sys
from benchmarks._measure import memory_mb
from benchmarks._talk import talk
from claudemem_edge import Memory
start = memory_mb()
memory = Memory()
loaded = memory_mb()
half = int(sys.argv[1]) // 2
for language in ("en", "zh"):
    for speaker, text, at in talk(language, half):
        memory.observe(speaker, text, at=at)
        memory.context(text, now=at)
print(json.dumps({"imported": start, "packs_loaded": loaded, "after": memory_mb()}))
"""


def run(arguments: list[str]) -> dict[str, object]:
    """Return megabytes at three points. Arguments: number of turns."""
    turns = arguments[0] if arguments else str(TURNS)
    child = subprocess.run([sys.executable, "-B", "-c", CHILD, turns], capture_output=True, text=True, check=True)
    bare = subprocess.run(
        [sys.executable, "-B", "-c", "from pathlib import Path; print(Path('/proc/self/status').read_text())"],
        capture_output=True,
        text=True,
        check=True,
    )
    resident = next(line for line in bare.stdout.splitlines() if line.startswith("VmRSS"))
    found: dict[str, object] = json.loads(child.stdout)
    bare_mb = round(int(resident.split()[1]) / 1024, 1)
    return {"turns": int(turns), "goal_mb": GOAL_MB, "bare_python_mb": bare_mb, **found}
