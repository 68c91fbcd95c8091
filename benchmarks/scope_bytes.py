"""Bytes of one scope after 20 turns, by our own count and by the allocator, both languages."""

from __future__ import annotations

import gc
import tracemalloc

from benchmarks._talk import talk
from claudemem_edge import Memory

TURNS = 20
SCOPES = 50
GOALS_KB = {"en": 24, "zh": 40}


def run(arguments: list[str]) -> dict[str, object]:
    """Return kilobytes a scope, averaged over 50. Arguments: number of turns."""
    turns = int(arguments[0]) if arguments else TURNS
    return {language: {**_of(language, turns), "goal_kb": GOALS_KB[language]} for language in ("en", "zh")}


def _of(language: str, turns: int) -> dict[str, float]:
    for seed in range(SCOPES):  # patterns and tables are shared: they are there before the count begins
        _filled(language, turns, seed)
    gc.collect()
    tracemalloc.start()
    memories = [_filled(language, turns, seed) for seed in range(SCOPES)]
    gc.collect()
    allocated = tracemalloc.get_traced_memory()[0] / SCOPES
    tracemalloc.stop()
    counted = sum(memory.size_bytes() for memory in memories) / SCOPES
    return {"counted_kb": round(counted / 1024, 1), "allocated_kb": round(allocated / 1024, 1)}


def _filled(language: str, turns: int, seed: int) -> Memory:
    memory = Memory()
    for speaker, text, at in talk(language, turns, seed):
        memory.observe(speaker, text, at=at)
    return memory
