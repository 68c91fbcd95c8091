"""`claudemem-edge doctor` as a person uses it: what is printed, in which language, and how it ends."""

from __future__ import annotations

import json
import os
import re
import string
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from fakes.child_daemon import Child
from fakes.real_mosquitto import Broker

import claudemem_edge
from claudemem_edge import __version__
from claudemem_edge.doctor.examine import CHECKS

PACKAGE = Path(claudemem_edge.__file__).parent
TEXTS: dict[str, Any] = tomllib.loads((PACKAGE / "cli" / "doctor.toml").read_text("utf-8"))
CODES = {
    code
    for path in (PACKAGE / "doctor").glob("*.py")
    for code in re.findall(r'\b(?:fine|hint|warning|problem|grade)\(\s*"(\w+)"', path.read_text("utf-8"))
}
SPELLED = {"broker_keeps", "broker_keeps_written", "latency", "latency_cold"}
"""Codes that are chosen before the finding is made."""


def doctor(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    known = {"HOME": "/nonexistent", "XDG_CONFIG_HOME": "/nonexistent", "CLAUDEMEM_MODEL__URLS": "http://127.0.0.1:9"}
    return subprocess.run(
        [sys.executable, "-B", "-m", "claudemem_edge", "doctor", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=110,
        env={**os.environ, "LC_ALL": "C.UTF-8", **known, **environment},
    )


def fields(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_finding_has_its_sentences(language: str) -> None:
    texts = TEXTS[language]
    assert set(texts["found"]) == CODES | SPELLED
    assert set(texts["titles"]) == {check.name for check in CHECKS}
    assert set(texts["why"]) <= set(texts["found"])


@pytest.mark.parametrize("code", sorted(CODES | SPELLED))
def test_both_languages_say_the_same(code: str) -> None:
    assert fields(TEXTS["en"]["found"][code]) == fields(TEXTS["zh"]["found"][code])
    assert (code in TEXTS["en"]["why"]) == (code in TEXTS["zh"]["why"])


def test_without_a_model_there_is_a_problem_and_what_to_type(tmp_path: Path) -> None:
    told = doctor("--socket", str(tmp_path / "none.sock"))
    assert told.returncode == 1
    assert "✗ no server of language models answers at http://127.0.0.1:9" in told.stdout
    assert re.search(r"Type: \S+", told.stdout)
    assert told.stderr == ""


def test_in_chinese(tmp_path: Path) -> None:
    told = doctor("--quiet", "--socket", str(tmp_path / "none.sock"), LC_ALL="zh_CN.UTF-8")
    assert "语言模型" in told.stdout
    assert "✓" not in told.stdout
    assert "请输入：" in told.stdout


def test_as_json_everything_is_there(tmp_path: Path) -> None:
    told = doctor("--json", "--socket", str(tmp_path / "none.sock"), CLAUDEMEM_MODEL__ECHO="true")
    rows = json.loads(told.stdout)
    assert {row["check"] for row in rows} == {check.name for check in CHECKS}
    assert told.returncode == any(row["grade"] == "problem" for row in rows)
    assert all(row["found"] for row in rows)
    assert all(row["why"] and row["type"] for row in rows if row["grade"] in {"warning", "problem"})


@pytest.mark.broker
def test_no_word_password_or_token_is_ever_printed(tmp_path: Path) -> None:
    folder = tmp_path / "claudemem-edge"
    folder.mkdir()
    (tmp_path / "password").write_text("canary-password")
    broker = Broker(tmp_path, users={"edge": "canary-other"})
    broker.start()
    (folder / "a.toml").write_text(
        f'[http.tokens]\ncanary-token = ["anna"]\n[mqtt]\nenabled = true\nport = {broker.port}\n'
        f'username = "edge"\npassword_file = "{tmp_path / "password"}"\n'
    )
    child = Child(tmp_path, "--no-tcp", "--model", "echo")
    try:
        child.hears("READY=1")
        with child.http() as http:
            http.post("/memory/default/observe", json={"text": "My cat is called Canary."}).raise_for_status()
        for options in (("--json",), ()):
            url = "http://anna:canary-url@127.0.0.1:9"
            told = doctor(
                *options, "--socket", str(child.path), XDG_CONFIG_HOME=str(tmp_path), CLAUDEMEM_MODEL__URLS=url
            )
            assert "refuses our user name or password" in told.stdout
            assert __version__ in told.stdout
            assert "canary" not in (told.stdout + told.stderr).casefold()
    finally:
        child.close()
        broker.kill()


def test_wrong_settings_are_found_and_the_rest_is_looked_at(tmp_path: Path) -> None:
    told = doctor("--json", "--socket", str(tmp_path / "none.sock"), CLAUDEMEM_MODEL__NAEM="x")
    found = {row["code"] for row in json.loads(told.stdout)}
    assert {"settings_mistake", "memory"} <= found
    assert "check_failed" not in found
    assert told.returncode == 1
