"""One MQTT message in, and one out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(slots=True, frozen=True)
class Arrival:
    """One message as it came in. `respond_to` and `correlation` are what MQTT 5 lets a request name.

    `retained` asks the broker to store it; `stored` means that it was, so that nobody is waiting for an answer.
    """

    topic: str
    payload: bytes
    retained: bool = False
    stored: bool = False
    respond_to: str = ""
    correlation: bytes | None = None


@dataclass(slots=True, frozen=True)
class Address:
    """Where the reply to a request goes."""

    topic: str
    correlation: bytes | None = None


@dataclass(slots=True, frozen=True)
class Letter:
    """One message to publish. `expires_s` is on the loop's clock; `keep` lets it wait for a connection.

    A letter that had to wait for one goes only if it still `stands`; else `instead` goes, if there is any.
    """

    topic: str
    payload: bytes
    qos: int = 0
    retain: bool = False
    keep: bool = False
    expires_s: float | None = None
    correlation: bytes | None = None
    stands: Callable[[], bool] | None = None
    instead: bytes = b""


def packed(payload: Mapping[str, object]) -> bytes:
    """Return a payload as JSON in UTF-8."""
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8", "replace")
