"""The access log: a line a request, with who asked and how it went, and with nothing that anybody said."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import socket
from typing import TYPE_CHECKING, cast

import pytest
from fakes.http_house import MODEL, House, open_house
from fakes.real_mosquitto import eventually

from claudemem_edge.log import NEVER, OWN, access
from claudemem_edge.transport.access import UNKNOWN, peer_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fakes.fake_ollama import FakeOllama

WORD = "xylophone"
LINE = re.compile(r"(?P<called>.+) (?P<status>\d{3}|-) (?P<size>\d+) B \d+\.\d ms (?P<peer>.+)")
SELF = f"uid={os.getuid()} gid={os.getgid()} pid={os.getpid()}"


@pytest.fixture(autouse=True)
def opened(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    caplog.set_level(logging.DEBUG)
    access.setLevel(logging.NOTSET)
    yield
    access.setLevel(NEVER)


def own_log(caplog: pytest.LogCaptureFixture) -> str:
    """Return what the daemon logged: its clients here log into the same."""
    return "\n".join(one.getMessage() for one in caplog.records if one.name.startswith(OWN))


async def lines(caplog: pytest.LogCaptureFixture, count: int) -> list[tuple[str, str, str]]:
    """Wait for so many lines; return route, status and peer of each."""
    await eventually(lambda: sum(one.name == access.name for one in caplog.records) >= count)
    found = [LINE.fullmatch(one.getMessage()) for one in caplog.records if one.name == access.name]
    return [(one["called"], one["status"], one["peer"]) for one in found if one is not None]


async def send(house: House, data: bytes) -> None:
    """Send bytes and wait for the end of the connection."""
    reader, writer = await asyncio.open_unix_connection(house.socket)
    writer.write(data)
    async with asyncio.timeout(20):
        await reader.read()
    writer.close()


async def test_a_request_is_told_by_its_route_and_by_who_asked(house: House, caplog: pytest.LogCaptureFixture) -> None:
    chat = {"model": MODEL, "messages": [{"role": "user", "content": "Hello."}]}
    async with house.client() as unix, house.client(tcp=True) as tcp:
        await unix.post("/memory/kim/observe", json={"text": "Hello."})
        await unix.get("/memory/kim/turns/7")
        await unix.post("/u/kim/api/chat", json=chat)
        await unix.put("/health")
        await unix.get("/nowhere")
        reply = await tcp.get("/health", headers={"Host": "evil.example"})
        port = reply.extensions["network_stream"].get_extra_info("client_addr")[1]
    assert await lines(caplog, 6) == [
        ("POST /memory/{scope}/observe", "200", SELF),
        ("GET /memory/{scope}/turns/{turn}", "400", SELF),
        ("POST /u/{scope}/api/chat", "200", SELF),
        ("PUT /health", "405", SELF),
        ("GET -", "404", SELF),
        ("GET /health", "403", f"127.0.0.1:{port}"),
    ]


async def test_the_bytes_of_an_answer_are_counted_to_its_end(house: House, caplog: pytest.LogCaptureFixture) -> None:
    async with house.client() as client:
        reply = await client.post("/memory/kim/say", json={"text": "Hello you."})
    await lines(caplog, 1)
    assert f" 200 {len(reply.content)} B " in own_log(caplog)


async def test_who_leaves_early_is_told_too(house: House, caplog: pytest.LogCaptureFixture) -> None:
    reader, writer = await asyncio.open_unix_connection(house.socket)
    writer.write(b"POST /memory/kim/observe HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n")
    await reader.readuntil(b"\r\n\r\n")
    writer.close()
    assert await lines(caplog, 1) == [("POST /memory/{scope}/observe", "-", SELF)]


async def test_what_a_connection_refuses_by_itself_is_a_line(
    tmp_path: Path, fake: FakeOllama, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_house(tmp_path, fake, header_timeout_s=0.05) as house:
        await send(house, b"GET")
        await send(house, WORD.encode() + b"\r\n\r\n")
    assert await lines(caplog, 2) == [("- -", "408", SELF), ("- -", "400", SELF)]
    assert WORD not in own_log(caplog)


async def test_no_word_and_no_scope_gets_into_it(house: House, caplog: pytest.LogCaptureFixture) -> None:
    asked = [
        (WORD.upper(), "/health", None),
        ("GET", f"/{WORD}", None),
        ("GET", f"/memory/{WORD}", None),
        ("POST", f"/memory/{WORD}/observe", {"text": WORD}),
        ("POST", f"/u/{WORD}/api/chat", {"model": WORD, "messages": [{"role": "user", "content": WORD}]}),
        ("GET", f"/u/{WORD}/{WORD}", None),
        ("GET", f"/memory/kim/context?query={WORD}", None),
        ("GET", f"/memory/kim/turns/{WORD}", None),
        ("PATCH", f"/memory/kim/pending/{WORD}", {"op": "done"}),
        ("GET", f"/v1/models/{WORD}", None),
        ("GET", f"/health?{WORD}={WORD}#{WORD}", None),
    ]
    headers = {"X-Claudemem-Scope": WORD, "User-Agent": WORD, "Authorization": f"Bearer {WORD}", "Referer": WORD}
    async with house.client(headers=headers) as unix, house.client(tcp=True, headers=headers) as tcp:
        for client in (unix, tcp):
            for method, path, body in asked:
                await client.request(method, path, json=body)
    assert len(await lines(caplog, 2 * len(asked))) == 2 * len(asked)
    assert WORD not in own_log(caplog).lower()


async def test_nothing_is_told_unless_it_is_asked_for(house: House, caplog: pytest.LogCaptureFixture) -> None:
    access.setLevel(NEVER)
    async with house.client() as client:
        await client.get("/health")
    await send(house, b"?\r\n\r\n")
    assert await lines(caplog, 0) == []


class End:
    """A transport as far as is asked of it: it has a socket."""

    def __init__(self, end: object) -> None:
        self.get_extra_info = {"socket": end}.get


class OfSix:
    """A socket with an IPv6 address, which many a machine has not."""

    family = socket.AF_INET6

    def getpeername(self) -> tuple[str, int, int, int]:
        return ("::1", 7, 0, 0)


def test_a_peer_that_has_left_is_nobody() -> None:
    with socket.socket() as unconnected:
        assert peer_of(cast("asyncio.Transport", End(unconnected))) == UNKNOWN


def test_an_address_of_six_has_its_brackets() -> None:
    assert peer_of(cast("asyncio.Transport", End(OfSix()))) == "[::1]:7"
