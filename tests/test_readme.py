"""What the READMEs show is run as it stands there, in both languages."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fakes.fake_ollama import FakeModel, FakeOllama

from claudemem_edge import Memory

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
READMES = {"README.md": ("penicillin", "Biscuit"), "README.zh-CN.md": ("青霉素", "豆豆")}
WAIT_S = 60


def blocks(name: str, language: str) -> list[str]:
    """Return the fenced blocks of one language, in order."""
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL)


def block_with(name: str, language: str, word: str) -> str:
    (found,) = [block for block in blocks(name, language) if word in block]
    return found


def conversation(name: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield what is said on the first screen, the lines answered to it, and the lines of the block, turns left out."""
    (shown,) = blocks(name, "text")
    for turn in shown.split("> ")[1:]:
        said, *lines = turn.splitlines()
        block = [line.removeprefix("  │ ").partition("   ←")[0] for line in lines if line.startswith("  │ ")]
        yield said, [line for line in lines if not line.startswith("  │ ")], block


@pytest.mark.parametrize("name", READMES)
def test_the_conversation_of_the_first_screen(name: str) -> None:
    memory, now, asked = Memory(), datetime(2026, 11, 30, 9, tzinfo=UTC), 0
    for said, answered, block in conversation(name):
        now += timedelta(seconds=20)
        outcome = memory.observe("user", said, at=now)
        if outcome.complete:
            assert answered == [outcome.say]
        elif block:
            assert memory.context(said, now=now).text.splitlines() == block
            asked += 1
        for line in () if outcome.complete else answered:
            memory.observe("assistant", line, at=now)
    assert asked


@pytest.mark.parametrize("name", READMES)
def test_the_three_lines_of_the_library(name: str) -> None:
    known: dict[str, object] = {}
    exec(block_with(name, "python", "datetime.now()"), known)
    assert READMES[name][0] in str(known["block"])
    assert str(known["prompt"]).startswith(str(known["block"]))


@pytest.mark.parametrize("name", READMES)
async def test_the_session_in_a_script(name: str, tmp_path: Path) -> None:
    script = tmp_path / "session.py"
    script.write_text(block_with(name, "python", "from ollama import chat"), encoding="utf-8")
    async with FakeOllama(pieces=("So it is.",), models=(FakeModel("qwen2.5:1.5b"),)) as fake:
        environment = {**os.environ, "OLLAMA_HOST": fake.url}
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-B", str(script), env=environment, stdout=asyncio.subprocess.PIPE
        )
        told, _ = await asyncio.wait_for(child.communicate(), WAIT_S)
        assert child.returncode == 0
        assert told.decode().count("So it is.") == 2
        assert READMES[name][0] in fake.asked[-1].json["messages"][-1]["content"]


@pytest.mark.parametrize("name", READMES)
def test_the_lines_for_a_shell(name: str, tmp_path: Path) -> None:
    environment = {**os.environ, "CLAUDEMEM_SOCKET": str(tmp_path / "api.sock"), "CLAUDEMEM_HTTP__TCP": "false"}
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    lines = block_with(name, "sh", "run --model echo").replace("sleep 1", "sleep 5")
    told = subprocess.run(
        ["sh", "-e", "-c", f"{lines}\nkill $!"],
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT_S,
        env=environment,
    )
    assert told.returncode == 0, told.stderr
    assert READMES[name][1] in told.stdout


@pytest.mark.parametrize("name", READMES)
def test_every_file_it_names_is_there(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / link).exists(), link
    for command in ("deploy/try", "tests/run"):
        assert command in text
        assert os.access(ROOT / command, os.X_OK)


def test_both_say_the_same() -> None:
    shapes = [
        [
            line.split()[0]
            for line in (ROOT / name).read_text(encoding="utf-8").splitlines()
            if line.startswith(("#", "```"))
        ]
        for name in READMES
    ]
    assert shapes[0] == shapes[1]
