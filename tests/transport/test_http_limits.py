"""What a connection may take: places, time and bytes. Whoever is refused is told, and counted."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from fakes.http_house import House, chat, open_house, user

from claudemem_edge.transport import bodies, connection

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.fake_ollama import FakeOllama


async def test_a_head_that_does_not_come_ends_the_connection(tmp_path: Path, fake: FakeOllama) -> None:
    async with open_house(tmp_path, fake, header_timeout_s=0.05) as house:
        for beginning in (b"", b"GET /health HTTP/1.1\r\nX-Slow: "):
            reader, writer = await asyncio.open_unix_connection(house.socket)
            writer.write(beginning)
            async with asyncio.timeout(20):
                assert b"408" in await reader.read()
            writer.close()
        async with house.client() as client:
            assert (await client.get("/health")).status_code == 200


async def test_a_body_that_does_not_come_is_answered_so(tmp_path: Path, fake: FakeOllama) -> None:
    async with open_house(tmp_path, fake, body_timeout_s=0.05) as house:
        reader, writer = await asyncio.open_unix_connection(house.socket)
        writer.write(b"POST /memory/kim/observe HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
        async with asyncio.timeout(20):
            head = await reader.readuntil(b"\r\n\r\n")
        writer.close()
    assert b"408" in head.splitlines()[0]


async def test_an_idle_connection_is_not_a_slow_one(tmp_path: Path, fake: FakeOllama) -> None:
    async with open_house(tmp_path, fake, header_timeout_s=0.05) as house:
        reader, writer = await asyncio.open_unix_connection(house.socket)
        for _ in range(2):
            writer.write(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
            async with asyncio.timeout(20):
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length: ")[2].split()[0])
                await reader.readexactly(length)
            assert head.startswith(b"HTTP/1.1 200")
            await asyncio.sleep(0.1)  # longer than a head may take
        writer.close()


async def test_over_the_cap_an_idle_connection_makes_room_and_busy_ones_stay(
    tmp_path: Path, fake: FakeOllama, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "NEXT_REQUEST_S", 0.0)
    async with open_house(tmp_path, fake, max_connections=2) as house:
        idle = await asyncio.open_unix_connection(house.socket)
        idle[1].write(b"HEAD /health HTTP/1.1\r\nHost: x\r\n\r\n")
        await idle[0].readuntil(b"\r\n\r\n")
        async with house.client() as first, house.client() as second, house.client() as third:
            async with first.stream("GET", "/memory/kim/events") as listening:
                await anext(listening.aiter_lines())
                async with second.stream("GET", "/memory/kim/events") as also:
                    await anext(also.aiter_lines())
                    async with asyncio.timeout(20):
                        assert await idle[0].read() == b""
                    refused = await third.get("/health")
            assert (refused.status_code, refused.json()["error"]["code"]) == (503, "busy")
            assert "retry-after" in refused.headers
        idle[1].close()


async def test_over_the_cap_a_connection_between_two_requests_stays(
    tmp_path: Path, fake: FakeOllama, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "NEXT_REQUEST_S", 60.0)
    async with open_house(tmp_path, fake, max_connections=1) as house, house.client() as first, house.client() as late:
        assert (await first.get("/health")).status_code == 200
        assert (await late.get("/health")).status_code == 503
        assert (await first.post("/memory/kim/observe", json={"text": "Hello you."})).status_code == 200


async def test_over_the_cap_heads_that_are_not_whole_make_room(tmp_path: Path, fake: FakeOllama) -> None:
    async with open_house(tmp_path, fake, max_connections=2, header_timeout_s=60.0) as house:
        held = [await asyncio.open_unix_connection(house.socket) for _ in range(2)]
        for _, writer in held:
            writer.write(b"GET /health HTTP/1.1\r\nX-Slow: ")
        async with house.client() as client, asyncio.timeout(20):
            assert (await client.get("/health")).status_code == 200
            first = await held[0][0].read()
            held[1][1].write(b"y\r\nHost: x\r\n\r\n")
            line = await held[1][0].readline()
        for _, writer in held:
            writer.close()
    assert first.startswith(b"HTTP/1.1 408 "), "the one that has kept us waiting longest"
    assert line.startswith(b"HTTP/1.1 200 ")


async def test_whoever_asks_is_answered_while_many_keep_coming_and_ask_nothing(
    tmp_path: Path, fake: FakeOllama
) -> None:
    async def come_and_ask_nothing(house: House) -> None:
        while True:
            reader, writer = await asyncio.open_unix_connection(house.socket)
            writer.write(b"GET /health HTTP/1.1\r\nX-Slow: ")
            try:
                await reader.read()
            except ConnectionError:
                continue
            finally:
                writer.close()

    async with open_house(tmp_path, fake, max_connections=4, header_timeout_s=60.0) as house:
        crowd = [asyncio.create_task(come_and_ask_nothing(house)) for _ in range(40)]
        await asyncio.sleep(0.1)  # until every place is held
        statuses = []
        for _ in range(20):
            async with house.client() as client:
                statuses.append((await client.get("/health")).status_code)
        for task in crowd:
            task.cancel()
        await asyncio.gather(*crowd, return_exceptions=True)
    assert statuses == [200] * 20


async def test_a_head_in_pieces_still_finds_the_place_of_one_that_never_comes(tmp_path: Path, fake: FakeOllama) -> None:
    async with open_house(tmp_path, fake, max_connections=1, header_timeout_s=60.0) as house:
        _, held = await asyncio.open_unix_connection(house.socket)
        reader, writer = await asyncio.open_unix_connection(house.socket)
        for piece in (
            b"POST /memory/kim/observe HT",
            b"TP/1.1\r\nHost: x\r\nContent-Length: 17\r\n\r\n{",
            b'"text":"Hello."}',
        ):
            writer.write(piece)
            await asyncio.sleep(0.02)  # so that they come apart
        async with asyncio.timeout(20):
            line = await reader.readline()
        writer.close()
        held.close()
    assert line.startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("beginning", [b"GET /health HTTP/1.1\r\nX-Long: " + b"x" * 20_000, b"GET /"])
async def test_who_has_no_place_cannot_hold_others_up(
    tmp_path: Path, fake: FakeOllama, monkeypatch: pytest.MonkeyPatch, beginning: bytes
) -> None:
    """Who sends too much without a head, or stays longest in a crowd that sends nothing, is told so before its time."""
    monkeypatch.setattr(connection, "LINGER_S", 60.0)
    monkeypatch.setattr(connection, "PLACELESS_MOST", 3)
    async with (
        open_house(tmp_path, fake, max_connections=1) as house,
        house.client() as first,
        first.stream("GET", "/memory/kim/events") as listening,
    ):
        await anext(listening.aiter_lines())
        crowd = [await asyncio.open_unix_connection(house.socket) for _ in range(4)]
        crowd[0][1].write(beginning)
        async with asyncio.timeout(20):
            line = await crowd[0][0].readline()
        for _, writer in crowd:
            writer.close()
    assert line.startswith(b"HTTP/1.1 503 ")


SHAPES = {"/memory/kim/say": "text", "/api/chat": "", "/v1/chat/completions": "message", "/u/ann/v1/models": "message"}


@pytest.mark.parametrize(("path", "sentence"), SHAPES.items())
async def test_whoever_is_refused_is_told_so_in_the_shape_its_client_reads(
    tmp_path: Path, fake: FakeOllama, path: str, sentence: str
) -> None:
    async with open_house(tmp_path, fake, max_connections=1) as house, house.client() as first:
        async with first.stream("GET", "/memory/kim/events") as listening, house.client() as other:
            await anext(listening.aiter_lines())
            full = await other.post(path, json=chat(user("Hello there.")))
        async with house.client(tcp=True, headers={"Host": "evil.example"}) as stranger:
            foreign = await stranger.post(path, json=chat(user("Hello there.")))
    for refused, status in ((full, 503), (foreign, 403)):
        error = refused.json()["error"]
        assert (refused.status_code, isinstance(error[sentence] if sentence else error, str)) == (status, True)


async def test_whoever_says_nothing_to_a_full_house_is_still_refused(
    tmp_path: Path, fake: FakeOllama, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "LINGER_S", 0.05)
    async with (
        open_house(tmp_path, fake, max_connections=1) as house,
        house.client() as first,
        first.stream("GET", "/memory/kim/events") as listening,
    ):
        await anext(listening.aiter_lines())
        left = await asyncio.open_unix_connection(house.socket)
        left[1].close()
        reader, writer = await asyncio.open_unix_connection(house.socket)
        async with asyncio.timeout(20):
            assert b"503" in (await reader.read()).splitlines()[0]
        writer.close()


async def test_in_a_crowd_everybody_gets_an_answer(tmp_path: Path, fake: FakeOllama) -> None:
    async def listen(house: House) -> bytes:
        reader, writer = await asyncio.open_unix_connection(house.socket)
        writer.write(b"POST /memory/kim/observe HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\n\r\n" + b"x" * 80_000)
        async with asyncio.timeout(20):
            line = await reader.readline()
        writer.close()
        return line.split()[1]

    async with open_house(tmp_path, fake, max_connections=2, body_timeout_s=0.05) as house:
        statuses = await asyncio.gather(*(listen(house) for _ in range(20)))
    assert set(statuses) == {b"408", b"503"}


async def told(house: House, data: bytes) -> bytes:
    """Send bytes and return the status of the answer, once all of it is there."""
    reader, writer = await asyncio.open_unix_connection(house.socket)
    writer.write(data)
    async with asyncio.timeout(20):
        answer = await reader.read()
    writer.close()
    return answer.split()[1]


async def test_what_a_connection_refuses_by_itself_is_counted(tmp_path: Path, fake: FakeOllama) -> None:
    async with open_house(tmp_path, fake, max_connections=1, header_timeout_s=0.05) as house, house.client() as client:
        statuses = [await told(house, b"G"), await told(house, b"?\r\n\r\n"), await told(house, b"x" * 100_000)]
        async with client.stream("GET", "/memory/kim/events") as listening:
            await anext(listening.aiter_lines())
            statuses.append(await told(house, b""))
        errors = (await client.get("/health")).json()["errors"]
    assert statuses == [b"408", b"400", b"431", b"503"]
    assert errors == {"timeout": 1, "bad_request": 1, "too_long": 1, "busy": 1}


async def test_where_too_many_refused_ones_linger_the_next_still_gets_its_answer(
    tmp_path: Path, fake: FakeOllama, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "PLACELESS_MOST", 1)
    async with open_house(tmp_path, fake) as house:
        statuses = await asyncio.gather(*(told(house, b"?\r\n\r\n") for _ in range(5)))
    assert statuses == [b"400"] * 5


async def test_an_error_is_counted_whichever_way_it_is_told(house: House) -> None:
    async with house.client() as client:
        for mode in ("500", "500", "no_done"):  # what came to nothing is tried once more
            house.fake.next(mode)
        await client.post("/memory/kim/say", json={"text": "Hello you."})
        await client.post("/api/chat", json=chat(user("Hello there.")))
        await client.post("/memory/kim/say", json={"text": "word " * 500})
        errors = (await client.get("/health")).json()["errors"]
    assert errors == {"backend_unreachable": 2, "too_long": 1}


async def test_large_bodies_at_once_are_bounded_together(tmp_path: Path, fake: FakeOllama) -> None:
    most_bytes = 20_000
    async with open_house(tmp_path, fake, max_body_bytes=most_bytes) as house, house.client() as client:
        held = [await asyncio.open_unix_connection(house.socket) for _ in range(bodies.AT_ONCE)]
        for _, writer in held:
            head = f"POST /memory/kim/observe HTTP/1.1\r\nHost: x\r\nContent-Length: {most_bytes}\r\n\r\n"
            writer.write(head.encode() + b" " * (most_bytes - 1))
        async with asyncio.timeout(20):
            while (refused := await client.post("/memory/kim/observe", json={"text": "Hi."})).status_code == 200:
                pass
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "busy")
        assert (await client.get("/health")).status_code == 200, "what brings no body needs no room"
        for _, writer in held:
            writer.close()
        async with asyncio.timeout(20):
            while (await client.post("/memory/kim/observe", json={"text": "Hi."})).status_code != 200:
                pass
