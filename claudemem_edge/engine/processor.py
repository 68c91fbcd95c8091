"""Tells whether this processor can run the embedded engine."""

from __future__ import annotations

import platform
from pathlib import Path

from claudemem_edge.errors import Unsupported

X86 = frozenset({"x86_64", "amd64"})


def check_processor(machine: str = "", cpuinfo: Path = Path("/proc/cpuinfo")) -> None:
    """Raise Unsupported, with the way out, where the engine's library would end in an illegal instruction."""
    machine = (machine or platform.machine()).lower()
    hint = "install Ollama on this or another machine and name it in model.urls"
    if machine in X86:
        flags = _flags(cpuinfo)
        if flags and "avx2" not in flags:
            raise Unsupported("the embedded engine needs a processor with AVX2, which this one lacks", hint=hint)
    elif machine not in {"aarch64", "arm64"}:
        hint += "; a Raspberry Pi 3 or later runs a 64-bit system"
        raise Unsupported(f"the embedded engine does not run on {machine}, it needs a 64-bit system", hint=hint)


def _flags(cpuinfo: Path) -> frozenset[str]:
    """Return the processor's flags; empty when the file does not tell."""
    try:
        text = cpuinfo.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return frozenset()
    line = next((line for line in text.splitlines() if line.startswith("flags")), "")
    return frozenset(line.partition(":")[2].split())
