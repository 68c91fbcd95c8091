"""Ways for words to reach a disk behind our back: swap, core files, the journal."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from claudemem_edge.doctor.finding import Finding, fine, hint, problem, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from claudemem_edge.doctor.machine import Installation, Machine

HOLDERS = {
    "claudemem_edge": "claudemem-edge",
    "claudemem-edge": "claudemem-edge",
    "ollama": "ollama",
    "mosquitto": "mosquitto",
}
"""Programs that hold people's words in memory, as their process shows them and by their names."""
COMMENT_SWAP = r"sudo sed -i.bak -E '/^[^#].*\sswap\s/s/^/#/' /etc/fstab"
NO_COREDUMP = (
    "sudo mkdir -p /etc/systemd/coredump.conf.d",
    r"printf '[Coredump]\nStorage=none\nProcessSizeMax=0\n' | sudo tee /etc/systemd/coredump.conf.d/no-words.conf",
)
NO_CORE = ("echo 'kernel.core_pattern=|/bin/false' | sudo tee /etc/sysctl.d/50-no-core.conf", "sudo sysctl --system")
NO_MODEL_DEBUG = (
    "sudo sed -i.bak '/OLLAMA_DEBUG/d' {file} && sudo systemctl daemon-reload && sudo systemctl restart ollama"
)
JOURNAL = ("/etc/systemd/journald.conf", "/etc/systemd/journald.conf.d/*.conf", "/run/systemd/journald.conf.d/*.conf")


def swap(it: Installation) -> Iterator[Finding]:
    """Look for swap that is a disk and not encrypted."""
    machine = it.machine
    areas = [line.split()[0] for line in machine.read("/proc/swaps").splitlines()[1:] if line.strip()]
    on_disk = [area for area in areas if not _harmless(machine, area)]
    if not on_disk:
        yield fine("swap_none") if not areas else fine("swap_harmless", areas=", ".join(areas))
        return
    holding = [(HOLDERS[name], pid) for name in HOLDERS for pid, _ in machine.processes(name)]
    exposed = sorted({name for name, pid in holding if not _never_swapped(machine, pid)})
    if holding and not exposed:
        yield fine("swap_kept_out", areas=", ".join(on_disk))
        return
    keep_off = ("sudo systemctl disable --now dphys-swapfile",) if machine.read("/etc/dphys-swapfile") else ()
    yield problem("swap_disk", "sudo swapoff -a", *(keep_off or (COMMENT_SWAP,)), areas=", ".join(on_disk))


def _harmless(machine: Machine, area: str) -> bool:
    """Tell whether a swap area is compressed memory, or a device whose key dies with the machine's memory."""
    name = Path(area).name
    return name.startswith("zram") or machine.read(f"/sys/block/{name}/dm/uuid").startswith("CRYPT-")


def _never_swapped(machine: Machine, pid: int) -> bool:
    group = next((line[3:] for line in machine.read(f"/proc/{pid}/cgroup").splitlines() if line.startswith("0::")), "/")
    return machine.read(f"/sys/fs/cgroup{group}/memory.swap.max").strip() == "0"


def core(it: Installation) -> Iterator[Finding]:
    """Look where the memory of a program that crashes goes."""
    machine = it.machine
    pattern = machine.read("/proc/sys/kernel/core_pattern").strip()
    if not pattern.startswith("|"):
        limits = [machine.read(f"/proc/{pid}/limits") for name in HOLDERS for pid, _ in machine.processes(name)]
        if not pattern or pattern == "/dev/null" or all(_no_core(text) for text in limits or [_own_limits(machine)]):
            yield fine("core_none")
        else:
            yield problem("core_file", *NO_CORE, pattern=pattern)
    elif Path(pattern[1:].split()[0]).name in {"false", "true"}:
        yield fine("core_none")
    elif "systemd-coredump" in pattern:
        files = machine.found("/etc/systemd/coredump.conf.d/*.conf")
        text = "\n".join(machine.read(name) for name in ("/etc/systemd/coredump.conf", *files))
        if _last(text, "Storage") == "none":
            yield fine("core_none")
        else:
            yield problem("core_kept", *NO_COREDUMP, program="systemd-coredump")
    else:
        yield problem("core_kept", *NO_CORE, program=Path(pattern[1:].split()[0]).name)


def _own_limits(machine: Machine) -> str:
    return machine.read("/proc/self/limits")


def _no_core(limits: str) -> bool:
    return re.search(r"^Max core file size\s+0\s", limits, re.MULTILINE) is not None


def journal(it: Installation) -> Iterator[Finding]:
    """Look whether the journal outlives the power, and whether anybody writes words into it."""
    machine, log = it.machine, it.settings.log
    text = "\n".join(machine.read(name) for pattern in JOURNAL for name in machine.found(pattern))
    storage = _last(text, "Storage") or "auto"
    persistent = storage == "persistent" or (storage == "auto" and machine.path("/var/log/journal").is_dir())
    if log.log_text:
        yield problem("journal_words", 'grep -rn "log_text" /etc/claudemem-edge ~/.config/claudemem-edge')
    elif persistent:
        yield fine("journal_persistent")
    else:
        yield fine("journal_volatile")
    for name in machine.found("/etc/systemd/system/ollama.service*/*.conf"):
        if re.search(r"OLLAMA_DEBUG=[\"']?(?!0|false)\w", machine.read(name)):
            grade = problem if persistent else warning
            yield grade("journal_model_debug", NO_MODEL_DEBUG.format(file=name), file=name)
    if log.level == "debug" and not log.log_text:
        yield hint("journal_debug", "unset CLAUDEMEM_LOG__LEVEL")


def _last(text: str, key: str) -> str:
    found = re.findall(rf"^\s*{key}\s*=\s*(\S+)", text, re.MULTILINE)
    return str(found[-1]).lower() if found else ""
