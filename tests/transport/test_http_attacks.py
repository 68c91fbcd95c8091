"""Bytes that are meant to be read in two ways, or not at all: each gets one typed refusal, and teaches nothing."""

from __future__ import annotations

import asyncio
import gzip
import json
from typing import TYPE_CHECKING

import pytest
from fakes.http_house import House, open_house

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from fakes.fake_ollama import FakeOllama

BODY = b'{"text":"Hello."}'
CHUNK = b"11\r\n" + BODY + b"\r\n"
LAST = b"0\r\n\r\n"
JSON = b"Content-Type: application/json\r\n"
PATIENCE_S = 20


def get(path: bytes, headers: bytes = b"Host: localhost\r\n", version: bytes = b"1.1") -> bytes:
    return b"GET " + path + b" HTTP/" + version + b"\r\n" + headers + b"\r\n"


def post(headers: bytes, body: bytes = BODY, path: bytes = b"/memory/kim/observe") -> bytes:
    return b"POST " + path + b" HTTP/1.1\r\nHost: localhost\r\n" + JSON + headers + b"\r\n" + body


def sized(body: bytes, headers: bytes = b"", path: bytes = b"/memory/kim/observe") -> bytes:
    return post(b"Content-Length: %d\r\n" % len(body) + headers, body, path)


