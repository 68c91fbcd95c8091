"""Floods at every door: what each request was told, what a well-behaved client got meanwhile, what the daemon weighed.

Over loopback, bounded in number and time. The house of daemon, broker and model is the tests' own.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from floods.play import Row

TESTS = Path(__file__).parent.parent / "tests"
GOAL_REFUSED_P99_MS = 100


def run(arguments: list[str]) -> dict[str, object]:
    """Play the floods. Arguments: words that the floods to play have in their names; none for all."""
    sys.path.append(str(TESTS))
    from floods.play import Sizes, all_floods, play

    rows = []
    for flood in all_floods(Sizes()):
        if arguments and not any(word in flood.what for word in arguments):
            continue
        with tempfile.TemporaryDirectory() as folder:
            rows.append(_row(asyncio.run(play(flood, Path(folder)))))
        print(rows[-1], file=sys.stderr)
    return {"goal_refused_p99_ms": GOAL_REFUSED_P99_MS, "floods": rows}


def _row(row: Row) -> dict[str, object]:
    from floods.floods import longest_run

    told, watch = row.told, row.watch
    answered = len(watch.answers_s)
    refused = sorted(told.refused_ms)
    found: dict[str, object] = {
        "flood": row.what,
        "told": dict(told.codes),
        "calm_answered": f"{answered} of {answered + len(watch.missed)}",
        "calm_worst_ms": round(1000 * max(watch.answers_s, default=0)),
        "rss_before_peak_after_mb": [round(one, 1) for one in (watch.before_mb, watch.peak_mb, watch.after_mb)],
        "recovered": row.recovered,
        "wrong": told.wrong + watch.missed[:3],
    }
    if refused:
        found["refused_p50_p99_ms"] = [round(refused[int(share * (len(refused) - 1))], 1) for share in (0.5, 0.99)]
        found["served"] = len(told.served)
        found["longest_run_of_one_scope"] = longest_run(told.served)
    return found
