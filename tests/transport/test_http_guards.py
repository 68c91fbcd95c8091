from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from fakes.http_house import House, chat, open_house, user

from claudemem_edge.transport import connection

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.fake_ollama import FakeOllama

CHAT = {"model": "llama3.2:1b", "messages": [{"role": "user", "content": "Hello there."}]}
TOKENS = (
    ("key-of-kim", ("kim",)),
    ("key-of-two", ("ann", "bob")),
    ("key-of-all", ("*",)),
    ("key-of-visits", ("visit-*",)),
    ("clé-à-moi-à", ("ann",)),
    ("钥匙", ("ann",)),
)


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:80", "localhost:", "127.0.0.1", "127.0.0.7:11535", "[::1]:11535", "LOCALHOST."]
)
async def test_loopback_names_are_served(house: House, host: str) -> None:
    async with house.client(tcp=True, headers={"Host": host}) as client:
        assert (await client.get("/api/tags")).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "evil.example:11535",
        "127.0.0.1.evil.example",
        "evil.localhost",
        "10.0.0.7",
        "0.0.0.0",
        "127.1",
        "[fe80::1]",
        "::1",
        "[::1",
        "[::1]evil.example",
        "localhost..",
        "localhost:evil",
        "localhost:80:80",
        "localhost:80@evil.example",
        "evil@localhost",
        "localhost, evil.example",
        "localhost/evil",
    ],
)
async def test_other_hosts_are_refused_on_tcp_and_nothing_is_learned(house: House, host: str) -> None:
    async with house.client(tcp=True, headers={"Host": host}) as client:
        reply = await client.post("/api/chat", json=CHAT)
    assert (reply.status_code, reply.json()["code"]) == (403, "forbidden")
    assert house.sessions.scopes() == ()


async def test_a_listed_host_is_served(tmp_path: Path, fake: FakeOllama) -> None:
    async with (
        open_house(tmp_path, fake, allowed_hosts=("Kitchen.local",)) as house,
        house.client(tcp=True, headers={"Host": "kitchen.local:11535"}) as client,
    ):
        assert (await client.get("/api/tags")).status_code == 200


