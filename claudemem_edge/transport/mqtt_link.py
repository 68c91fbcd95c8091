"""The link to the broker: connects, proves by an echo that it is heard, and connects again when it is lost."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import secrets
from functools import partial
from typing import TYPE_CHECKING

from aiomqtt import MqttCodeError, MqttError

from claudemem_edge.transport.mqtt_client import ANSWER_TIMEOUT_S, BrokerClient, reason
from claudemem_edge.transport.mqtt_messages import Letter
from claudemem_edge.transport.mqtt_outbox import Outbox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from claudemem_edge.counters import Counters
    from claudemem_edge.shapes.options import MqttOptions
    from claudemem_edge.shapes.status import LinkStatus
    from claudemem_edge.transport.mqtt_messages import Arrival
    from claudemem_edge.transport.mqtt_outbox import Posting
    from claudemem_edge.transport.mqtt_topics import Topics

LOG = logging.getLogger(__name__)

WATCH_EVERY_S = 1.0
NO_ANSWER = "Operation timed out"
"""aiomqtt's words for a broker that took the connection and then said nothing."""
NOT_OUR_VERSION = frozenset({1, 132})
NOT_LET_IN = frozenset({4, 5, 134, 135})
"""Reason codes of MQTT 3.1.1 and of 5."""


