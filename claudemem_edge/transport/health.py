"""How the daemon is: numbers, versions and the state of its parts. Never a word of anybody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from claudemem_edge import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from claudemem_edge.counters import Counters
    from claudemem_edge.sessions import Sessions

OK, DEGRADED = "ok", "degraded"


class HasStatus(Protocol):
    """A part that can tell how it is: the model client, the MQTT link."""

    def status(self) -> dict[str, object]: ...  # noqa: D102 (the class says it)


class Health:
    """Gathers what every part knows of itself. `parts` may gain doors while the daemon starts."""

    def __init__(self, sessions: Sessions, model: HasStatus, counters: Counters) -> None:
        self._sessions = sessions
        self._model = model
        self._counters = counters
        self.parts: dict[str, Callable[[], dict[str, object]]] = {}

    def report(self) -> dict[str, Any]:
        """Return everything, for people and for `doctor`. `status` is "ok" or "degraded"."""
        model = self._model.status()
        self._gauges()
        return {
            "status": DEGRADED if model.get("last_error") else OK,
            "version": __version__,
            "boot_id": self._sessions.boot_id,
            "backend": model.get("last_error") or OK,
            "model": model,
            "memory_bytes": self._sessions.size_bytes(),
            **{name: tell() for name, tell in self.parts.items()},
            **self._counters.snapshot(),
        }

    def line(self) -> str:
        """Return the gist in one line, for `systemctl status`."""
        scopes, size_kb = len(self._sessions.scopes()), self._sessions.size_bytes() // 1000
        model = self._model.status()
        told = [f"{scopes} scope(s), {size_kb} kB", f"model: {model['last_error'] or model['name'] or 'not asked yet'}"]
        if "mqtt" in self.parts:
            told.append("MQTT: connected" if self.parts["mqtt"]().get("connected") else "MQTT: no broker")
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
