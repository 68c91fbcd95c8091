"""The examples, each run as it stands against a whole daemon."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio
from clients.node_clients import INSTALLED
from fakes.doors_house import Doors, open_doors

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

pytestmark = [pytest.mark.broker, pytest.mark.asyncio(loop_scope="module")]
EXAMPLES = Path(__file__).parents[2] / "deploy" / "examples"
RUNS_WITH = {".sh": "sh", ".py": sys.executable, ".mjs": "node"}
OWN_ANSWER = "It is kept."
"""What the fake model says to everything."""
TOLD = ("learned: ", "stored claim", OWN_ANSWER, "10:00", "measure my blood pressure")
WANTED = {
    "tell_and_ask.sh": ('"event":"final"', "amlodipine", '"items"', "measure my blood pressure"),
    "tell_and_ask.py": (*TOLD, "the model had read:"),
    "tell_and_ask.mjs": (*TOLD, "the model had read:"),
    "tell_and_ask_mqtt.sh": ('"ok":true', OWN_ANSWER, "measure my blood pressure"),
    "tell_and_ask_mqtt.py": TOLD,
    "tell_and_ask_mqtt.mjs": TOLD,
    "ollama_client.py": (OWN_ANSWER,),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def doors(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Doors]:
    async with open_doors(tmp_path_factory.mktemp("daemon")) as opened:
        yield opened


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the examples, beside what `npm install mqtt` installs."""
    copy = tmp_path_factory.mktemp("examples") / "examples"
    shutil.copytree(EXAMPLES, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "node_modules").symlink_to(INSTALLED)
    return copy


async def start(example: Path, doors: Doors, scope: str) -> asyncio.subprocess.Process:
    told = {
        "CLAUDEMEM_SOCKET": str(doors.child.path),
        "CLAUDEMEM_URL": doors.url,
        "MQTT_PORT": str(doors.broker.port),
    }
    return await asyncio.create_subprocess_exec(
        RUNS_WITH[example.suffix], example, scope,
        env={**os.environ, **told}, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip


@pytest.mark.parametrize("name", WANTED)
async def test_an_example_does_what_it_says(doors: Doors, folder: Path, name: str) -> None:
    scope = name.replace(".", "-")
    process = await start(folder / name, doors, scope)
    out, err = await process.communicate()
    assert (process.returncode, err.decode()) == (0, "")
    for wanted in WANTED[name]:
        assert wanted in out.decode()
    question = doors.fake.asked[-1].json["messages"][-1]["content"]
    block, asked, _ = question.partition("Which medicine do I take?")
    assert asked
    assert "amlodipine" in block, "this is what makes it remember"


async def test_what_falls_due_is_printed(doors: Doors, folder: Path) -> None:
    process = await start(folder / "announce.py", doors, "hall")
    assert process.stdout is not None
    assert process.stderr is not None
    assert await process.stderr.readline() == b"listening\n"
    soon = datetime.now(UTC) + timedelta(seconds=1)
    await doors.unix.post("/memory/hall/pending", json={"text": "stretch", "due": soon.isoformat()})
    assert await process.stdout.readline() == b"stretch\n"
    process.terminate()
    await process.communicate()


@pytest.mark.parametrize("name", ["tell_and_ask.sh", "tell_and_ask.py", "tell_and_ask.mjs"])
async def test_a_refusal_ends_an_example_with_the_daemons_own_sentence(doors: Doors, folder: Path, name: str) -> None:
    process = await start(folder / name, doors, "No-Scope")
    out, err = await process.communicate()
    assert process.returncode != 0
    assert b"scope" in out + err


async def test_each_example_is_tried_and_told_of() -> None:
    listed = EXAMPLES.joinpath("README.md").read_text("utf-8")
    programs = {path.name for path in EXAMPLES.iterdir() if path.suffix in RUNS_WITH}
    assert programs == {*WANTED, "announce.py"}
    assert all(f"`{name}`" in listed for name in programs)
    assert all(os.access(EXAMPLES / name, os.X_OK) for name in programs)
