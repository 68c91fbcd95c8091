"""The MQTT door. The topic tree stands in `mqtt_topics`; what is asked for is carried out in `mqtt_requests`.

What the broker stores (status, info, health, state) holds numbers and versions, never a word that somebody said.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING

from claudemem_edge.counters import Counters
from claudemem_edge.transport.mqtt_messages import Letter, packed
from claudemem_edge.transport.mqtt_requests import Requests
from claudemem_edge.transport.mqtt_topics import Topics
from claudemem_edge.transport.render import notice_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from claudemem_edge.notices import Notices, Subscription
    from claudemem_edge.sessions import Sessions
    from claudemem_edge.shapes.options import MqttOptions
    from claudemem_edge.shapes.status import LinkStatus
    from claudemem_edge.shapes.turn import Notice
    from claudemem_edge.transport import mqtt_answers
    from claudemem_edge.transport.health import Health
    from claudemem_edge.transport.mqtt_link import MqttLink

LOG = logging.getLogger(__name__)
NOT_STARTED: LinkStatus = {
    "connected": False,
    "echo_ms": None,
    "protocol": "",
    "problem": "not started",
    "connects": 0,
    "waiting": 0,
    "refused": [],
}
LOOK_EVERY_S = 1.0
"""How often it is looked whether something changed that the broker stores."""
DUE_EXPIRY_S = 300.0
"""How long a notice is worth delivering: until about the time when the alarm repeats it."""


class MqttDoor:
    """Answers requests that come through a broker, and tells it how we are and what is due."""

    def __init__(
        self,
        options: MqttOptions,
        sessions: Sessions,
        notices: Notices,
        health: Health,
        *,
        counters: Counters | None = None,
        deadline_s: float = 60.0,
    ) -> None:
        self._options = options
        self._sessions = sessions
        self._notices = notices
        self._health = health
        self._counters = counters if counters is not None else Counters()
        self._topics = Topics(options.instance)
        self._requests = Requests(
            options, self._topics, sessions, self._counters, send=self._send, deadline_s=deadline_s
        )
        self._link: MqttLink | None = None
        self._subscription: Subscription | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._told: dict[str, object] = {}
        self._health_due_s = 0.0

    async def start(self) -> None:
        """Begin to connect, and return at once: a broker that is not there yet keeps nobody waiting."""
        from claudemem_edge.transport.mqtt_link import MqttLink  # noqa: PLC0415 (aiomqtt and paho are heavy)

        self._link = MqttLink(
            self._options, self._topics, self._counters, receive=self._requests.take, greet=self._greeting
        )
        self._subscription = self._notices.subscribe()
        self._tasks = [
            asyncio.create_task(self._tell_due(self._subscription), name="mqtt notices"),
            asyncio.create_task(self._tell_changes(), name="mqtt health"),
        ]
        self._link.start()

    async def stop(self) -> None:
        """Let every request have its reply, say that we are offline, and disconnect."""
        if self._link is None or self._subscription is None:
            return
        self._subscription.close()
        await self._requests.stop(within_s=1.0)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._link.stop(self._status("offline"))
        self._link = None

    def status(self) -> LinkStatus:
        """Return how the link is: `connected`, and `echo_ms` of its last real round trip."""
        return self._link.status() if self._link is not None else NOT_STARTED

    def _send(self, letter: Letter) -> None:
        if self._link is not None:
            self._link.send(letter)

    def _greeting(self) -> list[Letter]:
        """Return what a broker is told on arrival: it may have lost all it ever stored."""
        self._told.clear()
        return [self._status("online"), *self._news()]

    def _status(self, status: str) -> Letter:
        return Letter(self._topics.status, status.encode(), qos=1, retain=True)

    async def _tell_changes(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            for letter in self._news():
                self._send(letter)

    def _news(self) -> list[Letter]:
        """Return what to tell the broker now. Never raises: one bad look must not silence all later ones."""
        try:
            self._requests.forget_replies()
            return list(self._changes())
        except Exception as error:  # noqa: BLE001 - as the docstring says
            LOG.error("health could not be told: %s", type(error).__name__)  # noqa: TRY400 - traces hold words
            return []

    def _changes(self) -> Iterator[Letter]:
        """Return what the broker stores of us and is no longer true there."""
        report = self._health.report()
        name = report["model"]["name"]
        info: mqtt_answers.Info = {
            "version": report["version"],
            "api": report["api"],
            "boot_id": report["boot_id"],
            "models": [name] if name else [],
        }
        if self._is_new(self._topics.info, info):
            yield Letter(self._topics.info, packed(info), qos=1, retain=True)
        state = self._state()
        if self._is_new(self._topics.state, state):
            yield Letter(self._topics.state, packed(state), qos=1, retain=True)
        now_s = asyncio.get_running_loop().time()
        proven = self.status()["echo_ms"] is not None
        is_new = self._is_new(self._topics.health, (report["status"], report["backend"], proven))
        if is_new or now_s >= self._health_due_s:
            self._health_due_s = now_s + self._options.health_every_s
            yield Letter(self._topics.health, packed(report), retain=True)
            if not is_new:
                # Someone of our name may have died since and left its will where our status stands.
                yield self._status("online")

    def _is_new(self, topic: str, value: object) -> bool:
        """Tell whether this differs from what was told last, and note it as told."""
        told = self._told.get(topic)
        self._told[topic] = value
        return told != value

    def _state(self) -> mqtt_answers.State:
        memories = [self._sessions.peek(scope) for scope in self._sessions.scopes()]
        return {
            "scopes": len(memories),
            "turns": sum(memory.turn for memory in memories),
            "pending": sum(len(memory.pending()) for memory in memories),
        }

    async def _tell_due(self, subscription: Subscription) -> None:
        async for notice in subscription:
            self._send(self._due(notice))

    def _due(self, notice: Notice) -> Letter:
        told = notice_json(notice)
        body: mqtt_answers.DueNews = {"event_type": told["event"], **told}
        expires_s = asyncio.get_running_loop().time() + DUE_EXPIRY_S
        stands = partial(self._sessions.stands, notice)
        topic = self._topics.due(notice.scope)
        return Letter(topic, packed(body), qos=1, keep=True, expires_s=expires_s, stands=stands)
