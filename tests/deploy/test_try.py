"""deploy/try as a newcomer meets it, without downloads: what it says, what it leaves, how it goes on."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from fakes.fake_ollama import FakeModel, FakeOllama
from steps import Stopped

from claudemem_edge.engine.weights import PACKAGED

if TYPE_CHECKING:
    from pathlib import Path

WAIT_S = 100
OFFLINE = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": ""}
NO_OLLAMA = {"CLAUDEMEM_MODEL__URLS": "http://127.0.0.1:9"}
NAME = ("--say", "My name is Tom.", "--say", "What is my name?")


def run_try(house: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, house / "deploy" / "try", *options],
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT_S,
        env={**os.environ, "LC_ALL": "C.UTF-8", **environment},
    )


def tree(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_help_says_what_it_can_do(house: Path) -> None:
    told = run_try(house, "--help")
    assert told.returncode == 0
    assert all(option in told.stdout for option in ("--say", "--chinese", "--quiet", "--remove"))


@pytest.mark.parametrize("version", [(2, 7, 18), (3, 9, 2), (3, 10, 14)])
def test_an_old_python_is_told_in_both_languages(version: tuple[int, ...], script: Any) -> None:
    with pytest.raises(Stopped, match=r"Python 3\.11 or newer") as stopped:
        script.check_python(version)
    assert "3.11" in stopped.value.chinese


def test_a_python_that_is_new_enough_passes(script: Any) -> None:
    script.check_python((3, 11, 0))
    script.check_python((4, 0))


@pytest.mark.parametrize(
    ("environment", "chinese"),
    [
        ({}, False),
        ({"LANG": "zh_CN.UTF-8"}, True),
        ({"LANG": "en_GB.UTF-8"}, False),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C.UTF-8"}, False),
        ({"LANG": "C", "LC_MESSAGES": "zh_TW"}, True),
        ({"LANG": "zh_CN", "LC_ALL": ""}, True),
    ],
)
def test_the_language_follows_the_locale(environment: dict[str, str], chinese: bool, script: Any) -> None:  # noqa: FBT001 (a column of the table)
    assert script.chinese_locale(environment) is chinese


@pytest.mark.parametrize(
    ("models", "chats"),
    [
        ([FakeModel("qwen2.5:1.5b")], True),
        ([FakeModel("nomic-embed-text", capabilities=("embedding",)), FakeModel("qwen2.5:1.5b")], True),
        ([FakeModel("bge-m3", family="bert", capabilities=())], False),
        ([], False),
    ],
)
async def test_an_ollama_counts_when_it_has_a_chat_model(models: list[FakeModel], chats: bool, script: Any) -> None:  # noqa: FBT001 (a column of the table)
    async with FakeOllama() as fake:
        fake.models[:] = models
        assert await asyncio.to_thread(script.ollama_chats, f"{fake.url}/api/tags") is chats


def test_no_ollama_is_no_error(script: Any) -> None:
    assert not script.ollama_chats("http://127.0.0.1:9/api/tags")


def test_what_it_asks_of_the_project_needs_nothing_installed(house: Path) -> None:
    look = "import claudemem_edge.model.choice, claudemem_edge.engine.processor as it; it.check_processor"
    bare = [sys.executable, "-I", "-S", "-B", "-c", f"import sys; sys.path.append({str(house)!r}); {look}"]
    assert subprocess.run(bare, check=False, timeout=WAIT_S).returncode == 0


def test_remove_leaves_the_clone_as_it_was(house: Path) -> None:
    before = tree(house)
    (house / ".try" / "venv" / "bin").mkdir(parents=True)
    (house / ".try" / "has-packages").write_text("[]")
    told = run_try(house, "--remove")
    assert told.returncode == 0
    assert tree(house) == before
    assert "nothing to remove" in run_try(house, "--remove").stdout
    assert "没有" in run_try(house, "--remove", LC_ALL="zh_CN.UTF-8").stdout


def test_a_failed_step_says_why_and_the_next_run_goes_on_from_there(house: Path) -> None:
    first = run_try(house, *NAME, **OFFLINE)
    assert first.returncode == 1
    assert "MB to download" in first.stdout
    assert first.stdout.index("MB to download") < first.stdout.index("\n1/")
    assert "goes on from here" in first.stderr
    assert "hatchling" in first.stderr  # what pip missed
    assert "Traceback" not in first.stderr
    built = (house / ".try" / "venv" / "pyvenv.cfg").stat()
    assert run_try(house, *NAME, **OFFLINE).returncode == 1
    assert (house / ".try" / "venv" / "pyvenv.cfg").stat() == built
    assert run_try(house, "--remove").returncode == 0
    assert not (house / ".try").exists()


def test_ctrl_c_ends_it_in_a_sentence(house: Path) -> None:
    command = ["env", "--default-signal=INT", sys.executable, str(house / "deploy" / "try")]
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "LC_ALL": "C.UTF-8", **OFFLINE},
    )  # fmt: skip
    give_up_s = time.monotonic() + WAIT_S
    while not (house / ".try" / "venv").exists() and time.monotonic() < give_up_s:
        time.sleep(0.01)
    os.killpg(child.pid, signal.SIGINT)
    out, error = child.communicate(timeout=WAIT_S)
    assert child.returncode == 130
    assert "goes on from here" in out
    assert "Traceback" not in error
    assert not list((house / ".try").glob("has-*"))


def test_every_model_is_one_that_the_engine_finds(parts: Any) -> None:
    assert set(parts.MODELS) == {packaged.name for packaged in PACKAGED}


@pytest.mark.real_model
def test_what_is_set_up_already_answers_at_once(house: Path, parts: Any) -> None:
    (house / ".try").mkdir()
    parts.VENV.symlink_to(sys.prefix)
    (house / ".try" / "has-venv").write_text("{}.{}".format(*sys.version_info))
    for part in (parts.PACKAGES, parts.ENGINE, parts.MODELS["smollm2:135m"]):
        parts.set_stamp(part)
    before = tree(house)
    told = run_try(house, *NAME, **NO_OLLAMA)
    assert told.returncode == 0, told.stderr
    assert "MB" not in told.stdout
    _, named, asked = told.stdout.split("> ")
    assert named.startswith("My name is Tom.")
    assert len(asked.splitlines()) > 1  # an answer below the question
    assert "Tom" in asked
    assert tree(house) == before
