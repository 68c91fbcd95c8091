"""Share of the evidence that stands in the block, beside a window and BM25, on a folder of probe files.

A folder holds T*.jsonl: a line is a conversation `{id, task, lang, turns: [{role, text, ts}], probes: [{after, query,
gold: [[alternative, ...], ...], cat}]}`. A probe scores the share of its gold groups of which one alternative stands
in the block: Chinese as a substring without punctuation and blanks, English as whole words.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks._measure import quantiles_ms, timed
from benchmarks._rivals import Bm25, Window
from claudemem_edge import Memory

LIMITS = {"T1": (220,), "T1time": (220,), "T2": (220,), "T3": (30, 60, 220), "T4": (220,)}
NOISE = re.compile(r"[\s\W_]+")


class Ours:
    """Our memory behind the calls of the rivals; the clock is the conversation's."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.observed_s: list[float] = []
        self.asked_s: list[float] = []

    def observe(self, role: str, text: str, stamp: str) -> None:
        """Observe one turn."""
        at = datetime.fromisoformat(stamp)
        self.now = at if at.tzinfo else at.replace(tzinfo=UTC)
        timed(self.observed_s, lambda: self.memory.observe(role, text, at=self.now))

    def context(self, query: str, limit_chars: int) -> str:
        """Return the block."""
        return timed(self.asked_s, lambda: str(self.memory.context(query, limit_chars=limit_chars, now=self.now)))


def run(arguments: list[str]) -> dict[str, object]:
    """Return recall by set and limit. Arguments: the folder, then beginnings of the names of sets to run."""
    if not arguments:
        raise SystemExit("name the folder with the probe files: python -m benchmarks memory_probes FOLDER [T1_zh ...]")
    folder, *only = arguments
    paths = [path for path in sorted(Path(folder).glob("T*.jsonl")) if not only or path.name.startswith(tuple(only))]
    observed_s: list[float] = []
    asked_s: list[float] = []
    sets = {path.stem: _score_set(path, observed_s, asked_s) for path in paths}
    return {"sets": sets, "observe_ms": quantiles_ms(observed_s), "context_ms": quantiles_ms(asked_s)}


def _score_set(path: Path, observed_s: list[float], asked_s: list[float]) -> dict[str, object]:
    scores: dict[tuple[int, str, str], list[float]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        conversation = json.loads(line)
        ours, window, bm25 = Ours(), Window(), Bm25()
        done = 0
        for probe in sorted(conversation["probes"], key=lambda probe: int(probe["after"])):
            for turn in conversation["turns"][done : probe["after"]]:
                ours.observe(turn["role"], turn["text"], turn["ts"])
                window.observe(turn["text"])
                bm25.observe(turn["text"])
            done = probe["after"]
            for limit in LIMITS[path.stem.split("_", 1)[0]]:
                for name, memory in (("ours", ours), ("window", window), ("bm25", bm25)):
                    block = memory.context(probe["query"], limit)
                    if len(block) > limit:
                        raise SystemExit(f"{path.stem}: {name} gave {len(block)} characters for a limit of {limit}")
                    score = _score(probe, block, conversation["lang"])
                    scores[limit, "all", name].append(score)
                    if path.stem.startswith("T4"):
                        scores[limit, str(probe.get("cat")), name].append(score)
        observed_s += ours.observed_s
        asked_s += ours.asked_s
    found: dict[str, Any] = {}
    for (limit, category, name), values in scores.items():
        row = found.setdefault(str(limit), {}).setdefault(category, {"probes": len(values)})
        row[name] = round(100 * sum(values) / len(values), 1)
    return found


def _score(probe: dict[str, Any], block: str, language: str) -> float:
    hits = [any(_stands_in(one, block, language) for one in group) for group in probe["gold"]]
    return sum(hits) / len(hits)


def _stands_in(gold: str, block: str, language: str) -> bool:
    if language == "zh":
        needle = NOISE.sub("", _folded(gold))
        return bool(needle) and needle in NOISE.sub("", _folded(block))
    needle, hay = (f" {NOISE.sub(' ', _folded(text).replace(chr(39), '')).strip()} " for text in (gold, block))
    return bool(needle.strip()) and needle in hay


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()
