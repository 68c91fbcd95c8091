"""Runs the steps of a set-up: says what is done, shows how far it is, and stops with a sentence."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LOOK_EVERY_S = 0.1
BAR_CHARS = 24
LAST_LINES = 12


class Stopped(Exception):
    """It cannot go on; both sentences say what to do."""

    def __init__(self, english: str, chinese: str) -> None:
        super().__init__(english)
        self.english = english
        self.chinese = chinese


class Speaker:
    """Says things in the language of the person at the terminal."""

    def __init__(self, *, chinese: bool) -> None:
        self._chinese = chinese

    def say(self, english: str, chinese: str) -> None:
        """Print a line at once, in one of the two."""
        print(chinese if self._chinese else english, flush=True)


class Steps:
    """Runs commands one after another with their temporary files in a folder, which goes with `close`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._log = folder / "log"
        self.close()  # what an interrupted run has left

    def run(self, command: Sequence[str], *, download_mb: int = 0) -> None:
        """Run a command, in a terminal with a line that moves; raise Stopped with its last words if it fails."""
        self._folder.mkdir(parents=True, exist_ok=True)
        environment = {
            **os.environ,
            "TMPDIR": str(self._folder),
            "PYTHONDONTWRITEBYTECODE": "1",
            "DEBIAN_FRONTEND": "noninteractive",
        }
        with self._log.open("w", encoding="utf-8") as log:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
            began_s = time.monotonic()
            try:
                while not _ended(child):
                    self._show(download_mb, time.monotonic() - began_s)
            finally:
                child.terminate()
                child.wait()
                _draw("")
        if child.returncode:
            last = self._log.read_text(encoding="utf-8", errors="replace").splitlines()[-LAST_LINES:]
            told = "\n".join(f"  {line}" for line in last)
            raise Stopped(
                f"this step failed; run again, deploy/try goes on from here. Its last words:\n{told}",
                f"这一步没有成功；再运行 deploy/try 会从这里接着做。它最后说：\n{told}",
            )

    def close(self) -> None:
        """Leave no temporary file."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _show(self, download_mb: int, passed_s: float) -> None:
        came_bytes = sum(_size_bytes(path) for path in self._folder.glob("pip-unpack-*/*.whl"))
        _draw(progress_line(came_bytes, download_mb, passed_s) if passed_s >= 1 else "")


def progress_line(came_bytes: int, download_mb: int, passed_s: float) -> str:
    """Return how far a download is, and for how long it has been going on."""
    line = f"{passed_s:.0f} s"
    if download_mb and came_bytes:
        came_mb = came_bytes / 1e6
        filled = round(BAR_CHARS * min(1.0, came_mb / download_mb))
        line = f"[{'#' * filled}{'.' * (BAR_CHARS - filled)}] {came_mb:.0f}/{download_mb} MB  {line}"
    return f"    {line}"


def _draw(line: str) -> None:
    """Put a line in the place of the last one, where a person looks on."""
    if sys.stdout.isatty():
        print(f"\r\033[K{line}", end="", flush=True)


def _ended(child: subprocess.Popen[bytes]) -> bool:
    try:
        child.wait(LOOK_EVERY_S)
    except subprocess.TimeoutExpired:
        return False
    return True


def _size_bytes(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # pip has just moved it on
        return 0
