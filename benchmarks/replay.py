"""Reports of failures played on the real daemon, with broker and fake model: passed and failed by area."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parent.parent / "tests"
"""Runner, broker and fake model are the tests' own."""


def run(arguments: list[str]) -> dict[str, object]:
    """Play the reports of a JSON lines file. Arguments: the file, then ids to play alone."""
    sys.path.append(str(TESTS))
    from replay.report import Result, play_report

    file, *only = arguments
    rows = [json.loads(line) for line in Path(file).read_text("utf-8").splitlines() if line.strip()]
    chosen = [row for row in rows if not only or row["id"] in only]
    results = []
    for row in chosen:
        try:
            results.append(asyncio.run(play_report(row)))
        except Exception as error:  # noqa: BLE001 - one report that cannot be played must not keep the others from it
            results.append(Result(row["id"], row["area"], unread=[f"it could not be played: {error!r}"]))
        print(f"{row['id']:12} {'passed' if results[-1].passed else 'failed'}", file=sys.stderr)
    areas: dict[str, Counter[str]] = {}
    for result in results:
        outcome = "passed" if result.passed else "failed" if result.wrong else "not judged"
        areas.setdefault(result.area, Counter())[outcome] += 1
    return {
        "reports": len(results),
        "passed": sum(result.passed for result in results),
        "areas": areas,
        "failed": {result.id: result.wrong for result in results if result.wrong},
        "not_judged": {result.id: result.unread for result in results if result.unread},
    }