class MqttLink:
    """A connection that comes back. `receive` gets each message; `greet` says what to publish on each arrival."""

    def __init__(
        self,
        options: MqttOptions,
        topics: Topics,
        counters: Counters,
        *,
        receive: Callable[[Arrival], None],
        greet: Callable[[], Iterable[Letter]],
    ) -> None:
        self._options = options
        self._topics = topics
        self._counters = counters
        self._receive = receive
        self._greet = greet
        self._outbox = Outbox(options.outbox, counters)
        # One name for all connections of this process: the broker then ends the old one, with its will, before the new.
        self._name = f"claudemem-{secrets.token_hex(6)}"
        self._echo_topic = topics.echo(self._name)
        self._echo: asyncio.Future[None] | None = None
        self._echo_ms: float | None = None
        self._echoes = False
        self._said: set[str] = set()
        self._client: BrokerClient | None = None
        self._pumping = False
        self._modern = True
        self._problem = "not connected yet"
        self._connects = 0
        self._pause_s = options.reconnect_first_s
        self._running: asyncio.Task[None] | None = None
        self._refused: tuple[str, ...] = ()

    def start(self) -> None:
        """Begin to connect. Whether the broker is there or not, this returns at once."""
        self._running = asyncio.create_task(self._run(), name="mqtt link")

    async def stop(self, farewell: Letter, within_s: float = 2.0) -> None:
        """Deliver what waits, say farewell, and close."""
        if self.connected:
            self.send(farewell)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._outbox.emptied(), within_s)
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running})

    def send(self, letter: Letter) -> None:
        """Publish a letter as soon as its turn comes. Without a connection, only a letter to `keep` waits for one."""
        if self.connected or letter.keep:
            self._outbox.put(letter)
            self._pump_soon()

    @property
    def connected(self) -> bool:
        """True while we are connected and subscribed."""
        return self._client is not None

    def status(self) -> LinkStatus:
        """Return how the link is. `echo_ms` is the last real way through the broker and back to us."""
        return {
            "connected": self.connected,
            "echo_ms": self._echo_ms,
            "protocol": "5" if self._modern else "3.1.1",
            "problem": self._problem,
            "connects": self._connects,
            "waiting": len(self._outbox),
            "refused": list(self._refused),
        }

    async def _run(self) -> None:
        while True:
            try:
                await self._live()
            except* Exception as failed:  # noqa: BLE001 - whatever ended this connection, the next one is tried
                self._note(_first(failed))
            await asyncio.sleep(self._pause_s * random.uniform(0.5, 1.0))  # noqa: S311 - spreads clients, no secret
            self._pause_s = min(self._pause_s * 2, self._options.reconnect_most_s)

    async def _live(self) -> None:
        """Connect, and stay until the connection ends, which raises."""
        will = Letter(self._topics.status, b"offline", qos=1, retain=True)
        client = BrokerClient(self._options, self._name, will, self._take, modern=self._modern)
        try:
            await client.enter()
            self._look_at(await client.ask_for((*self._topics.requests, self._echo_topic)))
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(client.listen())
                self._arrived(client)
                tasks.create_task(self._prove(client))
                tasks.create_task(self._watch())
        finally:
            self._client = None
            self._echo_ms = None
            self._outbox.connection_lost()
            await client.leave()

    def _look_at(self, refused: tuple[str, ...]) -> None:
        """Tell of filters that the broker refuses, once."""
        for name in refused:
            self._say_once(f"the MQTT broker does not let us subscribe to {name}")
        self._refused = refused

    def _say_once(self, warning: str) -> None:
        """Tell of something that only the broker's owner can change, and that each new connection would find again."""
        if warning not in self._said:
            self._said.add(warning)
            LOG.warning("%s", warning)

    def _arrived(self, client: BrokerClient) -> None:
        """From here on letters go out."""
        self._client = client
        self._outbox.away = False
        self._connects += 1
        self._problem = ""
        LOG.info("connected to the MQTT broker")
        for letter in self._greet():
            self.send(letter)
        self._pump_soon()

    def _pump_soon(self) -> None:
        if not self._pumping:
            self._pumping = True
            asyncio.get_running_loop().call_soon(self._pump)

    def _pump(self) -> None:
        """Publish what may go now, in its order."""
        self._pumping = False
        clock = asyncio.get_running_loop()
        while self._client is not None and (posting := self._outbox.take(clock.time())) is not None:
            acknowledged = partial(self._acknowledged, posting) if posting.letter.qos else None
            try:
                self._client.post(posting.letter, acknowledged)
            except (ValueError, TypeError):  # MQTT has no way to carry it, now or later
                self._counters.add("dropped")
                self._outbox.done(posting)
            except MqttError:
                return  # it stays under way until the loss is noticed, which puts it back
            if acknowledged is None:
                self._outbox.done(posting)

    def _acknowledged(self, posting: Posting) -> None:
        self._outbox.done(posting)
        if len(self._outbox):
            self._pump_soon()

    async def _prove(self, client: BrokerClient) -> None:
        """Send ourselves a message now and then: a connection that stops giving it back is made anew.

        A broker that never gives it back has a rule against it; then its acknowledgement must do.
        """
        clock = asyncio.get_running_loop()
        while True:
            self._echo = clock.create_future()
            started_s = clock.time()
            client.post(Letter(self._echo_topic, b"", qos=1))
            self._pause_s = self._options.reconnect_first_s
            try:
                await asyncio.wait_for(self._echo, ANSWER_TIMEOUT_S)
                self._echo_ms = round((clock.time() - started_s) * 1000, 2)
                self._echoes = True
            except TimeoutError:
                if self._echoes:
                    raise
                self._say_once(f"the MQTT broker does not give us back what we send to {self._echo_topic}")
            await asyncio.sleep(self._options.health_every_s)

    async def _watch(self) -> None:
        """End a connection on which acknowledgements stay out: a broker under pressure throws them away as well."""
        clock = asyncio.get_running_loop()
        while True:
            if self._outbox.unanswered_s(clock.time()) >= ANSWER_TIMEOUT_S:
                raise MqttError("it does not acknowledge what we publish")
            await asyncio.sleep(WATCH_EVERY_S)

    def _take(self, arrival: Arrival) -> None:
        """Hand one message on. Whatever is wrong with it, the connection stays."""
        if arrival.topic == self._echo_topic:
            if self._echo is not None and not self._echo.done():
                self._echo.set_result(None)
            return
        try:
            self._receive(arrival)
        except Exception as error:  # noqa: BLE001 - raised further, it would end the connection
            self._counters.error("internal")
            LOG.error("an MQTT message could not be taken: %s", type(error).__name__)  # noqa: TRY400 - traces hold words

    def _note(self, error: Exception) -> None:
        """Say once why there is no connection; the same reason again is not worth a line."""
        code = reason(error.rc) if isinstance(error, MqttCodeError) else 0
        silent = isinstance(error, MqttError) and self._connects == 0 and str(error) == NO_ANSWER
        if code in NOT_OUR_VERSION or silent:  # some old brokers just do not answer to a version they do not know
            self._modern = not self._modern
        problem = _problem(error, code)
        if problem != self._problem:
            LOG.log(logging.ERROR if code in NOT_LET_IN else logging.WARNING, "no MQTT broker: %s", problem)
        self._problem = problem


def _first(failed: BaseExceptionGroup[Exception]) -> Exception:
    """Return the first single exception of a group of groups."""
    error = failed.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error


def _problem(error: Exception, code: int) -> str:
    """Say in words what stands in the way."""
    if code in NOT_LET_IN:
        return "it refuses our user name or password"
    if isinstance(error, TimeoutError):
        return "it does not send us our own messages"
    if isinstance(error, FileNotFoundError):
        return "the password file is not there"
    return str(error) if isinstance(error, MqttError | OSError) else type(error).__name__
