"""What the doctor says of machines that are only folders: swap, core files, journal, clock, processor, memory."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from claudemem_edge.doctor import hardware, storage
from claudemem_edge.doctor.examine import Check, examine
from claudemem_edge.doctor.machine import Installation, Machine
from claudemem_edge.settings import Settings, read_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from claudemem_edge.doctor.finding import Finding

    Local = Callable[[Installation], Iterator[Finding]]

SWAPS = "Filename Type Size Used Priority\n"
PLAIN = SWAPS + "/swapfile file 1048572 0 -2\n"
ZRAM = SWAPS + "/dev/zram0 partition 1048572 0 100\n"
CRYPT = SWAPS + "/dev/dm-1 partition 1048572 0 -2\n"
NO_CORE = (
    "Limit Soft Limit Hard Limit Units\nMax core file size        0                    unlimited            bytes\n"
)
ANY_CORE = NO_CORE.replace("0        ", "unlimited")
DAEMON = {"/proc/77/cmdline": "python3\0-m\0claudemem_edge\0run\0", "/proc/77/cgroup": "0::/system.slice/edge\n"}
OLLAMA = {"/proc/78/cmdline": "/usr/local/bin/ollama\0serve\0", "/proc/78/cgroup": "0::/system.slice/ollama\n"}
NEVER = {"/sys/fs/cgroup/system.slice/edge/memory.swap.max": "0\n"}
PATTERN = "/proc/sys/kernel/core_pattern"
KDUMP = "|/lib/systemd/systemd-coredump %P %u"
DEBUG_DROPIN = "/etc/systemd/system/ollama.service.d/debug.conf"


def machine(root: Path, files: Mapping[str, str], *, synchronised: bool = True, year: int = 2026) -> Machine:
    for name, text in files.items():
        path = root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Machine(
        root, {}, wall=lambda: datetime(year, 3, 11, tzinfo=UTC), boot_s=lambda: 5.0, synchronised=lambda: synchronised
    )


def graded(check: Local, place: Machine, settings: Settings | None = None) -> dict[str, str]:
    found = list(check(Installation(place, settings or Settings(), place.path("/none.sock"))))
    assert all(finding.commands for finding in found if finding.grade != "ok")
    return {finding.code: str(finding.grade) for finding in found}


@pytest.mark.parametrize(
    ("check", "files", "wanted"),
    [
        (storage.swap, {}, {"swap_none": "ok"}),
        (storage.swap, {"/proc/swaps": SWAPS}, {"swap_none": "ok"}),
        (storage.swap, {"/proc/swaps": ZRAM}, {"swap_harmless": "ok"}),
        (storage.swap, {"/proc/swaps": CRYPT, "/sys/block/dm-1/dm/uuid": "CRYPT-PLAIN-x\n"}, {"swap_harmless": "ok"}),
        (storage.swap, {"/proc/swaps": CRYPT, "/sys/block/dm-1/dm/uuid": "LVM-x\n"}, {"swap_disk": "problem"}),
        (storage.swap, {"/proc/swaps": PLAIN}, {"swap_disk": "problem"}),
        (storage.swap, {"/proc/swaps": PLAIN, **DAEMON}, {"swap_disk": "problem"}),
        (storage.swap, {"/proc/swaps": PLAIN, **DAEMON, **NEVER}, {"swap_kept_out": "ok"}),
        (storage.swap, {"/proc/swaps": PLAIN, **DAEMON, **NEVER, **OLLAMA}, {"swap_disk": "problem"}),
        (storage.core, {PATTERN: "core\n", "/proc/self/limits": NO_CORE}, {"core_none": "ok"}),
        (storage.core, {PATTERN: "core\n", "/proc/self/limits": ANY_CORE}, {"core_file": "problem"}),
        (
            storage.core,
            {PATTERN: "core\n", "/proc/self/limits": NO_CORE, **DAEMON, "/proc/77/limits": ANY_CORE},
            {"core_file": "problem"},
        ),
        (storage.core, {PATTERN: "|/bin/false\n"}, {"core_none": "ok"}),
        (storage.core, {PATTERN: KDUMP}, {"core_kept": "problem"}),
        (
            storage.core,
            {PATTERN: KDUMP, "/etc/systemd/coredump.conf": "[Coredump]\n#Storage=none\n"},
            {"core_kept": "problem"},
        ),
        (
            storage.core,
            {PATTERN: KDUMP, "/etc/systemd/coredump.conf.d/a.conf": "[Coredump]\nStorage=none\n"},
            {"core_none": "ok"},
        ),
        (storage.core, {PATTERN: "|/usr/share/apport/apport -p%p"}, {"core_kept": "problem"}),
        (storage.journal, {}, {"journal_volatile": "ok"}),
        (storage.journal, {"/var/log/journal/x": ""}, {"journal_persistent": "ok"}),
        (
            storage.journal,
            {"/var/log/journal/x": "", "/etc/systemd/journald.conf": "[Journal]\nStorage=volatile\n"},
            {"journal_volatile": "ok"},
        ),
        (
            storage.journal,
            {"/etc/systemd/journald.conf.d/a.conf": "Storage=persistent\n"},
            {"journal_persistent": "ok"},
        ),
        (
            storage.journal,
            {DEBUG_DROPIN: '[Service]\nEnvironment="OLLAMA_DEBUG=1"\n', "/var/log/journal/x": ""},
            {"journal_persistent": "ok", "journal_model_debug": "problem"},
        ),
        (
            storage.journal,
            {DEBUG_DROPIN: "[Service]\nEnvironment=OLLAMA_DEBUG=2\n"},
            {"journal_volatile": "ok", "journal_model_debug": "warning"},
        ),
        (storage.journal, {DEBUG_DROPIN: "[Service]\nEnvironment=OLLAMA_DEBUG=0\n"}, {"journal_volatile": "ok"}),
        (hardware.memory, {}, {"memory_unknown": "hint"}),
        (hardware.memory, {"/proc/meminfo": "MemTotal: 8000000 kB\nMemAvailable: 4000000 kB\n"}, {"memory": "ok"}),
        (
            hardware.memory,
            {"/proc/meminfo": "MemTotal: 900000 kB\nMemAvailable: 300000 kB\n"},
            {"memory_little": "warning"},
        ),
        (
            hardware.memory,
            {"/proc/meminfo": "MemTotal: 900000 kB\nMemAvailable: 20000 kB\n"},
            {"memory_full": "problem"},
        ),
    ],
)
def test_what_is_said_of_a_machine(check: Local, files: dict[str, str], wanted: dict[str, str], tmp_path: Path) -> None:
    assert graded(check, machine(tmp_path, files)) == wanted


@pytest.mark.parametrize(
    ("kind", "cpuinfo", "code"),
    [
        ("x86_64", "processor\t: 0\nflags\t\t: fpu avx avx2\n", "processor"),
        ("x86_64", "processor\t: 0\nflags\t\t: fpu avx\n", "processor_no_engine"),
        ("aarch64", "processor\t: 0\nFeatures\t: fp asimd crc32\n", "processor"),
        ("aarch64", "processor\t: 0\nFeatures\t: fp crc32\n", "processor_no_engine"),
        ("armv7l", "processor\t: 0\nFeatures\t: half thumb neon\n", "processor_no_engine"),
        ("x86_64", "", "processor"),
    ],
)
def test_the_processor_is_told_with_its_cores(kind: str, cpuinfo: str, code: str, tmp_path: Path) -> None:
    place = machine(tmp_path, {"/proc/cpuinfo": cpuinfo * 3})
    found, *_ = hardware.processor(Installation(place, Settings(), tmp_path), kind)
    assert found.code == code
    assert found.values["cores"] == (3 if cpuinfo else found.values["cores"])


def test_words_in_the_log_are_a_problem(tmp_path: Path) -> None:
    settings = read_settings({"HOME": "/nonexistent"}, {"log": {"log_text": True, "level": "debug"}})
    assert graded(storage.journal, machine(tmp_path, {}), settings) == {"journal_words": "problem"}


@pytest.mark.parametrize(
    ("zone", "synchronised", "year", "wanted"),
    [
        ("Asia/Shanghai", True, 2026, {"clock": "ok"}),
        ("Etc/UTC", True, 2026, {"clock": "ok", "clock_utc": "hint"}),
        ("", True, 2026, {"clock": "ok", "clock_utc": "hint"}),
        ("Europe/London", False, 2026, {"clock_drifts": "warning"}),
        ("Europe/London", False, 1970, {"clock_drifts": "warning", "clock_year": "problem"}),
    ],
)
def test_the_clock(zone: str, synchronised: bool, year: int, wanted: dict[str, str], tmp_path: Path) -> None:  # noqa: FBT001
    place = machine(tmp_path, {"/sys/class/rtc/rtc0/name": "x"}, synchronised=synchronised, year=year)
    if zone:
        place.path("/etc").mkdir()
        place.path("/etc/localtime").symlink_to(f"/usr/share/zoneinfo/{zone}")
    assert graded(hardware.clock, place) == wanted


def test_a_zone_in_the_settings_wins_and_a_missing_battery_is_told(tmp_path: Path) -> None:
    settings = read_settings({"HOME": "/nonexistent"}, {"language": {"zone": "Asia/Shanghai"}})
    found = list(hardware.clock(Installation(machine(tmp_path, {}), settings, tmp_path), "aarch64"))
    assert [finding.code for finding in found] == ["clock", "clock_no_battery"]
    assert found[0].values["zone"] == "Asia/Shanghai"


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [("aarch64", ["clock_never_set", "clock_no_battery"]), ("x86_64", ["clock_drifts"])],
)
def test_a_clock_that_nothing_has_set(kind: str, wanted: list[str], tmp_path: Path) -> None:
    settings = read_settings({"HOME": "/nonexistent"}, {"language": {"zone": "Asia/Shanghai"}})
    it = Installation(machine(tmp_path, {}, synchronised=False), settings, tmp_path)
    assert [finding.code for finding in hardware.clock(it, kind)] == wanted


async def test_a_file_that_hangs_holds_nobody_up(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    os.mkfifo(tmp_path / "proc" / "swaps")
    it = Installation(machine(tmp_path, {}), Settings(), tmp_path)
    checks = (Check("swap", 0.1, storage.swap), Check("core", 20, storage.core))
    (_, late), (_, core) = await examine(it, checks)
    assert [finding.code for finding in late] == ["check_late"]
    assert [finding.code for finding in core] == ["core_none"]
    os.close(os.open(tmp_path / "proc" / "swaps", os.O_WRONLY))  # lets the reader go


async def test_a_check_that_fails_inside_says_so(tmp_path: Path) -> None:
    def broken(_: Installation) -> Iterator[Finding]:
        yield from ()
        raise ZeroDivisionError

    it = Installation(machine(tmp_path, {}), Settings(), tmp_path)
    ((_, (finding,)),) = await examine(it, (Check("swap", 20, broken),))
    assert (finding.code, finding.values["error"]) == ("check_failed", "ZeroDivisionError")
