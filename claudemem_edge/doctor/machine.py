"""The machine as the checks see it: a root of files, an environment, and its clocks."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from claudemem_edge.sessions.clock import kernel_synchronised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from claudemem_edge.settings import Settings

MAX_FILE_BYTES = 1 << 20


@dataclass(slots=True, frozen=True)
class Machine:
    """Reads what the system says of itself; everything can be given another root."""

    root: Path = Path("/")
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    wall: Callable[[], datetime] = lambda: datetime.now(UTC)
    boot_s: Callable[[], float] = lambda: time.clock_gettime(time.CLOCK_BOOTTIME)
    synchronised: Callable[[], bool | None] = kernel_synchronised

    def path(self, name: str) -> Path:
        """Return where an absolute path of the machine is."""
        return self.root / name.lstrip("/")

    def read(self, name: str) -> str:
        """Return the text of a file; "" where there is none or it may not be read."""
        try:
            with self.path(name).open("rb") as file:
                return file.read(MAX_FILE_BYTES).decode("utf-8", "replace")
        except OSError:
            return ""

    def found(self, pattern: str) -> list[str]:
        """Return the absolute names that fit a pattern, sorted."""
        try:
            return sorted(f"/{path.relative_to(self.root)}" for path in self.root.glob(pattern.lstrip("/")))
        except OSError:
            return []

    def program(self, name: str) -> bool:
        """Tell whether a program is installed."""
        path = f"{self.environment.get('PATH', os.defpath)}:/usr/sbin:/usr/local/bin"
        return any(shutil.which(name, path=str(self.path(folder))) for folder in path.split(":") if folder)

    def processes(self, *words: str) -> Iterator[tuple[int, list[str]]]:
        """Give number and arguments of the running programs whose first arguments name one of `words`."""
        for name in self.found("/proc/[0-9]*/cmdline"):
            arguments = self.read(name).rstrip("\0").split("\0")
            if any(Path(argument).name in words for argument in arguments[:4]):
                yield int(name.split("/")[2]), arguments


@dataclass(slots=True, frozen=True)
class Installation:
    """What is looked at: the machine, the settings as the daemon would read them, and the daemon's socket."""

    machine: Machine
    settings: Settings
    socket: Path
    mistakes: tuple[str, ...] = ()
    """What is wrong with the settings; then `settings` are the defaults."""
    files: tuple[Path, ...] = ()
    """The settings files."""