REFUSED = {
    # A body of two lengths, or of none.
    "two lengths": (post(b"Content-Length: 17\r\nContent-Length: 18\r\n"), 400),
    "two lengths in one": (post(b"Content-Length: 17, 18\r\n"), 400),
    "a length and chunks": (post(b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", CHUNK + LAST), 400),
    "chunks and a length": (post(b"Transfer-Encoding: chunked\r\nContent-Length: 17\r\n", CHUNK + LAST), 400),
    "a length with a sign": (post(b"Content-Length: +17\r\n"), 400),
    "a length below zero": (post(b"Content-Length: -1\r\n"), 400),
    "a length beyond numbers": (post(b"Content-Length: " + b"9" * 30 + b"\r\n"), 400),
    "a length in words": (post(b"Content-Length: many\r\n"), 400),
    "chunks and then rubbish": (post(b"Transfer-Encoding: chunked\r\n", CHUNK + b"zz\r\n\r\n"), 400),
    "a chunk beyond numbers": (post(b"Transfer-Encoding: chunked\r\n", b"f" * 22 + b"\r\n" + BODY), 400),
    "chunks in another coding": (post(b"Transfer-Encoding: gzip, chunked\r\n", CHUNK + LAST), 400),
    "a coding nobody knows": (post(b"Transfer-Encoding: xchunked\r\n", CHUNK + LAST), 400),
    "a header with a space in its name": (post(b"Transfer-Encoding : chunked\r\n", CHUNK + LAST), 400),
    # A head of two meanings, or of none.
    "two hosts": (get(b"/memory/kim", b"Host: localhost\r\nHost: evil.example\r\n"), 400),
    "a folded host": (get(b"/memory/kim", b"Host: localhost\r\n evil.example\r\n"), 403),
    "no host": (get(b"/memory/kim", b"X-Y: z\r\n"), 400),
    "no host in 1.0": (get(b"/memory/kim", b"X-Y: z\r\n", b"1.0"), 403),
    "two origins": (sized(BODY, b"Origin: http://evil.example\r\nOrigin: http://localhost\r\n"), 400),
    "two scopes": (sized(BODY, b"X-Claudemem-Scope: kim\r\nX-Claudemem-Scope: ann\r\n"), 400),
    "two tokens": (sized(BODY, b"Authorization: Bearer a\r\nAuthorization: Bearer b\r\n"), 400),
    "two kinds": (sized(BODY, b"Content-Type: text/plain\r\n"), 400),
    "a NUL in a header": (get(b"/memory/kim", b"Host: localhost\r\nX: a\0b\r\n"), 400),
    "a carriage return in a header": (get(b"/memory/kim", b"Host: localhost\r\nX: a\rHost: b\r\n"), 400),
    "too many headers": (get(b"/memory/kim", b"Host: localhost\r\n" + b"X-Y: z\r\n" * 40_000), 431),
    "a head without an end": (b"GET /" + b"x" * 100_000, 431),
    # Another tongue.
    "HTTP/0.9": (b"GET /memory/kim\r\n\r\n", 400),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    "HTTP/9": (get(b"/memory/kim", version=b"9.9"), 505),
    "TLS": (bytes.fromhex("16030100c8010000c40303") + bytes(range(128, 255)) + b"\r\n\r\n", 400),
    "a tunnel": (b"CONNECT 10.0.0.1:80 HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    "all of the server": (b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    # Ways around a path.
    "a whole address": (get(b"http://localhost/memory/kim"), 404),
    "a whole address elsewhere": (get(b"http://evil.example/memory/kim"), 404),
    "two slashes": (get(b"//memory/kim"), 404),
    "an address without its kind": (get(b"//evil.example/health"), 404),
    "up": (get(b"/memory/../health"), 404),
    "up, hidden": (get(b"/memory/%2e%2e/health"), 404),
    "up, as a scope": (get(b"/memory/%2e%2e"), 404),
    "NUL": (get(b"/memory/kim%00"), 404),
    "no UTF-8": (get(b"/memory/%ff%fe"), 404),
    "no hexadecimal": (get(b"/memory/%zz"), 404),
    "a slash in a scope": (sized(BODY, path=b"/memory/kim%2fann/observe"), 404),
    "a scope with a parameter": (sized(BODY, path=b"/memory/kim;a=b/observe"), 404),
    "no scope": (sized(BODY, path=b"/u//memory/kim/observe"), 404),
    "a scope within a scope": (sized(BODY, path=b"/u/ann/u/kim/api/chat"), 404),
    # Bodies that are not what they say.
    "packed": (sized(gzip.compress(BODY), b"Content-Encoding: gzip\r\n"), 415),
    "said to be packed": (sized(BODY, b"Content-Encoding: gzip\r\n"), 415),
    "a number that is none": (sized(b'{"text":"a","ttl_s":NaN}', path=b"/memory/kim/say"), 400),
    "a number without an end": (sized(b'{"text":"a","ttl_s":1e999}', path=b"/memory/kim/say"), 400),
    "UTF-16": (sized(BODY.decode().encode("utf-16")), 400),
    "a byte order mark": (sized(b"\xef\xbb\xbf" + BODY), 400),
    "too long, asking first": (post(b"Content-Length: 9999999\r\nExpect: 100-continue\r\n", b""), 413),
}


async def tell(house: House, data: bytes) -> bytes:
    """Send bytes over TCP, and return all that comes back: an answer, and whatever follows it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", house.door.tcp_port)
    try:
        writer.write(data)
        async with asyncio.timeout(PATIENCE_S):
            head = await reader.readuntil(b"\r\n\r\n")
            body = await reader.readexactly(int(head.lower().partition(b"content-length:")[2].split()[0]))
            writer.write_eof()
            return head + body + await reader.read()
    finally:
        writer.close()


def refusal(answer: bytes) -> tuple[int, str, str]:
    """Return status, code and sentence of the one refusal there is."""
    assert answer.count(b"HTTP/1.1 ") == 1, answer
    head, _, body = answer.partition(b"\r\n\r\n")
    fields = json.loads(body)
    error = fields["error"]
    code, sentence = (fields["code"], error) if isinstance(error, str) else (error["code"], error["text"])
    return int(head.split()[1]), code, sentence


@pytest.fixture
async def attacked(tmp_path: Path, fake: FakeOllama) -> AsyncIterator[House]:
    async with open_house(tmp_path, fake) as house:
        yield house
        assert house.sessions.scopes() == (), "nothing was learned"
        async with house.client(tcp=True) as client:
            assert (await client.post("/memory/kim/observe", json={"text": "Hello."})).status_code == 200


@pytest.mark.parametrize("name", REFUSED)
async def test_one_typed_refusal(attacked: House, name: str) -> None:
    data, wanted = REFUSED[name]
    status, code, sentence = refusal(await tell(attacked, data))
    assert (status, code != "internal") == (wanted, True)
    assert len(sentence.split()) > 2


TOKENS = (("key-of-kim", ("kim",)), ("key-of-ann", ("ann",)))
INNER = b"POST /memory/ann/observe HTTP/1.1\r\nHost: localhost\r\nContent-Length: 17\r\n\r\n" + BODY


def with_token(token: bytes) -> bytes:
    return sized(BODY, b"Authorization: Bearer " + token + b"\r\n")


KEPT_OPEN = [
    (with_token(b"key-of-kim"), 200),
    (with_token(b"key-of-ann"), 403),
    (sized(BODY), 401),
    (sized(BODY, b"Authorization: Basic a2V5LW9mLWtpbQ==\r\n"), 401),
    (with_token(b"key-of-kim"), 200),
    (with_token(b"key-of-kim").replace(b"Host: localhost", b"Host: evil.example"), 403),
    (with_token(b"key-of-kim").replace(b"Host: localhost", b"Host: localhost\r\nOrigin: http://evil.example"), 403),
    (with_token(b"key-of-kim").replace(JSON, b"Content-Type: text/plain\r\n"), 415),
    (sized(INNER, b"Authorization: Bearer key-of-kim\r\n"), 400),
    (sized(INNER).replace(b"Host: localhost", b"Host: evil.example", 1), 403),
    (get(b"/health"), 200),
]
"""Requests over one connection, each with another Host, Origin or token, or with a request of its own in its body."""


async def answers(house: House, pieces: list[bytes]) -> list[int]:
    """Send bytes over one connection, a piece after each answer; return the statuses."""
    reader, writer = await asyncio.open_connection("127.0.0.1", house.door.tcp_port)
    statuses = []
    try:
        async with asyncio.timeout(PATIENCE_S):
            for piece in pieces:
                writer.write(piece)
                head = await reader.readuntil(b"\r\n\r\n")
                await reader.readexactly(int(head.lower().partition(b"content-length:")[2].split()[0]))
                statuses.append(int(head.split()[1]))
            writer.write_eof()
            assert await reader.read() == b""
    finally:
        writer.close()
    return statuses


@pytest.mark.parametrize("pipelined", [False, True])
async def test_each_request_of_a_connection_is_looked_at_by_itself(
    tmp_path: Path, fake: FakeOllama, *, pipelined: bool
) -> None:
    pieces = [data for data, _ in KEPT_OPEN]
    if pipelined:
        pieces = [b"".join(pieces), *[b""] * (len(pieces) - 1)]
    async with open_house(tmp_path, fake, tokens=TOKENS) as house:
        assert await answers(house, pieces) == [status for _, status in KEPT_OPEN]
        assert house.sessions.scopes() == ("kim",)
        assert house.sessions.peek("kim").turn == 2


@pytest.mark.parametrize(("host", "lines"), [(b"localhost", [b"100", b"200"]), (b"evil.example", [b"403"])])
async def test_a_body_is_asked_for_once_its_head_is_good(house: House, host: bytes, lines: list[bytes]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", house.door.tcp_port)
    head = post(b"Content-Length: 17\r\nExpect: 100-continue\r\n", b"").replace(b"localhost", host)
    writer.write(head)
    found = []
    async with asyncio.timeout(PATIENCE_S):
        for _ in lines:
            found.append((await reader.readuntil(b"\r\n\r\n")).split()[1])
            writer.write(BODY if found == [b"100"] else b"")
    writer.close()
    assert found == lines


@pytest.mark.parametrize("origin", [b"", b"Origin: https://evil.example\r\n"])
async def test_a_web_socket_is_not_opened(house: House, origin: bytes) -> None:
    upgrade = b"Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    key = b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    assert await answers(house, [get(b"/health", upgrade + key + origin)]) == [403 if origin else 200]


async def test_of_two_fields_of_one_name_the_last_is_read(house: House) -> None:
    """As Python, Ollama and JavaScript read them, so that no two of us understand different words."""
    async with house.client() as client:
        await client.post("/memory/kim/observe", content=b'{"text":"The first.","text":"The second."}')
    assert house.said("user", "kim") == ["The second"]