async def test_the_socket_serves_any_host(house: House) -> None:
    async with house.client(headers={"Host": "evil.example"}) as client:
        assert (await client.get("/api/tags")).status_code == 200


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "http://localhost:3000", "null", "file://", "http://[evil", "evil"]
)
async def test_pages_from_elsewhere_are_refused(house: House, origin: str) -> None:
    async with house.client(tcp=True, headers={"Origin": origin}) as client:
        reply = await client.post("/memory/kim/say", json={"text": "Hello there."})
        preflight = await client.options("/memory/kim/say", headers={"Access-Control-Request-Method": "POST"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (403, "forbidden")
    assert "access-control-allow-origin" not in {*reply.headers, *preflight.headers}
    assert preflight.status_code == 403


async def test_pages_of_our_own_and_listed_ones_may_call(tmp_path: Path, fake: FakeOllama) -> None:
    async with open_house(tmp_path, fake, allowed_origins=("http://panel.local",)) as house:
        for origin in (house.url, "http://panel.local"):
            async with house.client(tcp=True, headers={"Origin": origin}) as client:
                assert (await client.post("/memory/kim/observe", json={"text": "Hello."})).status_code == 200


@pytest.mark.parametrize(
    ("site", "status"),
    [("cross-site", 403), ("same-site", 403), ("whatever", 403), ("none", 200), ("same-origin", 200)],
)
async def test_a_page_that_names_no_origin_is_known_by_what_the_browser_says(
    house: House, site: str, status: int
) -> None:
    """A picture or a script of another page asks without Origin, and would learn whom there are memories of."""
    async with house.client(tcp=True, headers={"Sec-Fetch-Site": site}) as client:
        assert (await client.get("/health")).status_code == status


async def test_a_listed_page_may_be_on_another_site(tmp_path: Path, fake: FakeOllama) -> None:
    headers = {"Origin": "http://panel.local", "Sec-Fetch-Site": "cross-site"}
    async with (
        open_house(tmp_path, fake, allowed_origins=("http://Panel.local",)) as house,
        house.client(tcp=True, headers=headers) as client,
    ):
        assert (await client.get("/health")).status_code == 200


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
async def test_bodies_on_tcp_must_be_json_by_name(house: House, content_type: str) -> None:
    headers = {"Content-Type": content_type} if content_type else {}
    async with house.client(tcp=True) as tcp, house.client() as unix:
        refused = await tcp.post("/memory/kim/observe", content=b'{"text":"Hello."}', headers=headers)
        served = await unix.post("/memory/kim/observe", content=b'{"text":"Hello."}', headers=headers)
    assert (refused.status_code, refused.json()["error"]["code"]) == (415, "bad_request")
    assert served.status_code == 200


async def test_json_with_a_charset_is_json(house: House) -> None:
    headers = {"Content-Type": "Application/JSON; charset=utf-8"}
    async with house.client(tcp=True) as client:
        reply = await client.post("/memory/kim/observe", content=b'{"text":"Hello."}', headers=headers)
    assert reply.status_code == 200


@pytest.mark.parametrize(
    ("token", "path", "scope", "status"),
    [
        ("", "/api/chat", "kim", 401),
        ("wrong", "/api/chat", "kim", 401),
        ("key-of-kim", "/api/chat", "", 200),
        ("key-of-kim", "/api/chat", "kim", 200),
        ("key-of-kim", "/api/chat", "ann", 403),
        ("key-of-kim", "/u/ann/api/chat", "", 403),
        ("key-of-two", "/api/chat", "", 403),
        ("key-of-two", "/u/bob/api/chat", "", 200),
        ("key-of-all", "/u/bob/api/chat", "", 200),
        ("key-of-all", "/api/chat", "", 200),
        ("key-of-visits", "/u/visit-7/api/chat", "", 200),
        ("key-of-visits", "/u/kim/api/chat", "", 403),
        ("key-of-visits", "/api/chat", "", 403),
        ("clé-à-moi-à", "/u/ann/api/chat", "", 200),
        ("钥匙", "/u/ann/api/chat", "", 200),
        ("钥匙".encode().decode("latin-1"), "/u/ann/api/chat", "", 401),
    ],
)
async def test_a_token_opens_its_scopes_alone(
    tmp_path: Path, fake: FakeOllama, token: str, path: str, scope: str, status: int
) -> None:
    headers = [(b"Authorization", f"Bearer {token}".encode())] if token else []
    headers += [(b"X-Claudemem-Scope", scope.encode())] if scope else []
    async with open_house(tmp_path, fake, tokens=TOKENS) as house, house.client(tcp=True) as client:
        reply = await client.post(path, json=CHAT, headers=headers)
        assert reply.status_code == status
        if status != 200:
            assert reply.json()["code"] == "forbidden"
            assert house.sessions.scopes() == ()
    assert all("authorization" not in request.headers for request in fake.requests)


async def test_a_token_guards_the_memory_routes_too(tmp_path: Path, fake: FakeOllama) -> None:
    async with open_house(tmp_path, fake, tokens=TOKENS) as house:
        async with house.client(tcp=True, headers={"Authorization": "Bearer key-of-kim"}) as client:
            statuses = [
                (await client.post(f"/memory/{scope}/observe", json={"text": "Hello."})).status_code
                for scope in ("kim", "ann")
            ]
        async with house.client(tcp=True) as stranger:
            open_ones = [(await stranger.get(path)).status_code for path in ("/health", "/", "/metrics", "/api/tags")]
        async with house.client() as member:
            trusted = (await member.post("/memory/ann/observe", json={"text": "Hello."})).status_code
    assert statuses == [200, 403]
    assert open_ones == [200, 200, 401, 401]
    assert trusted == 200, "on the socket its group is what lets people in"


async def test_a_scope_may_be_required(tmp_path: Path, fake: FakeOllama) -> None:
    async with open_house(tmp_path, fake, require_scope=True) as house, house.client() as client:
        unnamed = await client.post("/api/chat", json=CHAT)
        named = await client.post("/u/kim/api/chat", json=CHAT)
        tags = await client.get("/api/tags")
    assert (unnamed.status_code, unnamed.json()["code"]) == (404, "unknown_scope")
    assert (named.status_code, tags.status_code) == (200, 200)


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


async def test_over_the_cap_an_idle_connection_makes_room_and_busy_ones_stay(tmp_path: Path, fake: FakeOllama) -> None:
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


SHAPES = {"/memory/kim/say": "text", "/api/chat": "", "/v1/chat/completions": "message", "/u/ann/v1/models": "message"}


@pytest.mark.parametrize(("path", "sentence"), SHAPES.items())
async def test_whoever_is_refused_is_told_so_in_the_shape_its_client_reads(
    tmp_path: Path, fake: FakeOllama, path: str, sentence: str
) -> None:
    async with open_house(tmp_path, fake, max_connections=1) as house, house.client() as first:
        async with first.stream("GET", "/memory/kim/events") as listening, house.client() as other:
            await anext(listening.aiter_lines())
            full = await other.post(path, json=CHAT)
        async with house.client(tcp=True, headers={"Host": "evil.example"}) as stranger:
            foreign = await stranger.post(path, json=CHAT)
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
    monkeypatch.setattr(connection, "LINGERING_MOST", 1)
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
