"""What the machine can do: its processor, its memory, its clock."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
from typing import TYPE_CHECKING

from claudemem_edge.doctor.finding import Finding, fine, hint, problem, warning
from claudemem_edge.sessions.clock import KEEPS_TIME, RELEASE_YEAR, never_set

if TYPE_CHECKING:
    from collections.abc import Iterator

    from claudemem_edge.doctor.machine import Installation, Machine

NEEDED = {"x86_64": "avx2", "amd64": "avx2", "aarch64": "asimd", "arm64": "asimd"}
"""Processor → the feature without which the embedded engine ends in an illegal instruction."""
SHOWN = ("avx2", "avx512f", "f16c", "fma", "asimd", "asimddp", "sve")
MIB = 1 << 20
DAEMON_MIB = 64
LITTLE_MIB = 512
"""What is left for a language model below this is not enough for the smallest."""
LAST_YEAR = 2100


def processor(it: Installation, kind: str = "") -> Iterator[Finding]:
    """Look at the features that the embedded engine needs, and at the cores."""
    kind = (kind or platform.machine()).lower()
    info = it.machine.read("/proc/cpuinfo")
    line = re.search(r"^(?:flags|Features)\s*:\s*(.*)$", info, re.MULTILINE)
    flags = line[1].split() if line else []
    cores = len(re.findall(r"^processor\s*:", info, re.MULTILINE)) or len(os.sched_getaffinity(0))
    shown = ", ".join(flag for flag in SHOWN if flag in flags) or "-"
    needed = NEEDED.get(kind)
    if needed is None or (flags and needed not in flags):
        yield hint("processor_no_engine", kind=kind, needed=needed or "64-bit", cores=cores)
    else:
        yield fine("processor", kind=kind, features=shown, cores=cores)
    if importlib.util.find_spec("xllamacpp") is None:
        yield hint("engine_absent", "pip install 'claudemem-edge[embedded]'")


def memory(it: Installation) -> Iterator[Finding]:
    """Look at the memory that is left for a language model."""
    rows = dict(re.findall(r"^(\w+):\s+(\d+) kB", it.machine.read("/proc/meminfo"), re.MULTILINE))
    if "MemTotal" not in rows:
        yield hint("memory_unknown", "cat /proc/meminfo")
        return
    total, available = int(rows["MemTotal"]) >> 10, int(rows.get("MemAvailable", 0)) >> 10
    if available < DAEMON_MIB:
        yield problem("memory_full", "ps -eo rss,comm --sort=-rss | head", total=total, available=available)
    elif available < LITTLE_MIB:
        yield warning("memory_little", "ps -eo rss,comm --sort=-rss | head", total=total, available=available)
    else:
        yield fine("memory", total=total, available=available)


def clock(it: Installation, kind: str = "") -> Iterator[Finding]:
    """Look at what reminders stand on: zone, synchronisation, a clock that runs through sleep, the year."""
    machine, kind = it.machine, (kind or platform.machine()).lower()
    zone = it.settings.language.zone or _zone(machine)
    now = machine.wall()
    if not RELEASE_YEAR <= now.year <= LAST_YEAR:
        yield problem("clock_year", "sudo timedatectl set-ntp true", year=now.year)
    try:
        machine.boot_s()
    except OSError:
        yield problem("clock_no_boottime", "uname -r")
    if zone.rpartition("/")[2] in {"UTC", "Universal", "Zulu", "GMT", ""}:
        yield hint("clock_utc", "timedatectl list-timezones", "sudo timedatectl set-timezone Europe/London", zone=zone)
    synchronised = machine.synchronised()
    if synchronised or machine.path("/run/systemd/timesync/synchronized").exists():
        yield fine("clock", zone=zone, time=now.isoformat(" ", "minutes"))
    elif never_set(machine.root, kind, synchronised=synchronised):
        yield problem("clock_never_set", "sudo timedatectl set-ntp true", "timedatectl timesync-status")
    else:
        yield warning("clock_drifts", "sudo timedatectl set-ntp true", "timedatectl timesync-status")
    if kind not in KEEPS_TIME and not machine.found("/sys/class/rtc/rtc[0-9]*"):
        yield hint("clock_no_battery", "ls /sys/class/rtc")


def _zone(machine: Machine) -> str:
    named = machine.environment.get("TZ", "").lstrip(":")
    local = machine.path("/etc/localtime")
    if named:
        return named
    if local.is_symlink():
        return str(local.readlink()).rpartition("zoneinfo/")[2]
    return machine.read("/etc/timezone").strip() or "UTC"
