"""The daemon itself: whether one runs, of which version, and how it says it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from claudemem_edge import __version__
from claudemem_edge.doctor.finding import Finding, fine, hint, problem, warning
from claudemem_edge.errors import EdgeError
from claudemem_edge.model.backend import Backend
from claudemem_edge.shapes.options import ModelOptions

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from claudemem_edge.doctor.machine import Installation

RESTART = "sudo systemctl restart claudemem-edge"


async def daemon(it: Installation) -> AsyncIterator[Finding]:
    """Ask the daemon for its health."""
    if not it.socket.is_socket():
        yield hint("daemon_absent", "claudemem-edge run", path=it.socket)
        return
    there = Backend(f"unix:{it.socket}", ModelOptions())
    try:
        health = await there.json("/health")
    except EdgeError:
        yield problem("daemon_silent", RESTART, path=it.socket)
        return
    finally:
        await there.aclose()
    for finding in _read(health):
        yield finding


def _read(health: dict[str, Any]) -> list[Finding]:
    version, found = str(health.get("version", "")), []
    if version != __version__:
        found.append(warning("daemon_version", RESTART, running=version, installed=__version__))
    model = health.get("model")
    failed = str(model.get("last_error") or "") if isinstance(model, dict) else ""
    if failed:
        found.append(warning("daemon_model", "journalctl -u claudemem-edge -n 20", error=failed))
    mqtt = health.get("mqtt")
    if isinstance(mqtt, dict) and not mqtt.get("connected"):
        found.append(problem("daemon_mqtt", "journalctl -u claudemem-edge -n 20", problem=mqtt.get("problem", "")))
    name = model.get("name", "") if isinstance(model, dict) else ""
    memory_kib = int(health.get("memory_bytes") or 0) >> 10
    return found or [fine("daemon", version=version, model=name or "-", memory_kib=memory_kib)]
