"""A real mosquitto on its own port, without a disk, free to be killed and started again; and somebody who listens."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

import aiomqtt

if TYPE_CHECKING:
    from collections.abc import Callable

SBIN = "/usr/sbin:/usr/local/sbin"


def program(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path=SBIN)
    assert found, f"{name} is missing: install the packages mosquitto and mosquitto-clients"
    return found


class Broker:
    """One mosquitto. `kill` is kill -9; `start` after it listens on the same port again, remembering nothing."""

    def __init__(self, folder: Path, extra: tuple[str, ...] = (), users: dict[str, str] | None = None) -> None:
        self.folder = folder
        self.port = free_port()
        self.socket = str(folder / "mqtt.sock")
        self.process: subprocess.Popen[bytes] | None = None
        self._config = folder / "mosquitto.conf"
        access = ["allow_anonymous true"]
        if users is not None:
            access = ["allow_anonymous false", f"password_file {self._passwords(users)}"]
        lines = [
            "user root",  # else it drops to a user that cannot read the test's folder; without root it is ignored
            "persistence false",
            "set_tcp_nodelay true",
            f"listener {self.port} 127.0.0.1",
            f"listener 0 {self.socket}",
            *access,
            *extra,
        ]
        self._config.write_text("\n".join(lines) + "\n", "utf-8")

    def start(self) -> None:
        Path(self.socket).unlink(missing_ok=True)
        with (self.folder / "mosquitto.log").open("ab") as log:
            self.process = subprocess.Popen([program("mosquitto"), "-c", str(self._config)], stdout=log, stderr=log)
        until_true(self._listens)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def run(self, name: str, *arguments: str, payload: bytes | None = None) -> bytes:
        """Run mosquitto_pub, mosquitto_sub or mosquitto_rr against this broker and return what it printed."""
        command = [program(name), "-h", "127.0.0.1", "-p", str(self.port), *arguments]
        return subprocess.run(command, input=payload, check=True, capture_output=True, timeout=30).stdout

    def publish(self, topic: str, payload: str | bytes, *arguments: str) -> None:
        data = payload.encode() if isinstance(payload, str) else payload
        self.run("mosquitto_pub", "-t", topic, "-s", *arguments, payload=data)

    def _passwords(self, users: dict[str, str]) -> Path:
        file = self.folder / "passwords"
        file.write_text("".join(f"{name}:{password}\n" for name, password in users.items()), "utf-8")
        subprocess.run([program("mosquitto_passwd"), "-U", str(file)], check=True, capture_output=True)
        return file

    def _listens(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, (self.folder / "mosquitto.log").read_text("utf-8")
        # Its Unix socket opens last, and nobody else can answer there: on the port somebody else might.
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(self.socket) == 0


class Gate:
    """A way to a broker that can be shut and opened again, as when somebody pulls a cable."""

    def __init__(self, broker: Broker) -> None:
        self.port = free_port()
        self._broker = broker
        self._server: asyncio.Server | None = None
        self._passing: set[asyncio.Task[None]] = set()
        self._swallow = False

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *failed: object) -> None:
        await self.shut()

    def swallow(self, *, everything: bool) -> None:
        """Take what comes and hand nothing on: the connection looks alive and is not."""
        self._swallow = everything

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._let_pass, "127.0.0.1", self.port)

    async def shut(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        for task in self._passing:
            task.cancel()
        await asyncio.gather(*self._passing, return_exceptions=True)

    def _let_pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._pass(reader, writer))
        self._passing.add(task)
        task.add_done_callback(self._passing.discard)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ends = [writer]
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._broker.port)
            ends.append(back)
            await asyncio.gather(self._copy(reader, back), self._copy(there, writer))
        except OSError:
            pass
        finally:
            for end in ends:
                end.transport.abort()
            for end in ends:
                with contextlib.suppress(OSError):
                    await end.wait_closed()

    async def _copy(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        while data := await source.read(1 << 16):
            if not self._swallow:
                target.write(data)
                await target.drain()
        target.close()


class Listener:
    """Somebody who listens to topics: keeps every message, and can be asked to wait for one."""

    def __init__(self, broker: Broker, *filters: str, modern: bool = True) -> None:
        self.messages: list[aiomqtt.Message] = []
        self.client = aiomqtt.Client(
            "127.0.0.1",
            broker.port,
            protocol=aiomqtt.ProtocolVersion.V5 if modern else aiomqtt.ProtocolVersion.V311,
            socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],
            timeout=30,
        )
        self._filters = filters
        self._came = asyncio.Condition()
        self._reading: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self.client.__aenter__()
        for name in self._filters:
            await self.client.subscribe(name, qos=1)
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *failed: object) -> None:
        assert self._reading is not None
        self._reading.cancel()
        await asyncio.wait({self._reading})
        with contextlib.suppress(aiomqtt.MqttError):
            await self.client.__aexit__(None, None, None)
        if self.client._disconnected.done():  # the broker went first, which asyncio reports unless somebody looks
            self.client._disconnected.exception()

    async def until(self, wanted: Callable[[aiomqtt.Message], bool], within_s: float = 20) -> aiomqtt.Message:
        """Return the first message that is wanted, come already or still to come."""
        async with asyncio.timeout(within_s), self._came:
            while True:
                for message in self.messages:
                    if wanted(message):
                        return message
                await self._came.wait()

    def on(self, topic: str) -> list[bytes]:
        return [message.payload for message in self.messages if message.topic.value == topic]

    async def _read(self) -> None:
        with contextlib.suppress(aiomqtt.MqttError):
            async for message in self.client.messages:
                async with self._came:
                    self.messages.append(message)
                    self._came.notify_all()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def until_true(condition: Callable[[], bool], within_s: float = 20) -> None:
    end_s = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end_s, "it did not come true in time"
        time.sleep(0.01)


async def eventually(condition: Callable[[], bool], within_s: float = 20) -> None:
    async with asyncio.timeout(within_s):
        while not condition():  # noqa: ASYNC110 - what a condition looks at has no event to wait for
            await asyncio.sleep(0.01)
