"""A wall clock for a child process that the test sets, with libfaketime (Debian's package faketime)."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

LIBRARIES = "/usr/lib/*/faketime/libfaketime.so.1"


class SetClock:
    """The wall clock of every process that runs in `environment`; the boot and monotonic clocks stay the machine's."""

    def __init__(self, folder: Path, shows: str, zone: str) -> None:
        library = next(Path("/").glob(LIBRARIES.lstrip("/")), None)
        if library is None:
            pytest.skip("needs libfaketime: sudo apt-get install faketime")
        self._file = folder / "wall-clock"
        self.set(shows)
        self.environment = {
            "LD_PRELOAD": str(library),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "CLAUDEMEM_LANGUAGE__ZONE": zone,
            "TZ": "UTC",
        }

    def set(self, shows: str) -> None:
        """Step the clock to an instant in ISO 8601 with its offset; it goes on from there as time does."""
        at, real = datetime.fromisoformat(shows), datetime.now(UTC)
        ahead_s = (at - real).total_seconds()
        changed = self._file.with_suffix(".new")
        changed.write_text(f"{ahead_s:+f}s\n")
        changed.replace(self._file)
