"""The MQTT broker: whether it lets us in, how fast it gives back what we send, and what it keeps."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import aiomqtt

from claudemem_edge.doctor.finding import Finding, fine, hint, problem, warning
from claudemem_edge.doctor.mosquitto import Configuration, configuration, database_exists, restarted_with, silenced
from claudemem_edge.doctor.ollama import beyond
from claudemem_edge.doctor.ports import open_to_others
from claudemem_edge.errors import SettingsError
from claudemem_edge.transport.mqtt_client import BrokerClient, reason
from claudemem_edge.transport.mqtt_link import NOT_LET_IN, NOT_OUR_VERSION
from claudemem_edge.transport.mqtt_messages import Letter
from claudemem_edge.transport.mqtt_topics import Topics

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from claudemem_edge.doctor.machine import Installation
    from claudemem_edge.shapes.options import MqttOptions
    from claudemem_edge.transport.mqtt_messages import Arrival

PASSWORDS = "/etc/mosquitto/passwd"
VERSION_TOPIC = "$SYS/broker/version"
ROUNDS = 5
ECHO_TIMEOUT_S = 3.0
VERSION_TIMEOUT_S = 0.2
MAX_VERSION_CHARS = 40
CONNECT_TIMEOUT_S = 6.0
NAGLE_MS = 20.0
"""Nagle's algorithm adds 40 ms or more to what QoS 1 takes beyond QoS 0; nothing else adds as much."""


@dataclass(slots=True)
class Line:
    """One connection to the broker. `heard` is called for each message on our topic; `version` is the broker's."""

    options: MqttOptions
    modern: bool
    heard: Callable[[], object] = field(default=lambda: None)
    topic: str = ""
    version: str = ""
    told: asyncio.Event = field(default_factory=asyncio.Event)
    _client: BrokerClient | None = None

    async def enter(self) -> None:
        """Connect. Raises MqttError, OSError, TimeoutError, SettingsError."""
        name = f"claudemem-doctor-{secrets.token_hex(6)}"
        self.topic = Topics(self.options.instance).echo(name)
        self._client = BrokerClient(self.options, name, Letter(self.topic, b""), self._take, modern=self.modern)
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            await self._client.enter()

    async def listen(self) -> None:
        """Ask for what comes on our topic, and for the broker's version."""
        assert self._client is not None  # noqa: S101 (entered before)
        await self._client.ask_for([self.topic])
        await self._client.subscribe(VERSION_TOPIC, qos=0)

    def post(self, topic: str, qos: int) -> None:
        """Publish an empty message."""
        assert self._client is not None  # noqa: S101 (entered before)
        self._client.post(Letter(topic, b"", qos=qos))

    async def leave(self) -> None:
        """Disconnect."""
        if self._client is not None:
            await self._client.leave()

    def _take(self, arrival: Arrival) -> None:
        if arrival.topic == self.topic:
            self.heard()
        elif arrival.topic == VERSION_TOPIC:
            self.version = arrival.payload.decode("utf-8", "replace")[:MAX_VERSION_CHARS]
            self.told.set()


async def measure(asker: Line) -> tuple[float, float] | None:
    """Return the milliseconds of the quickest question and answer at QoS 0 and at QoS 1; None when nothing comes back.

    The answer comes from a connection of its own: what one connection sends itself hides a missing TCP_NODELAY.
    """
    loop, qos, back = asyncio.get_running_loop(), 0, asyncio.Event()
    answerer = Line(asker.options, asker.modern)

    def answer() -> None:
        loop.call_soon(answerer.post, asker.topic, qos)  # not while a message is being received

    asker.heard, answerer.heard = back.set, answer
    quickest = []
    try:
        await answerer.enter()
        await asyncio.gather(asker.listen(), answerer.listen())
        for qos in (0, 1):
            times = []
            for _ in range(ROUNDS):
                back.clear()
                started_s = loop.time()
                asker.post(answerer.topic, qos)
                async with asyncio.timeout(ECHO_TIMEOUT_S):
                    await back.wait()
                times.append((loop.time() - started_s) * 1000)
            quickest.append(min(times))
    except TimeoutError:
        return None
    finally:
        await answerer.leave()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(VERSION_TIMEOUT_S):
            await asker.told.wait()
    return quickest[0], quickest[1]


async def broker(it: Installation) -> AsyncIterator[Finding]:
    """Connect as the daemon would, measure, and look at the broker's own configuration."""
    options = it.settings.mqtt
    if not options.enabled:
        yield fine("broker_off")
        return
    host = "" if options.socket else beyond(options.host)
    if host:
        yield hint("broker_elsewhere", host=host)
    if _in_credentials(it):
        health = f"curl -s --unix-socket {quote(str(it.socket))} http://localhost/health"
        yield hint("broker_password_elsewhere", health)
    else:
        async for finding in _connection(it):
            yield finding
    if host:
        yield hint("broker_storage_elsewhere", f"ssh {quote(host)} grep -rn '^persistence' /etc/mosquitto", host=host)
        return
    for finding in _storage(it):
        yield finding


