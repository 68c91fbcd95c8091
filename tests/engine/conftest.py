from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def engine(folder: Path, *arguments: str) -> Iterator[Path]:
    """Run the engine program as a child; give its socket once it serves."""
    socket = folder / "engine.sock"
    command = [
        sys.executable,
        "-m",
        "claudemem_edge.engine",
        "--socket",
        str(socket),
        "--with-parent",
        "--threads",
        "1",
    ]
    child = subprocess.Popen(
        [*command, *arguments], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert child.stderr is not None
    told: list[str] = []
    for line in child.stderr:
        told.append(line)
        if "serving" in line:
            break
    else:
        child.communicate()
        pytest.fail(f"the engine did not start (these tests need xllamacpp and the model packages): {''.join(told)}")
    try:
        yield socket
    finally:
        child.communicate()
    assert child.returncode == 0
    assert not socket.exists()


@pytest.fixture(scope="session")
def smollm2(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The socket of an engine with the small English model."""
    with engine(tmp_path_factory.mktemp("smollm2"), "--model", "smollm2:135m", "--context-tokens", "1024") as socket:
        yield socket


@pytest.fixture(scope="session")
def gemma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The socket of an engine with the small base model that reads Chinese."""
    folder = tmp_path_factory.mktemp("gemma")
    arguments = ("--model", "gemma3:270m-base", "--context-tokens", "1024", "--cache", str(folder / "cache"))
    with engine(folder, *arguments) as socket:
        yield socket
    shutil.rmtree(folder / "cache")  # a quarter of a gigabyte, which pytest would keep for three runs
