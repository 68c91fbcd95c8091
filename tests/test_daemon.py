from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from fakes.child_daemon import WAIT_S, Child

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def child(tmp_path: Path) -> Iterator[Child]:
    started = Child(tmp_path, "--no-tcp", "--model", "echo", WATCHDOG_USEC="200000")
    yield started
    started.close()


def test_ready_means_that_requests_are_answered(child: Child) -> None:
    child.hears("READY=1")
    with child.http() as http:
        assert http.get("/health").json()["status"] == "ok"
        lines = http.post("/memory/anna/say", json={"text": "My dog is called Biscuit."}).text.splitlines()
        events = [json.loads(line)["event"] for line in lines]
        assert events[0] == "accepted"
        assert events[-1] == "final"


def test_the_watchdog_is_fed(child: Child) -> None:
    child.hears("READY=1")
    with child.http() as http:
        http.post("/memory/anna/observe", json={"text": "My dog is called Biscuit."})
    child.hears("WATCHDOG=1")
    assert child.hears("WATCHDOG=1\nSTATUS=1 scope(s)").endswith("model: echo")


UNWELL = {
    "forgets": "Memory.context = lambda *_, **__: Context()",
    "fails": "Memory.context = lambda *_, **__: 1 / 0",
    "hangs": "EchoModel.chosen = lambda _: asyncio.Event().wait()",
}
BROKEN = """
import asyncio
from claudemem_edge.cli import main
from claudemem_edge.memory import Memory
from claudemem_edge.model.echo import EchoModel
from claudemem_edge.shapes.context import Context
{how}
main()
"""


@pytest.mark.parametrize("how", UNWELL)
def test_a_daemon_whose_turns_do_not_work_lets_the_watchdog_starve(tmp_path: Path, how: str) -> None:
    program = ("-c", BROKEN.format(how=UNWELL[how]))
    child = Child(tmp_path, "--no-tcp", "--model", "echo", program=program, WATCHDOG_USEC="300000")
    try:
        child.hears("READY=1")
        child.logs("the self-test failed", times=2)
        assert child.heard() == []
    finally:
        child.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(child: Child, number: signal.Signals) -> None:
    child.hears("READY=1")
    child.process.send_signal(number)
    child.hears("STOPPING=1")
    status, _ = child.ends()
    assert status == 0
    assert not child.path.exists()


def test_the_log_never_holds_what_was_said(child: Child) -> None:
    child.hears("READY=1")
    with child.http() as http:
        for text in ("zanzibar canary", "提醒我明天上午10点测zanzibar", "forget zanzibar"):
            http.post("/memory/anna/say", json={"text": text})
        http.post("/memory/anna/say", content=b'{"text": "zanzibar')
        http.post("/memory/anna/say", json={"text": "zanzibar", "zanzibar": "zanzibar"})
        http.post("/api/chat", json={"model": "m", "messages": [{"role": "user", "content": "zanzibar"}]})
    child.process.terminate()
    status, logged = child.ends()
    assert status == 0
    assert "zanzibar" not in logged


def test_an_owner_who_asks_for_words_in_the_log_gets_them(tmp_path: Path) -> None:
    wish = {"CLAUDEMEM_LOG__LEVEL": "debug", "CLAUDEMEM_LOG__LOG_TEXT": "true"}
    child = Child(tmp_path, "--no-tcp", "--model", "echo", **wish)
    try:
        child.hears("READY=1")
        with child.http() as http:
            http.post("/memory/anna/observe", json={"text": "My dog is called Zanzibar."})
            http.post("/memory/anna/say", json={"text": "What is my dog called?"})
        child.process.terminate()
        _, logged = child.ends()
    finally:
        child.close()
    assert "log.log_text is on" in logged
    for told in ("'user': 'My dog is called Zanzibar.'", "block: ", "assistant: "):
        assert f"anna: {told}" in logged
    assert logged.count("Zanzibar") > 2


def test_it_stops_with_its_parents_input(tmp_path: Path) -> None:
    child = Child(tmp_path, "--no-tcp", "--model", "echo", "--with-parent")
    try:
        child.hears("READY=1")
        assert child.process.stdin is not None
        child.process.stdin.close()
        assert child.process.wait(WAIT_S) == 0
    finally:
        child.close()


def test_wrong_settings_end_with_78_and_a_sentence(tmp_path: Path) -> None:
    child = Child(tmp_path, "--no-tcp", CLAUDEMEM_MODEL__NAEM="x")
    try:
        status, told = child.ends()
        assert status == 78
        assert "did you mean name?" in told
    finally:
        child.close()


def test_a_second_daemon_leaves_the_first_alone(child: Child, tmp_path: Path) -> None:
    child.hears("READY=1")
    second = subprocess.run(
        [
            sys.executable,
            "-B",
            "-m",
            "claudemem_edge",
            "run",
            "--socket",
            str(child.path),
            "--no-tcp",
            "--model",
            "echo",
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT_S,
    )
    assert second.returncode == 78
    assert str(child.path) in second.stderr
    with child.http() as http:
        assert http.get("/health").status_code == 200
