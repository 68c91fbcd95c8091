"""The daemon itself: whether one runs, of which version, and how it says it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from claudemem_edge import __version__
from claudemem_edge.doctor.finding import Finding, fine, hint, problem, warning
from claudemem_edge.errors import EdgeError
from claudemem_edge.model.backend import Backend
from claudemem_edge.shapes.options import ModelOptions

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from claudemem_edge.doctor.machine import Installation

LOG = "journalctl -u claudemem-edge -n 20"
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


def _read(health: dict[str, Any]) -> Iterator[Finding]:
    version, model, mqtt = str(health.get("version", "")), _table(health, "model"), _table(health, "mqtt")
    memory_kib = int(health.get("memory_bytes") or 0) >> 10
    yield fine("daemon", version=version, model=model.get("name") or "-", memory_kib=memory_kib)
    if version != __version__:
        yield warning("daemon_version", RESTART, running=version, installed=__version__)
    if model.get("last_error"):
        yield warning("daemon_model", LOG, error=model["last_error"])
    if mqtt and not mqtt.get("connected"):
        yield problem("daemon_mqtt", LOG, problem=mqtt.get("problem", ""))


def _table(health: dict[str, Any], key: str) -> dict[str, Any]:
    table = health.get(key)
    return table if isinstance(table, dict) else {}
