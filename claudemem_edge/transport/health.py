"""How the daemon is: numbers, versions and the state of its parts. Never a word of anybody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from claudemem_edge import __version__
from claudemem_edge.transport.answers import API

if TYPE_CHECKING:
    from collections.abc import Callable

    from claudemem_edge.counters import Counters
    from claudemem_edge.sessions import Sessions
    from claudemem_edge.shapes.status import LinkStatus, ModelStatus
    from claudemem_edge.transport.answers import HealthAnswer


class HasModelStatus(Protocol):
    """The model client, or what stands in for it."""

    def status(self) -> ModelStatus: ...  # noqa: D102 (the class says it)


class Health:
    """Gathers what every part knows of itself. `mqtt` is the link's own account, once there is one."""

    def __init__(self, sessions: Sessions, model: HasModelStatus, counters: Counters) -> None:
        self._sessions = sessions
        self._model = model
        self._counters = counters
        self.mqtt: Callable[[], LinkStatus] | None = None

    def report(self) -> HealthAnswer:
        """Return everything, for people and for `doctor`. `status` is "ok" or "degraded"."""
        model, doubt = self._model.status(), self._sessions.now().doubt
        self._gauges()
        return {
            "status": "degraded" if model["last_error"] or doubt else "ok",
            "version": __version__,
            "api": API,
            "boot_id": self._sessions.boot_id,
            "backend": model["last_error"] or "ok",
            "clock": doubt or "ok",
            "model": model,
            "mqtt": self.mqtt() if self.mqtt is not None else None,
            "errors": self._counters.errors(),
            **self._counters.snapshot(),
        }

    def line(self) -> str:
        """Return the gist in one line, for `systemctl status`."""
        scopes, size_kb = len(self._sessions.scopes()), self._sessions.size_bytes() // 1000
        model = self._model.status()
        told = [f"{scopes} scope(s), {size_kb} kB", f"model: {model['last_error'] or model['name'] or 'not asked yet'}"]
        if self._sessions.now().doubt:
            told.append("clock: not set")
        if self.mqtt is not None:
            told.append("MQTT: connected" if self.mqtt()["connected"] else "MQTT: no broker")
        return ", ".join(told)

    def metrics(self) -> str:
        """Return the numbers in the text format of Prometheus."""
        self._gauges()
        return self._counters.prometheus()

    def note_error(self, code: str) -> None:
        """Count an error that a caller was told."""
        self._counters.error(code)

    def _gauges(self) -> None:
        self._counters.set("queue", self._sessions.queue)
        self._counters.set("scopes", len(self._sessions.scopes()))
        self._counters.set("memory_bytes", self._sessions.size_bytes())
        self._counters.set("backend_up", int(not self._model.status()["last_error"]))
        self._counters.set("mqtt_connected", int(self.mqtt is not None and self.mqtt()["connected"]))
