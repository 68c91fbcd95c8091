"""Clients that take their time with answers, and doors that close on them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import httpx
import pytest
from fakes.http_house import House, open_house
from fakes.real_mosquitto import eventually

from claudemem_edge.transport import connection
from claudemem_edge.transport.schema import schema_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.fake_ollama import FakeOllama

MANY = 60
"""Answers of so many schemas are more than the buffers between two programs hold."""
ASKED = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * MANY
PATIENCE_S = 20


async def until_stuck(house: House) -> connection.GuardedProtocol:
    """Wait until the only connection's client has too much to take."""
    server = house.door._server
    assert server is not None
    async with asyncio.timeout(PATIENCE_S):
        while True:
            for one in server.server_state.connections:
                assert isinstance(one, connection.GuardedProtocol)
                if one._stuck is not None:
                    return one
            await asyncio.sleep(0.01)


async def test_who_reads_on_after_a_while_gets_everything(house: House) -> None:
    reader, writer = await asyncio.open_unix_connection(house.socket, limit=1024)
    writer.write(ASKED)
    held = await until_stuck(house)
    found = b""
    async with asyncio.timeout(PATIENCE_S):
        while found.count(schema_bytes("openapi")) < MANY:
            found += await reader.read(1 << 20)
    assert held._stuck is None
    writer.close()


async def test_who_reads_nothing_is_let_go(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "STUCK_READER_S", 0.05)
    reader, writer = await asyncio.open_unix_connection(house.socket, limit=1024)
    writer.write(ASKED)
    held = await until_stuck(house)
    await eventually(lambda: held not in held.connections)
    async with asyncio.timeout(PATIENCE_S):
        found = await reader.read()
    assert found.count(schema_bytes("openapi")) < MANY
    writer.close()


async def test_a_body_that_nobody_answers_for_ends_its_connection(
    tmp_path: Path, fake: FakeOllama, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a suspend, when both limits are over at once."""
    monkeypatch.setattr(connection, "LATER_S", -59.95)
    async with open_house(tmp_path, fake, body_timeout_s=60.0) as house:
        reader, writer = await asyncio.open_unix_connection(house.socket)
        writer.write(b"POST /memory/kim/observe HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
        async with asyncio.timeout(PATIENCE_S):
            assert await reader.read() == b""
        writer.close()
        async with house.client() as client:
            assert (await client.get("/health")).status_code == 200


async def test_a_door_that_closes_cuts_off_what_does_not_end(house: House) -> None:
    async with house.client() as client, client.stream("GET", "/memory/kim/events") as reply:
        rows = reply.aiter_lines()
        await anext(rows)
        await house.door.stop()
        with pytest.raises(httpx.RemoteProtocolError):
            await anext(rows)
