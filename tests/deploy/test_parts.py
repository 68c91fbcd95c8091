"""What deploy/try brings, and what it says when it cannot."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
from steps import Speaker, Steps, Stopped, progress_line

if TYPE_CHECKING:
    from pathlib import Path

PINNED = re.compile(r"[a-z0-9-]+==\d+(\.\d+)+ --hash=sha256:[0-9a-f]{64}")
ENGLISH, CHINESE = "smollm2:135m", "gemma3:270m-base"


@pytest.fixture
def steps(tmp_path: Path) -> Steps:
    return Steps(tmp_path / "downloads")


@pytest.fixture
def set_up(parts: Any) -> Any:
    """The parts module of a house where the packages and the English model stand already."""
    parts.PYTHON.parent.mkdir(parents=True)
    parts.PYTHON.symlink_to(sys.executable)
    (parts.FOLDER / "has-venv").write_text("{}.{}".format(*sys.version_info))
    for part in (parts.PACKAGES, parts.ENGINE, parts.MODELS[ENGLISH]):
        parts.set_stamp(part)
    return parts


def test_in_a_fresh_clone_everything_is_wanted(parts: Any) -> None:
    assert parts.wanted_parts("") == [parts.PACKAGES]
    assert parts.wanted_parts(CHINESE) == [parts.PACKAGES, parts.ENGINE, parts.MODELS[CHINESE]]


def test_what_is_there_is_not_wanted_again(set_up: Any) -> None:
    assert set_up.wanted_parts(ENGLISH) == []
    assert set_up.wanted_parts(CHINESE) == [set_up.MODELS[CHINESE]]


def test_another_python_wants_everything_anew(set_up: Any) -> None:
    (set_up.FOLDER / "has-venv").write_text("3.10")
    assert len(set_up.wanted_parts(ENGLISH)) == 3
    assert not list(set_up.FOLDER.glob("has-*"))


def test_other_versions_are_brought_again(set_up: Any, house: Path) -> None:
    project = house / "pyproject.toml"
    project.write_text(project.read_text().replace('"click>=8.1"', '"click>=8.2"'))
    assert set_up.wanted_parts(ENGLISH) == [set_up.PACKAGES]


@pytest.mark.parametrize("model", [ENGLISH, CHINESE])
def test_models_are_pinned_by_version_and_digest(model: str, parts: Any, house: Path) -> None:
    text = (house / "deploy" / "models" / f"{parts.MODELS[model].key}.txt").read_text()
    pinned = [line for line in text.splitlines() if not line.startswith("#")]
    assert pinned
    assert all(PINNED.fullmatch(line) for line in pinned)


@pytest.mark.parametrize(("chinese", "wanted"), [(False, "134 MB to download, 247 MB on disk"), (True, "下载 134 MB")])
def test_size_and_time_are_said_first(
    chinese: bool,  # noqa: FBT001 (a column of the table)
    wanted: str,
    parts: Any,
    capsys: pytest.CaptureFixture[str],
) -> None:
    parts.announce(parts.wanted_parts(ENGLISH), 9000, Speaker(chinese=chinese))
    assert wanted in capsys.readouterr().out


def test_where_there_is_no_room_nothing_is_begun(parts: Any) -> None:
    with pytest.raises(Stopped, match="597 MB, 500 MB are free"):
        parts.announce(parts.wanted_parts(ENGLISH), 500, Speaker(chinese=False))


def test_who_may_not_install_is_told_the_one_line_to_type(parts: Any, steps: Steps) -> None:
    missing = ["python3-venv", "libgomp1"]
    with pytest.raises(Stopped, match="\n  sudo apt-get install python3-venv libgomp1\n") as stopped:
        parts.bring_debian_packages(missing, steps, Speaker(chinese=True), may_install=False)
    assert "\n  sudo apt-get install python3-venv libgomp1\n" in stopped.value.chinese
    parts.bring_debian_packages([], steps, Speaker(chinese=True), may_install=False)


def test_this_machine_lacks_nothing(parts: Any) -> None:
    assert parts.missing_debian_packages(parts.wanted_parts(ENGLISH)) == []


def test_a_step_keeps_its_files_to_its_folder_and_leaves_none(steps: Steps, tmp_path: Path) -> None:
    steps.run([sys.executable, "-c", "import tempfile; open(tempfile.gettempdir() + '/left', 'w')"])
    assert (tmp_path / "downloads" / "left").exists()
    steps.close()
    assert not (tmp_path / "downloads").exists()


def test_a_failed_step_shows_its_last_words(steps: Steps) -> None:
    noise = "import sys; print(*range(100), sep='\\n', flush=True); sys.exit('the network is gone')"
    with pytest.raises(Stopped, match="the network is gone") as stopped:
        steps.run([sys.executable, "-c", noise])
    assert "  99\n" in stopped.value.english
    assert "  80\n" not in stopped.value.english
    assert "the network is gone" in stopped.value.chinese


@pytest.mark.parametrize(
    ("came_bytes", "download_mb", "line"),
    [
        (0, 34, "    3 s"),
        (17_000_000, 34, "    [############............] 17/34 MB  3 s"),
        (34_000_000, 34, "    [########################] 34/34 MB  3 s"),
        (40_000_000, 34, "    [########################] 40/34 MB  3 s"),
        (17_000_000, 0, "    3 s"),
    ],
)
def test_progress_is_bytes_and_seconds(came_bytes: int, download_mb: int, line: str) -> None:
    assert progress_line(came_bytes, download_mb, 3.2) == line
