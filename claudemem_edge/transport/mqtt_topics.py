"""The MQTT topic tree: which topics are listened to, what each asks for, and where its answer goes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from claudemem_edge.errors import SettingsError
from claudemem_edge.transport.scope import resolve

INSTANCE = re.compile(r"[A-Za-z0-9_-]{1,64}")
MAX_TOPIC_BYTES = 512
NOT_PUBLISHABLE = re.compile(r"[+#\x00-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
"""Wildcards, and what a broker may close the connection for."""

REPLY_TO = {
    ("chat", "request"): "reply",
    ("chat", "cancel"): "cancelled",
    ("memory", "get"): "state",
    ("memory", "observe"): "observed",
    ("memory", "context"): "context/result",
    ("memory", "forget"): "forgotten",
    ("pending", "set"): "result",
}
"""What can be asked for, as first and last level of the topic → last levels of the topic that answers it."""


@dataclass(slots=True, frozen=True)
class Call:
    """One request's topic, taken apart. `kind` is first and last level, such as "chat/request"."""

    kind: str
    segment: str
    """The scope as it stands in the topic: not yet checked."""

    @property
    def scope(self) -> str:
        """The scope. Raises UnknownScope when the segment cannot be one."""
        return resolve(self.segment)


class Topics:
    """All topics of one daemon, under `claudemem/<instance>`. Raises SettingsError for an impossible instance."""

    def __init__(self, instance: str) -> None:
        if INSTANCE.fullmatch(instance) is None:
            raise SettingsError(("mqtt.instance: 1 to 64 of the characters A-Z, a-z, 0-9, _ and -",))
        self.base = f"claudemem/{instance}"
        self.status = f"{self.base}/status"
        self.info = f"{self.base}/info"
        self.health = f"{self.base}/health"
        self.state = f"{self.base}/state"
        self.error = f"{self.base}/error"

    @property
    def requests(self) -> tuple[str, ...]:
        """The filters to subscribe to, one for each kind of request."""
        return tuple(f"{self.base}/{first}/+/{last}" for first, last in REPLY_TO)

    def echo(self, client: str) -> str:
        """Return the topic on which a client hears itself, to know that it is heard at all."""
        return f"{self.base}/echo/{client}"

    def call(self, topic: str) -> Call | None:
        """Return what a topic asks for; None when it is no request of ours."""
        if not topic.startswith(self.base + "/"):
            return None
        levels = topic[len(self.base) + 1 :].split("/")
        if len(levels) != 3 or (levels[0], levels[2]) not in REPLY_TO:
            return None
        return Call(f"{levels[0]}/{levels[2]}", levels[1])

    def reply(self, kind: str, scope: str) -> str:
        """Return the topic that answers a kind of request when the request names none."""
        first, last = kind.split("/")
        return f"{self.base}/{first}/{scope}/{REPLY_TO[first, last]}"

    def chat(self, scope: str, last: str) -> str:
        """Return a topic on the way to a reply: accepted or delta."""
        return f"{self.base}/chat/{scope}/{last}"

    def due(self, scope: str) -> str:
        """Return the topic that tells what has become due."""
        return f"{self.base}/event/{scope}/due"

    def may_answer_on(self, topic: str) -> bool:
        """Tell whether a response topic that a request named is safe to publish on.

        Of our own tree only what stands under `reply/` is: elsewhere a reply would be read as a request, or would
        stand where others look for our status.
        """
        ours = topic == self.base or topic.startswith(f"{self.base}/")
        if not topic or topic.startswith("$") or NOT_PUBLISHABLE.search(topic) is not None:
            return False
        return len(topic.encode()) <= MAX_TOPIC_BYTES and (not ours or topic.startswith(f"{self.base}/reply/"))
