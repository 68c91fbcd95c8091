"""Who may come in by HTTP: which hosts, which pages, which bodies, which tokens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from fakes.http_house import House, open_house
from hypothesis import example, given
from hypothesis import strategies as st

from claudemem_edge.errors import Forbidden
from claudemem_edge.shapes.options import HttpOptions
from claudemem_edge.transport.heads import check_sender

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


ANY = st.one_of(st.text(max_size=30), st.from_regex(r"(https?://)?\[?[a-z0-9:.@%]*\]?(:[0-9]*)?", fullmatch=True))


@given(ANY, ANY, ANY)
@example("[::1]evil.example", "", "none")
@example("localhost", "http://[evil", "none")
def test_whatever_a_head_says_it_is_let_in_by_name_or_refused(host: str, origin: str, site: str) -> None:
    headers = {"host": host, "origin": origin, "sec-fetch-site": site}
    try:
        check_sender(headers, HttpOptions(allowed_hosts=("", "?", "kitchen.local")))
    except Forbidden:
        return
    name = host.lower().rpartition(":")[0] if re.search(r":[0-9]*\Z", host) and not host.endswith("]") else host.lower()
    assert re.fullmatch(r"(localhost|kitchen\.local|127\.[0-9]+\.[0-9]+\.[0-9]+)\.?|\[[0-9a-f:.]+\]", name)
    assert origin.lower() in {"", f"http://{host}".lower(), f"https://{host}".lower()}
    assert site in {"none", "same-origin"}


@pytest.mark.parametrize("listed", ["Kitchen.local", "kitchen.local:11535", "kitchen.local."])
@pytest.mark.parametrize(("host", "status"), [("kitchen.local:11535", 200), ("KITCHEN.local", 200), ("[evil", 403)])
async def test_a_listed_host_is_served(tmp_path: Path, fake: FakeOllama, listed: str, host: str, status: int) -> None:
    async with (
        open_house(tmp_path, fake, allowed_hosts=(listed, "no host at all")) as house,
        house.client(tcp=True, headers={"Host": host}) as client,
    ):
        assert (await client.get("/health")).status_code == status


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
        open_house(tmp_path, fake, allowed_origins=("http://Panel.local/",)) as house,
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


@pytest.mark.parametrize(("token", "passed_on"), [("key-of-kim", 0), ("key-of-visits", 0), ("key-of-all", 1)])
async def test_models_are_changed_by_those_alone_who_may_open_every_scope(
    tmp_path: Path, fake: FakeOllama, token: str, passed_on: int
) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        open_house(tmp_path, fake, tokens=TOKENS, relay_admin=True) as house,
        house.client(tcp=True, headers=headers) as client,
    ):
        reply = await client.request("DELETE", "/api/delete", json={"model": "llama3.2:1b"})
    assert [one.path for one in fake.requests].count("/api/delete") == passed_on
    assert (reply.status_code == 403) is not bool(passed_on)


async def test_no_answer_is_kept_on_a_disk(house: House) -> None:
    async with house.client(tcp=True) as client:
        replies = [await client.get(path) for path in ("/health", "/memory/kim", "/api/tags", "/nowhere")]
        replies.append(await client.get("/health", headers={"Host": "evil.example"}))
        async with client.stream("GET", "/memory/kim/events") as reply:
            replies.append(reply)
    for reply in replies:
        assert reply.headers.get_list("cache-control") == ["no-store"]
        assert reply.headers["x-content-type-options"] == "nosniff"