def _in_credentials(it: Installation) -> bool:
    """Tell whether the password is one that only the service can read."""
    name = it.settings.mqtt.password_file
    return bool(name) and not Path(name).is_absolute() and not it.machine.environment.get("CREDENTIALS_DIRECTORY")


async def _connection(it: Installation) -> AsyncIterator[Finding]:
    options = it.settings.mqtt
    where = options.socket or f"{options.host}:{options.port}"
    line = Line(options, modern=True)
    try:
        try:
            await line.enter()
        except aiomqtt.MqttCodeError as error:
            if reason(error.rc) not in NOT_OUR_VERSION:
                raise
            await line.leave()
            line = Line(options, modern=False)
            await line.enter()
        measured = await measure(line)
    except (OSError, aiomqtt.MqttError, SettingsError, ValueError, TimeoutError) as error:
        yield _no_way_in(error, it, where)
        return
    finally:
        await line.leave()
    protocol = "5" if line.modern else "3.1.1"
    yield fine("broker", where=where, version=line.version or "-", protocol=protocol)
    if not line.modern:
        yield hint("broker_old_protocol", "sudo apt-get install --only-upgrade mosquitto")
    known = configuration(it.machine, options.port)
    yield _speed(measured, options, known)
    async for finding in _anonymous(it, known, modern=line.modern):
        yield finding


def _no_way_in(error: Exception, it: Installation, where: str) -> Finding:
    options = it.settings.mqtt
    code = reason(error.rc) if isinstance(error, aiomqtt.MqttCodeError) else 0
    if code in NOT_LET_IN:
        user = options.username or "claudemem"
        set_it = f"sudo mosquitto_passwd {PASSWORDS} {quote(user)}"
        return problem("broker_refuses", set_it, "sudo systemctl restart mosquitto", where=where)
    if isinstance(error, OSError) and error.filename == options.password_file:
        if isinstance(error, PermissionError):
            return hint("broker_password_not_ours", "sudo claudemem-edge doctor", file=options.password_file)
        return problem("broker_password_unread", f"ls -l {quote(options.password_file)}", file=options.password_file)
    if isinstance(error, TimeoutError) or "timed out" in str(error):
        return problem("broker_silent", "sudo systemctl restart mosquitto", where=where)
    there = it.machine.program("mosquitto")
    start = "sudo systemctl enable --now mosquitto" if there else "sudo apt-get install mosquitto mosquitto-clients"
    return problem("broker_away", start, where=where)


def _speed(measured: tuple[float, float] | None, options: MqttOptions, known: Configuration | None) -> Finding:
    if measured is None:
        topic = f"claudemem/{options.instance}/#"
        return warning("broker_no_echo", f"grep -rn '{topic}' /etc/mosquitto", topic=topic)
    values = {"qos0_ms": f"{measured[0]:.1f}", "qos1_ms": f"{measured[1]:.1f}"}
    if measured[1] - measured[0] > NAGLE_MS:
        return warning("broker_slow", *restarted_with(known, "nodelay", "set_tcp_nodelay true"), **values)
    return fine("broker_echo", **values)


async def _anonymous(it: Installation, known: Configuration | None, *, modern: bool) -> AsyncIterator[Finding]:
    """Try whether the broker lets in whoever comes."""
    options = it.settings.mqtt
    if options.socket:
        return
    line = Line(replace(options, username="", password_file=""), modern=modern)
    try:
        await line.enter()
    except (OSError, aiomqtt.MqttError, TimeoutError):
        yield fine("broker_guarded")
        return
    finally:
        await line.leave()
    closed = restarted_with(known, "password", "allow_anonymous false", f"password_file {PASSWORDS}")
    new_user = f"sudo mosquitto_passwd -c {PASSWORDS} claudemem"
    if beyond(options.host) or open_to_others(it.machine, options.port):
        yield warning("broker_open", new_user, f"sudo chown mosquitto: {PASSWORDS}", *closed)
    elif options.username:
        yield hint("broker_password_idle", *closed)
    else:
        yield fine("broker_open_here")


def _storage(it: Installation) -> Iterator[Finding]:
    """Look what the broker keeps on disk: by its configuration, and by the file it writes."""
    machine = it.machine
    known = configuration(machine, it.settings.mqtt.port)
    if known is None:
        yield hint("broker_storage_unknown", "sudo grep -rn '^persistence' /etc/mosquitto")
        return
    there = database_exists(machine, known.database)
    if known.keeps:
        state = "broker_keeps_written" if there else "broker_keeps"
        yield problem(state, *silenced(known.keeps, known.database), file=known.keeps, database=known.database)
    elif there:
        yield warning("broker_kept_once", f"sudo rm -f {quote(known.database)}", database=known.database)
    else:
        yield fine("broker_forgets", file=known.file)
    if known.get("connection"):
        file = Path(known.values["connection"][1])
        yield warning("broker_bridge", f"grep -n -A5 '^connection' {quote(str(file))}", file=file)
