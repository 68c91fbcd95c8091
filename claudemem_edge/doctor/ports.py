"""Which TCP ports are listened on, and for whom."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from claudemem_edge.doctor.machine import Machine

LISTENING = "0A"
LOOPBACK = re.compile(r"[0-9A-F]{6}7F|0{24}01000000|0{16}FFFF0000[0-9A-F]{6}7F")
"""127.0.0.0/8, ::1 and the first inside the second, as /proc/net writes them."""


def listeners(machine: Machine, port: int) -> list[bool]:
    """Return for each listener on a port whether others than this machine can reach it."""
    found = []
    for row in f"{machine.read('/proc/net/tcp')}\n{machine.read('/proc/net/tcp6')}".splitlines():
        columns = row.split()
        if len(columns) > 3 and columns[3] == LISTENING:
            address, _, number = columns[1].partition(":")
            if int(number, 16) == port:
                found.append(LOOPBACK.fullmatch(address) is None)
    return found


def open_to_others(machine: Machine, port: int) -> bool:
    """Tell whether somebody listens on a port beyond loopback."""
    return any(listeners(machine, port))
