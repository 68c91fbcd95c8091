"""Broker, model server and engine are killed before, during and after an answer, and come back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from neighbours.house import BrokerNeighbour, Program, engine, ollama, open_house, stand_in
from neighbours.password import wrong_password
from neighbours.rounds import MOMENTS, Play

if TYPE_CHECKING:
    from pathlib import Path

    from neighbours.rounds import Round

pytestmark = pytest.mark.broker
ROUNDS = 2


async def played(folder: Path, model: Program, moment: str, rounds: int = ROUNDS, *, broker: bool = False) -> set[str]:
    """Play rounds in a house of their own, see that no promise was broken, and return how the answers ended."""
    async with open_house(folder, model) as house:
        play = Play(house, BrokerNeighbour(house) if broker else house.model)
        found: list[Round] = [await play.play(moment, number) for number in range(rounds)]
    assert [(one.wrong, one.lies) for one in found] == [([], [])] * rounds
    return {kind for one in found for kind in one.endings}


@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_neighbour_dies(tmp_path: Path, moment: str) -> None:
    folders = [tmp_path / name for name in ("broker", "ollama", "engine")]
    for folder in folders:
        folder.mkdir()
    async with asyncio.TaskGroup() as side_by_side:
        by_broker = side_by_side.create_task(played(folders[0], ollama(), moment, broker=True))
        by_ollama = side_by_side.create_task(played(folders[1], ollama(), moment))
        by_engine = side_by_side.create_task(played(folders[2], stand_in(folders[2]), moment))
    assert by_broker.result() == {"final"}, "no answer needs the broker"
    assert by_ollama.result() == by_engine.result() == ({"final"} if moment == "after" else {"failed"})


@pytest.mark.real_model
async def test_the_engine_itself_dies_in_the_middle_of_an_answer(tmp_path: Path) -> None:
    assert await played(tmp_path, engine(tmp_path), "during", rounds=1) == {"failed"}


async def test_a_wrong_password_is_said_once_and_tried_ever_more_seldom(tmp_path: Path) -> None:
    found = await wrong_password(tmp_path, watched_s=0)
    assert found["said"] == 1
    assert found["tries"] < 10
    assert not found["connected"]
    assert found["told"] == "it refuses our user name or password"
