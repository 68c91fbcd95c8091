"""When the machine's wall clock is relied on, and when not."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from claudemem_edge.sessions.clock import LOOK_EVERY_S, Clock, kernel_synchronised, never_set

if TYPE_CHECKING:
    from datetime import tzinfo
    from pathlib import Path

WOKE_LONG_AGO_S, KEPT_S = "946684800", "1900000000"


class Hands:
    """What the machine shows, as the test sets it."""

    def __init__(self) -> None:
        self.year, self.boot_s = 2027, 10.0
        self.synchronised: bool | None = False

    def clock(self, root: Path, trusted: str = "auto", machine: str = "aarch64") -> Clock:
        return Clock(
            trusted,
            root=root,
            wall=self.wall,
            boot_s=lambda: self.boot_s,
            synchronised=lambda: self.synchronised,
            machine=machine,
        )

    def wall(self, zone: tzinfo) -> datetime:
        return datetime(self.year, 3, 11, 9, 40, tzinfo=zone)


@pytest.mark.parametrize(
    ("files", "synchronised", "machine", "untrusted"),
    [
        ({}, False, "aarch64", True),
        ({}, False, "armv7l", True),
        ({}, True, "aarch64", False),
        ({}, False, "x86_64", False),
        ({}, None, "aarch64", False),
        ({"sys/class/rtc/rtc0/since_epoch": KEPT_S}, False, "aarch64", False),
        ({"sys/class/rtc/rtc0/name": "chip"}, False, "aarch64", False),
        ({"sys/class/rtc/rtc0/since_epoch": WOKE_LONG_AGO_S}, False, "aarch64", True),
        (
            {"sys/class/rtc/rtc0/since_epoch": WOKE_LONG_AGO_S, "sys/class/rtc/rtc1/since_epoch": KEPT_S},
            False,
            "aarch64",
            False,
        ),
        ({"run/systemd/timesync/other": ""}, None, "aarch64", True),
        ({"run/systemd/timesync/synchronized": ""}, None, "aarch64", False),
        ({"run/systemd/timesync/synchronized": ""}, False, "aarch64", False),
    ],
)
def test_what_speaks_for_a_clock(
    files: dict[str, str],
    synchronised: bool | None,  # noqa: FBT001 (a column of the table)
    machine: str,
    untrusted: bool,  # noqa: FBT001
    tmp_path: Path,
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert never_set(tmp_path, machine, synchronised=synchronised) is untrusted


def test_a_year_before_the_program_is_wrong_even_where_a_chip_says_so(tmp_path: Path) -> None:
    hands = Hands()
    hands.year = 1970
    clock = hands.clock(tmp_path, machine="x86_64")
    assert clock(UTC).doubt == "year"


def test_a_clock_is_trusted_from_when_it_is_set_and_for_good(tmp_path: Path) -> None:
    hands = Hands()
    clock = hands.clock(tmp_path)
    assert clock(UTC).doubt == "never_set"
    hands.synchronised = True
    hands.boot_s += LOOK_EVERY_S
    assert clock(UTC).doubt == ""
    hands.synchronised, hands.year, hands.boot_s = False, 1970, hands.boot_s + 3600
    assert clock(UTC).doubt == "", "a network that went away makes no clock wrong"


@pytest.mark.parametrize(("trusted", "doubt"), [("yes", ""), ("no", "setting")])
def test_a_setting_has_the_last_word(trusted: str, doubt: str, tmp_path: Path) -> None:
    hands = Hands()
    hands.year, hands.synchronised = (1970, False) if trusted == "yes" else (2027, True)
    assert hands.clock(tmp_path, trusted)(UTC).doubt == doubt


def test_the_kernel_is_asked_and_not_changed() -> None:
    assert kernel_synchronised() in {True, False, None}
