"""One MQTT message in, and one out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class Arrival:
    """One message as it came in. `respond_to` and `correlation` are what MQTT 5 lets a request name."""

    topic: str
    payload: bytes
    retained: bool = False
    respond_to: str = ""
    correlation: bytes | None = None


@dataclass(slots=True, frozen=True)
class Letter:
    """One message to publish. `expires_s` is on the loop's clock; `keep` lets it wait for a connection."""

    topic: str
    payload: bytes
    qos: int = 0
    retain: bool = False
    keep: bool = False
    expires_s: float | None = None
    correlation: bytes | None = None
