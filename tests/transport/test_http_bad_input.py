"""Whatever comes in is answered by a typed error; nothing remembered is lost; the next request works."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from typing import TYPE_CHECKING

import pytest
from fakes.http_house import House, plain

from claudemem_edge.transport import guards

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import httpx

MODEL = "llama3.2:1b"
KEY = "The spare key is under the blue pot."
SECRET = "zebra-in-the-attic"
DEEP = b"[" * 100_000
BAD_BODIES = {
    "empty": b"",
    "not utf-8": b'{"text":"\xff\xfe' + SECRET.encode() + b'"}',
    "broken": b'{"text":"' + SECRET.encode(),
    "deep": DEEP,
    "deep inside": b'{"text":' + DEEP,
    "a list": b'["' + SECRET.encode() + b'"]',
    "unknown field": b'{"text":"hi","' + SECRET.encode() + b'":1}',
    "NUL": b'{"text":"a\\u0000' + SECRET.encode() + b'"}',
    "wrong type": b'{"text":{"' + SECRET.encode() + b'":1}}',
    "empty text": b'{"text":""}',
}


@pytest.fixture
async def learned(house: House) -> House:
    """Give a door behind which something is remembered already."""
    house.sessions.observe("kim", "user", KEY)
    return house


async def _still_works(house: House, client: httpx.AsyncClient) -> None:
    assert house.said("user", "kim") == [plain(KEY)]
    reply = await client.post("/memory/kim/say", json={"text": "Where is the spare key?"})
    assert json.loads(reply.text.splitlines()[-1])["event"] == "final"
    assert "blue pot" in house.fake.asked[-1].json["messages"][-1]["content"]


@pytest.mark.parametrize("case", BAD_BODIES)
@pytest.mark.parametrize("path", ["/memory/kim/say", "/memory/kim/observe"])
async def test_bad_bodies_on_the_memory_routes(
    learned: House, path: str, case: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with learned.client() as client:
        reply = await client.post(path, content=BAD_BODIES[case])
        assert (reply.status_code, reply.json()["error"]["code"]) == (400, "bad_request")
        assert reply.json()["error"]["text"]
        assert SECRET not in reply.text
        await _still_works(learned, client)
    assert SECRET not in caplog.text


@pytest.mark.parametrize("path", ["/memory/kim/say", "/memory/kim/observe"])
async def test_a_text_too_long_for_our_own_doors(learned: House, path: str) -> None:
    async with learned.client() as client:
        reply = await client.post(path, json={"text": "word " * 401})
        assert (reply.status_code, reply.json()["error"]["code"]) == (413, "too_long")
        await _still_works(learned, client)


@pytest.mark.parametrize("path", ["/memory/kim/say", "/api/chat", "/api/generate", "/no/such/route"])
async def test_a_line_of_ten_megabytes(learned: House, path: str) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(160):
            yield b"x" * 65_536

    async with learned.client() as client:
        for content in (b"x" * 10_000_000, pieces()):
            reply = await client.post(path, content=content)
            error = reply.json()["error"]
            code = reply.json()["code"] if isinstance(error, str) else error["code"]
            assert (reply.status_code, code) == (413, "too_long")
        await _still_works(learned, client)


@pytest.mark.parametrize("scope", ["Kim", "k%20m", "%00", "%E5%A5%B6", "a" * 65, "kim%0A", "+", "%23"])
async def test_names_that_cannot_be_scopes(learned: House, scope: str) -> None:
    chat = {"model": MODEL, "messages": [{"role": "user", "content": "Hello."}]}
    async with learned.client() as client:
        ours = await client.post(f"http://x/memory/{scope}/observe", json={"text": "Hello."})
        path = await client.post(f"http://x/u/{scope}/api/chat", json=chat)
        assert (ours.status_code, path.status_code) == (404, 404)
        assert ours.json()["error"]["code"] in {"unknown_scope", "unsupported"}
        assert path.json()["code"] in {"unknown_scope", "unsupported"}
        await _still_works(learned, client)
    assert learned.sessions.scopes() == ("kim",)


async def test_a_header_that_cannot_be_a_scope(learned: House) -> None:
    chat = {"model": MODEL, "messages": [{"role": "user", "content": "Hello."}]}
    async with learned.client(headers={"X-Claudemem-Scope": "Kim Li"}) as client:
        reply = await client.post("/api/chat", json=chat)
        assert (reply.status_code, reply.json()["code"]) == (404, "unknown_scope")
        await _still_works(learned, client)


OLLAMA_BODIES = {
    "empty": b"",
    "not utf-8": b'{"model":"m","messages":[{"role":"user","content":"\xff"}]}',
    "broken": b'{"model":"m","messages":[{"role":"user","content":"' + SECRET.encode(),
    "deep": DEEP,
    "deep inside": b'{"messages":' + DEEP,
    "messages that are none": b'{"model":"m","messages":{"role":"user"}}',
    "a message that is none": b'{"model":"m","messages":["' + SECRET.encode() + b'"]}',
}


@pytest.mark.parametrize("case", OLLAMA_BODIES)
async def test_bad_bodies_on_the_ollama_routes(learned: House, case: str) -> None:
    async with learned.client() as client:
        reply = await client.post("/u/kim/api/chat", content=OLLAMA_BODIES[case])
        assert (reply.status_code, reply.json()["code"]) == (400, "bad_request")
        assert isinstance(reply.json()["error"], str)
        assert SECRET not in reply.text
        await _still_works(learned, client)


async def test_an_unknown_model(learned: House) -> None:
    chat = {"model": "nobody:7b", "messages": [{"role": "user", "content": "Hello there."}]}
    async with learned.client() as client:
        reply = await client.post("/api/chat", json=chat)
        assert (reply.status_code, reply.json()["code"]) == (404, "model_missing")
        assert "nobody:7b" in reply.json()["error"]
        await _still_works(learned, client)


async def test_an_option_of_the_wrong_type_is_for_the_server_to_refuse(learned: House) -> None:
    learned.fake.next("400")
    chat = {
        "model": MODEL,
        "messages": [{"role": "user", "content": "Hello there."}],
        "options": {"temperature": "hot"},
    }
    async with learned.client() as client:
        reply = await client.post("/api/chat", json=chat)
        assert learned.fake.asked[-1].json["options"] == {"temperature": "hot"}
        assert (reply.status_code, reply.json()["code"]) == (400, "bad_request")
        await _still_works(learned, client)


async def test_control_characters_in_a_chat_go_on_as_they_are(learned: House) -> None:
    chat = {"model": MODEL, "messages": [{"role": "user", "content": "Hello\0 there\x1b[2J."}]}
    async with learned.client() as client:
        reply = await client.post("/api/chat", json=chat)
    assert reply.status_code == 200
    assert "Hello\0 there\x1b[2J." in learned.fake.asked[-1].json["messages"][-1]["content"]
    assert not any("\0" in text for text in learned.said("user"))


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("/cancel", {}, "the field id is missing"),
        ("/forget", {"what": "all"}, "forgetting everything cannot be undone"),
        ("/forget", {"what": "item"}, "the field key is missing"),
        ("/forget", {"what": "entity"}, "the field key is missing"),
        ("/pending", {"text": " "}, "the field text is missing"),
        ("/pending", {"text": "eat", "due": "2001-01-01T10:00:00Z"}, "the field due: this time has gone by"),
        ("/pending", {"op": "done"}, "the field id is missing"),
    ],
)
async def test_what_a_request_lacks_is_named(learned: House, path: str, body: dict[str, object], sentence: str) -> None:
    async with learned.client() as client:
        reply = await client.post(f"/memory/kim{path}", json=body)
        assert (reply.status_code, reply.json()["error"]["text"]) == (400, sentence)
        assert reply.json()["error"]["hint"]
        await _still_works(learned, client)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/memory/kim/say", 405),
        ("DELETE", "/memory/kim", 405),
        ("GET", "/memory/kim/nothing", 404),
        ("GET", "/memory", 404),
        ("GET", "/memory/kim/", 404),
        ("PUT", "/health", 405),
        ("GET", "/api/chat", 405),
        ("BREW", "/health", 405),
        ("GET", "/v1/nothing", 404),
        ("GET", "/memory/kim/context?query=a&limit=3", 400),
        ("GET", "/memory/kim/context", 400),
        ("GET", "/memory/kim/turns/99", 400),
        ("GET", "/memory/kim/turns/-1", 400),
        ("PATCH", "/memory/kim/pending/p99", 400),
    ],
)
async def test_every_refusal_is_json_with_a_code(learned: House, method: str, path: str, status: int) -> None:
    body = {"op": "done"} if method == "PATCH" else None
    async with learned.client() as client:
        reply = await client.request(method, path, json=body)
        assert reply.status_code == status
        error = reply.json()["error"]
        assert (reply.json() if isinstance(error, str) else error)["code"] in {"unsupported", "bad_request"}
        await _still_works(learned, client)


@pytest.mark.parametrize(
    "data",
    [
        b"\r\n\r\n\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /health HTTP/1.1\r\n\r\n",
        b"POST /memory/kim/say HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n",
        b"POST /memory/kim/say HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /" + b"x" * 300_000,
        b"GET /health HTTP/1.1\r\nHost: x\r\n" + b"X-Y: z\r\n" * 40_000,
    ],
    ids=range(8),
)
async def test_what_is_no_http_is_refused_and_the_next_request_works(learned: House, data: bytes) -> None:
    reader, writer = await asyncio.open_unix_connection(learned.socket)
    writer.write(data)
    answer = b""
    with contextlib.suppress(ConnectionError):  # who goes on sending is cut off
        async with asyncio.timeout(20):
            writer.write_eof()
            answer = await reader.read()
    writer.close()
    assert b"Traceback" not in answer
    if answer:
        fields = json.loads(answer.rpartition(b"\r\n\r\n")[2])
        code = fields["code"] if "code" in fields else fields["error"]["code"]
        assert (int(answer.split()[1]), code) in {(400, "bad_request"), (431, "too_long"), (505, "bad_request")}
    async with learned.client() as client:
        await _still_works(learned, client)


async def test_a_fault_of_the_guard_itself_is_told_alike(
    house: House, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr(guards, "check_version", broken)
    async with house.client() as client:
        reply = await client.post("/memory/kim/observe", json={"text": "Hello."})
    assert (reply.status_code, reply.json()["error"]["code"]) == (500, "internal")
    assert SECRET not in caplog.text + reply.text


async def test_a_fault_of_ours_is_told_without_a_word_of_what_was_said(
    house: House, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr(house.sessions, "observe", broken)
    async with house.client() as client:
        ours = await client.post("/memory/kim/observe", json={"text": "Hello."})
        theirs = await client.post("/api/chat", json={"model": MODEL, "messages": [{"role": "user", "content": "Hi."}]})
        health = (await client.get("/health")).json()
    assert (ours.status_code, ours.json()["error"]["code"]) == (500, "internal")
    assert (theirs.status_code, theirs.json()["code"]) == (500, "internal")
    assert health["errors"] == {"internal": 2}
    assert "RuntimeError" in caplog.text
    assert SECRET not in caplog.text + ours.text + theirs.text
