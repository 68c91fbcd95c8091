"""The rules of the house, as tests: types, lint, import directions, sizes, weight of imports, no language in code."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import claudemem_edge

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "claudemem_edge"
HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
MOST_LINES = {"turn.py": 120, "daemon.py": 200}
MOST_LINES_ELSEWHERE = 300
HEAVY = (
    "pydantic",
    "ollama",
    "httpx",
    "paho",
    "aiomqtt",
    "ssl",
    "dateparser",
    "starlette",
    "uvicorn",
    "asyncio",
    "regex",
)
HEAVY_FOR_A_LIBRARY = (*HEAVY, "hashlib", "random", "tempfile", "zipfile", "difflib", "logging", "importlib.resources")
"""The first alone brings OpenSSL: 3.6 MB."""
HEAVY_FOR_THE_DAEMON = ("pydantic", "ollama", "dateparser", "regex")
USE_MEMORY = """
import sys
from datetime import datetime, timezone
from claudemem_edge import Memory, find_times
now = datetime(2026, 3, 11, 9, 40, tzinfo=timezone.utc)
memory = Memory()
for text in ("我叫王建国，今年72岁。", "Remind me tomorrow at 10 am to call Bob.", "不对，是73岁。", "What did I say?"):
    memory.observe("user", text, at=now)
    str(memory.context(text, now=now))
find_times("下周三下午三点半", now=now)
from claudemem_edge.language.load import load
assert load.cache_info().currsize == 1, "the packs were read twice"
print(*(name for name in sys.argv[1:] if name in sys.modules))
"""


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-B", *command], cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )


def sources(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.py") if ".venv" not in path.parts)


def test_types_are_strict_everywhere() -> None:
    checked = run("-m", "mypy", "--no-error-summary", "--cache-dir", ".mypy_cache")
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("command", [("check", "--no-cache"), ("format", "--check", "--no-cache")])
def test_lint_and_format_are_clean(command: tuple[str, ...]) -> None:
    checked = run("-m", "ruff", *command, "--quiet", ".")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_imports_go_one_way() -> None:
    checked = run("-c", "from importlinter.cli import lint_imports_command as lint; lint()", "--no-cache")
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("path", sources(PACKAGE), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_is_one_thing(path: Path) -> None:
    most = MOST_LINES.get(path.name, MOST_LINES_ELSEWHERE) if path.parent == PACKAGE else MOST_LINES_ELSEWHERE
    assert len(path.read_text(encoding="utf-8").splitlines()) <= most


@pytest.mark.parametrize("path", sources(PACKAGE), ids=lambda path: str(path.relative_to(ROOT)))
def test_language_lives_in_data(path: Path) -> None:
    assert not HAN.search(path.read_text(encoding="utf-8"))


def test_packs_hold_data_alone() -> None:
    assert {path.suffix for path in (PACKAGE / "packs").rglob("*") if path.is_file()} == {".toml", ".txt"}


def test_the_library_loads_nothing_heavy() -> None:
    used = run("-c", USE_MEMORY, *HEAVY_FOR_A_LIBRARY)
    assert used.returncode == 0, used.stderr
    assert used.stdout.split() == []


def test_the_daemon_loads_no_more_than_it_needs() -> None:
    script = (
        "import asyncio, sys, claudemem_edge.cli.run, claudemem_edge.daemon, claudemem_edge.transport.mqtt, httpx\n"
        "from claudemem_edge.settings import read_settings\n"
        "asyncio.run(claudemem_edge.daemon.Daemon(read_settings({'HOME': '/nonexistent'})).self_test())\n"
        "print('heavy:', *(name for name in sys.argv[1:] if name in sys.modules))"
    )
    used = run("-c", script, *HEAVY_FOR_THE_DAEMON)
    assert used.returncode == 0, used.stderr
    assert used.stdout.split() == ["heavy:"]


def test_help_loads_nothing_heavy() -> None:
    script = (
        "import sys; from claudemem_edge.cli import main; main(['--help'], standalone_mode=False); "
        f"print('heavy:', *(name for name in {HEAVY} if name in sys.modules))"
    )
    shown = run("-c", script)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.splitlines()[-1] == "heavy:"


def test_the_public_names_are_these() -> None:
    assert sorted(claudemem_edge.__all__) == ["Context", "Memory", "Outcome", "Profile", "TimeMention", "find_times"]
    assert all(hasattr(claudemem_edge, name) for name in claudemem_edge.__all__)
