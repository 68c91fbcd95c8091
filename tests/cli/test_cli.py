"""The command line as a person uses it: a real daemon, real processes, what is printed and how it ends."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

WAIT_S = 60
COMMANDS = ("run", "chat", "say", "explain", "show", "forget", "doctor", "packs")


def cli(*arguments: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-B", "-m", "claudemem_edge", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT_S,
        env={**os.environ, **environment},
    )


@pytest.fixture(scope="module")
def socket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = tmp_path_factory.mktemp("cli") / "api.sock"
    command = [
        sys.executable,
        "-B",
        "-m",
        "claudemem_edge",
        "run",
        "--socket",
        str(path),
        "--no-tcp",
        "--model",
        "echo",
    ]
    daemon = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    give_up_s = time.monotonic() + WAIT_S
    while not path.exists() and time.monotonic() < give_up_s:
        time.sleep(0.05)
    yield str(path)
    daemon.terminate()
    daemon.wait()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    told = cli(command, "--help")
    assert told.returncode == 0
    assert told.stdout.startswith("Usage:")


def test_help_lists_every_command() -> None:
    told = cli("--help")
    assert all(f"  {command}" in told.stdout for command in COMMANDS)


def test_say_answers_and_shows_the_block_with_its_turn(socket: str) -> None:
    cli("say", "--socket", socket, "--scope", "say", "My dog is called Biscuit.")
    told = cli("say", "--socket", socket, "--scope", "say", "What is my dog called?")
    assert told.returncode == 0
    assert "Biscuit" in told.stdout
    assert "← turn 1" in told.stdout


def test_quiet_hides_the_block(socket: str) -> None:
    cli("say", "--socket", socket, "--scope", "quiet", "My dog is called Biscuit.")
    told = cli("say", "--quiet", "--socket", socket, "--scope", "quiet", "What is my dog called?")
    assert "←" not in told.stdout


def test_show_and_forget(socket: str) -> None:
    cli("say", "--socket", socket, "--scope", "show", "My name is Ruth.")
    shown = cli("show", "--socket", socket, "--scope", "show")
    assert "Ruth" in shown.stdout
    as_json = cli("show", "--json", "--socket", socket, "--scope", "show")
    assert '"object": "Ruth"' in as_json.stdout
    refused = cli("forget", "all", "--socket", socket, "--scope", "show", stdin="n\n")
    assert refused.returncode == 1
    assert cli("forget", "all", "--yes", "--socket", socket, "--scope", "show").returncode == 0
    assert "Ruth" not in cli("show", "--statements", "--socket", socket, "--scope", "show").stdout


def test_a_reminder_is_told_with_its_date(socket: str) -> None:
    told = cli("say", "--socket", socket, "--scope", "remind", "提醒我明天上午10点测血压")
    assert told.returncode == 0
    assert "10" in told.stdout
    assert "测血压" in cli("show", "--socket", socket, "--scope", "remind").stdout


def test_explain_needs_no_daemon_and_names_the_rule() -> None:
    told = cli("explain", "--at", "2026-03-11T09:40", "提醒我明天上午10点测血压")
    assert told.returncode == 0
    assert "core.reminders." in told.stdout
    assert "2026-03-12T10:00:00" in told.stdout


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (("say", "--socket", "/nonexistent/api.sock", "hello"), "no daemon answers"),
        (("show", "--socket", "/nonexistent/api.sock"), "claudemem-edge run"),
        (("forget", "entity"), "name what to forget"),
        (("forget", "nonsense"), "nonsense"),
        (("explain",), "Missing argument"),
        (("nonsense",), "No such command"),
    ],
)
def test_mistakes_are_told_in_a_sentence(arguments: tuple[str, ...], wanted: str) -> None:
    told = cli(*arguments)
    assert told.returncode != 0
    assert wanted in told.stderr
    assert "Traceback" not in told.stderr


def test_an_unknown_scope_name_is_told_what_it_may_be(socket: str) -> None:
    told = cli("say", "--socket", socket, "--scope", "No Such!", "hello")
    assert told.returncode != 0
    assert "a-z" in told.stderr


def test_chat_starts_all_it_needs_and_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    told = cli(
        "chat", "--socket", str(tmp_path / "none.sock"), "--model", "echo", "--say", "My dog is called Biscuit.",
        "--say", "What is my dog called?", TMPDIR=str(folder),
    )  # fmt: skip
    assert told.returncode == 0
    assert told.stdout.count("Biscuit") >= 2
    assert list(folder.iterdir()) == []


def test_chat_says_what_to_do_without_a_model(tmp_path: Path) -> None:
    told = cli(
        "chat", "--socket", str(tmp_path / "none.sock"), "--say", "hello", "--model", "no-such-model",
        CLAUDEMEM_MODEL__URLS="http://127.0.0.1:9",
    )  # fmt: skip
    assert told.returncode == 1
    assert "ollama pull no-such-model" in told.stderr


def press_ctrl_d(master: int, _: subprocess.Popen[bytes]) -> None:
    os.write(master, b"\x04")


def press_ctrl_c(master: int, chat: subprocess.Popen[bytes]) -> None:
    while chat.poll() is None:  # again, when the first came in the instant before the prompt listened
        os.write(master, b"\x03")
        with suppress(subprocess.TimeoutExpired):
            chat.wait(3)


def close_the_window(master: int, _: subprocess.Popen[bytes]) -> None:
    os.close(master)


@pytest.mark.parametrize("end", [press_ctrl_d, press_ctrl_c, close_the_window])
def test_chat_in_a_terminal(end: Callable[[int, subprocess.Popen[bytes]], None], tmp_path: Path) -> None:
    master, slave = pty.openpty()
    own_terminal = ["env", "--default-signal=INT", "setsid", "--ctty"]  # so that its Ctrl-C reaches it
    command = [*own_terminal, sys.executable, "-B", "-m", "claudemem_edge", "chat", "--model", "echo"]
    command += ["--socket", str(tmp_path / "x.sock")]
    folder = tmp_path / "temporary"
    folder.mkdir()
    chat = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env={**os.environ, "TMPDIR": str(folder)})
    os.close(slave)
    greeting = _until(master, "> ")
    os.write(master, b"My dog is called Biscuit.\n")
    _until(master, "> ")
    os.write(master, b"What is my dog called?\n")
    block = _until(master, "> ")
    end(master, chat)
    status = chat.wait(WAIT_S)
    if end is not close_the_window:  # the window is still there to show how it ended
        assert status == 0
        os.close(master)
    assert "echo" in greeting
    assert "Ctrl-D" in greeting
    assert "← turn 1" in block
    assert list(folder.iterdir()) == []


def _until(master: int, wanted: str) -> str:
    seen = b""
    while wanted not in seen.decode(errors="replace"):
        seen += os.read(master, 4096)
    return seen.decode(errors="replace")
