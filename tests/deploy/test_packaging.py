"""The distribution: what is in it, and that it runs where nothing else of ours is."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
WAIT_S = 100
NOT_SHIPPED = {".pyc"}


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, check=False, timeout=WAIT_S, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-B", "-m", "hatchling", "build", "-d", folder, cwd=ROOT)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (path,) = built.glob("*.whl")
    return path


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    files = (path for path in (ROOT / "claudemem_edge").rglob("*") if path.is_file() and path.suffix not in NOT_SHIPPED)
    assert names == {str(path.relative_to(ROOT)) for path in files}
    assert names >= {
        "claudemem_edge/py.typed",
        "claudemem_edge/defaults.toml",
        "claudemem_edge/cli/doctor.toml",
        "claudemem_edge/cli/words.toml",
        "claudemem_edge/engine/plain.toml",
        "claudemem_edge/model/profiles/default.toml",
        "claudemem_edge/packs/en/core/phrases.toml",
        "claudemem_edge/packs/zh/core/phrases.toml",
        "claudemem_edge/transport/chores.toml",
    }


def test_the_wheel_says_what_it_is(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (info,) = {name.split("/")[0] for name in archive.namelist() if ".dist-info/" in name}
        told = Parser().parsestr(archive.read(f"{info}/METADATA").decode())
        commands = archive.read(f"{info}/entry_points.txt").decode()
        assert f"{info}/licenses/LICENSE" in archive.namelist()
    assert (told["License-Expression"], told["Requires-Python"]) == ("MIT", ">=3.11")
    assert {"embedded", "test"} <= set(told.get_all("Provides-Extra", []))
    assert "claudemem-edge = claudemem_edge.cli:main" in commands
    needed = [name for name in told.get_all("Requires-Dist", []) if "extra ==" not in name]
    assert not any("xllamacpp" in name for name in needed)


def test_the_source_archive_can_be_tried_and_tested(built: Path) -> None:
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        modes = {member.name.partition("/")[2]: member.mode for member in archive.getmembers()}
    assert modes.keys() >= {"LICENSE", "README.md", "README.zh-CN.md", "docs/doors.md", "tests/conftest.py"}
    for script in ("deploy/try", "systemd/install", "tests/run", ".ci/run"):
        assert modes[script] & 0o111, script
    assert not any(name.startswith((".try", ".venv", ".git/")) or "__pycache__" in name for name in modes)


def test_the_wheel_runs_where_nothing_else_of_ours_is(wheel: Path, tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", venv, cwd=tmp_path)
    python = venv / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check")
    run(*pip, "install", "-q", "--no-deps", "--no-index", wheel, cwd=tmp_path)
    # What it depends on is lent by the Python that runs the tests; an editable install of ours is not among it.
    (site,) = venv.glob("lib/python*/site-packages")
    (site / "lent.pth").write_text(sysconfig.get_path("purelib"))
    where = run(python, "-c", "import claudemem_edge; print(claudemem_edge.__file__)", cwd=tmp_path).stdout.strip()
    assert Path(where).is_relative_to(site)
    command = venv / "bin" / "claudemem-edge"
    assert run(command, "--version", cwd=tmp_path).stdout.startswith("claudemem-edge, version ")
    explained = run(command, "explain", "提醒我明天上午10点测血压", cwd=tmp_path).stdout
    assert "core.reminders." in explained
    assert "core" in run(command, "packs", cwd=tmp_path).stdout
