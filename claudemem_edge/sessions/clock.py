"""The two clocks of the machine, read together, and whether the wall clock can be relied on."""

from __future__ import annotations

import ctypes
import platform
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from claudemem_edge.shapes.times import Moment

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

RELEASE_YEAR = 2026
"""A clock that shows an earlier year is wrong: there was no such program then."""
LOOK_EVERY_S = 1.0
KEEPS_TIME = frozenset({"x86_64", "amd64", "i386", "i686"})
"""Machines whose kernel reads the time at boot from the board or the hypervisor, whether or not a device shows it."""
TIME_ERROR = 5
"""What the kernel answers while nothing has set its clock right."""


def kernel_synchronised() -> bool | None:
    """Ask the kernel whether its clock is kept right; None where it may not be asked."""
    timex = ctypes.create_string_buffer(1024)  # all zero: a question, which changes nothing
    state: int = ctypes.CDLL(None).adjtimex(timex)
    return None if state < 0 else state < TIME_ERROR


def never_set(root: Path, machine: str, *, synchronised: bool | None) -> bool:
    """Tell whether nothing can have set the wall clock right: no clock chip, and never synchronised.

    `synchronised` is the kernel's answer; where it gives none, what systemd-timesyncd has left under `root` counts.
    """
    if synchronised or machine.lower() in KEEPS_TIME or any(map(_holds_time, root.glob("sys/class/rtc/rtc[0-9]*"))):
        return False
    service = root / "run/systemd/timesync"
    return not (service / "synchronized").exists() and (synchronised is False or service.is_dir())


def _holds_time(chip: Path) -> bool:
    """Tell whether a chip kept its time while the machine was off: one without a battery wakes up long ago."""
    try:
        return datetime.fromtimestamp(int((chip / "since_epoch").read_text()), tz=None).year >= RELEASE_YEAR  # noqa: DTZ006 (the year alone)
    except (OSError, ValueError, OverflowError):
        return True


class Clock:
    """Reads now. Called with a zone, it returns a Moment that says what doubt there is about its wall time.

    `trusted` is "auto", "yes" or "no". Under "auto" a wall clock that was once found right stays so.
    """

    def __init__(
        self,
        trusted: str = "auto",
        *,
        root: Path = Path("/"),
        wall: Callable[[tzinfo], datetime] = datetime.now,
        boot_s: Callable[[], float] = lambda: time.clock_gettime(time.CLOCK_BOOTTIME),
        synchronised: Callable[[], bool | None] = kernel_synchronised,
        machine: str = "",
    ) -> None:
        self._root = root
        self._wall = wall
        self._boot_s = boot_s
        self._synchronised = synchronised
        self._machine = machine or platform.machine()
        self._doubt = {"yes": "", "no": "setting"}.get(trusted, "never_set")
        self._look_at_s = float("-inf") if trusted == "auto" else float("inf")
        """Boot second from which it is looked again whether the doubt still stands."""

    def __call__(self, zone: tzinfo) -> Moment:
        """Return now on both clocks."""
        wall, boot_s = self._wall(zone), self._boot_s()
        if boot_s >= self._look_at_s:
            self._doubt = self._look(wall.year)
            self._look_at_s = boot_s + LOOK_EVERY_S if self._doubt else float("inf")
        return Moment(wall, boot_s, self._doubt)

    def _look(self, year: int) -> str:
        if year < RELEASE_YEAR:
            return "year"
        return "never_set" if never_set(self._root, self._machine, synchronised=self._synchronised()) else ""
