"""One connection to a broker: aiomqtt's client as we want it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING, cast

import aiomqtt
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from claudemem_edge.transport.mqtt_messages import Arrival

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import paho.mqtt.client as paho
    from paho.mqtt.client import SocketLike

    from claudemem_edge.shapes.options import MqttOptions
    from claudemem_edge.transport.mqtt_messages import Letter

WIRE_LOG = logging.getLogger(f"{__name__}.wire")
WIRE_LOG.setLevel(logging.CRITICAL)  # paho would tell of every packet; what matters is logged by the link, once

CONNECT_TIMEOUT_S = 3.0
ANSWER_TIMEOUT_S = 5.0
LEAVE_TIMEOUT_S = 1.0
KEEPALIVE_S = 20
REFUSED_FROM = 128
"""Reason codes from here on are refusals."""


class _Inbox(asyncio.Queue[aiomqtt.Message]):
    """Hands each message on while it is being read, so that nothing piles up between the broker and us.

    aiomqtt's own queue grows without a bound, or acknowledges first and drops afterwards.
    """

    def __init__(self, receive: Callable[[Arrival], None], *, modern: bool) -> None:
        super().__init__()
        self._hand_on = receive
        self._modern = modern

    def put_nowait(self, item: aiomqtt.Message) -> None:
        # MQTT 5 sends us nothing that was stored, see `ask_for`; 3.1.1 marks nothing else.
        properties = item.properties
        arrival = Arrival(
            item.topic.value,
            item.payload,
            retained=item.retain,
            stored=item.retain and not self._modern,
            respond_to=getattr(properties, "ResponseTopic", ""),
            correlation=getattr(properties, "CorrelationData", None),
        )
        self._hand_on(arrival)


class BrokerClient(aiomqtt.Client):
    """A client for one connection. `receive` is called for each message and must not raise.

    Publishing goes to paho directly: it costs a third of aiomqtt's, which waits with a task and a timer for each.
    """

    def __init__(
        self, options: MqttOptions, name: str, will: Letter, receive: Callable[[Arrival], None], *, modern: bool
    ) -> None:
        unix = bool(options.socket)
        inbox = _Inbox(receive, modern=modern)
        super().__init__(
            options.socket or options.host,
            options.port,
            identifier=name,
            username=options.username or None,
            password=read_password(options.password_file, os.environ),
            protocol=aiomqtt.ProtocolVersion.V5 if modern else aiomqtt.ProtocolVersion.V311,
            clean_session=None if modern else True,
            will=aiomqtt.Will(will.topic, will.payload, will.qos, will.retain),
            transport="unix" if unix else "tcp",
            timeout=ANSWER_TIMEOUT_S,
            keepalive=KEEPALIVE_S,
            logger=WIRE_LOG,
            # Nagle's algorithm and delayed acknowledgements together cost 88 ms for each QoS 1 round trip.
            socket_options=() if unix else ((socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),),
            queue_type=cast("type[asyncio.Queue[aiomqtt.Message]]", lambda maxsize: inbox),  # noqa: ARG005
        )
        self._modern = modern
        self._acknowledge: dict[int, Callable[[], None]] = {}
        self._loop_thread = threading.get_ident()
        self._client.connect_timeout = CONNECT_TIMEOUT_S
        self._client.on_publish = self._published
        self._write_when_ready = self._client.on_socket_register_write
        self._client.on_socket_register_write = self._write

    async def enter(self) -> None:
        """Connect. A cancellation is honoured once there is a socket to close: its thread cannot be interrupted."""
        entering = asyncio.ensure_future(self.__aenter__())
        try:
            await asyncio.shield(entering)
        except asyncio.CancelledError:
            while not entering.done() and self._client.socket() is None:  # noqa: ASYNC110 - paho has no event for it
                await asyncio.sleep(0.02)
            # An answer that came meanwhile may stand; left to be cancelled, it would raise in paho's callback later.
            with contextlib.suppress(asyncio.InvalidStateError):
                self._connected.set_exception(aiomqtt.MqttError("given up"))
            await asyncio.gather(entering, return_exceptions=True)
            raise

    async def leave(self) -> None:
        """Disconnect and close, however far the connecting came."""
        self.timeout = LEAVE_TIMEOUT_S
        with contextlib.suppress(aiomqtt.MqttError):
            await self.__aexit__(None, None, None)
        if self._disconnected.done() and not self._disconnected.cancelled():
            self._disconnected.exception()  # looked at, so that asyncio does not report it as overlooked

    async def listen(self) -> None:
        """Wait until the connection is lost, which raises. The inbox hands each message on: none comes here."""
        await anext(self.messages)

    async def ask_for(self, filters: Sequence[str]) -> tuple[str, ...]:
        """Subscribe at QoS 1 and return the filters that the broker refuses."""
        if self._modern:
            # Stored requests are not even sent to us, and one that is being stored says so.
            wish = SubscribeOptions(qos=1, retainAsPublished=True, retainHandling=SubscribeOptions.RETAIN_DO_NOT_SEND)
            answers = await self.subscribe([(name, wish) for name in filters])
        else:
            answers = await self.subscribe([(name, 1) for name in filters])
        return tuple(name for name, answer in zip(filters, answers, strict=False) if reason(answer) >= REFUSED_FROM)

    def post(self, letter: Letter, acknowledged: Callable[[], None] | None = None) -> None:
        """Publish a letter; with QoS 1, `acknowledged` is called once the broker has it.

        Raises ValueError for what MQTT cannot carry, and MqttError when the connection is gone. Not to be called
        while a message is being received: paho would lock itself out.
        """
        properties = _properties(letter) if self._modern else None
        sent = self._client.publish(letter.topic, letter.payload, letter.qos, letter.retain, properties)
        if sent.rc != MQTTErrorCode.MQTT_ERR_SUCCESS:
            raise aiomqtt.MqttCodeError(sent.rc, "could not publish")
        if acknowledged is not None:
            self._acknowledge[sent.mid] = acknowledged

    def _published(self, _client: paho.Client, _userdata: object, mid: int, *_: object) -> None:
        acknowledged = self._acknowledge.pop(mid, None)
        if acknowledged is not None:
            acknowledged()

    def _write(self, client: paho.Client, userdata: object, connection: SocketLike) -> None:
        """Write at once what the socket takes at once, instead of two rounds of the loop later."""
        if threading.get_ident() == self._loop_thread:
            client.loop_write()
        if client.want_write() and self._write_when_ready is not None:
            self._write_when_ready(client, userdata, connection)


def reason(answer: object) -> int:
    """Return the number of a broker's answer: paho gives a plain number or a ReasonCode."""
    number = answer.value if isinstance(answer, ReasonCode) else answer
    return number if isinstance(number, int) else 0


def read_password(file: str, environ: Mapping[str, str]) -> str | None:
    """Return the password in a file, without its line end. A bare name is a credential of the systemd service."""
    if not file:
        return None
    return Path(environ.get("CREDENTIALS_DIRECTORY", ""), file).read_text("utf-8").rstrip("\r\n")


def _properties(letter: Letter) -> Properties | None:
    if letter.expires_s is None and letter.correlation is None:
        return None
    properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call] # paho left it without types
    if letter.expires_s is not None:
        left_s = letter.expires_s - asyncio.get_running_loop().time()
        properties.MessageExpiryInterval = max(1, round(left_s))
    if letter.correlation is not None:
        properties.CorrelationData = letter.correlation
    return properties
