"""Every kind of bad input at every door: one typed error, nothing lost, and the next request works."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from fakes.doors_house import BASE, Doors
from fakes.http_house import MODEL
from fakes.real_mosquitto import eventually

if TYPE_CHECKING:
    import httpx

pytestmark = [pytest.mark.broker, pytest.mark.asyncio(loop_scope="module")]
KEY = "The spare key is under the blue pot"
SECRET = "xylophone"
DEEP = b"[" * 100_000
LONG_LINE = b'{"text":"' + b"x" * 10_000_000 + b'"}'

HTTP = {
    "say": ("POST", "/memory/kim/say", "text"),
    "observe": ("POST", "/memory/kim/observe", "text"),
    "forget": ("POST", "/memory/kim/forget", "what"),
    "cancel": ("POST", "/memory/kim/cancel", "id"),
    "add": ("POST", "/memory/kim/pending", "text"),
    "change": ("PATCH", "/memory/kim/pending/p1", "op"),
}
"""Door → method, path, and a field that it knows."""
MQTT = {
    "chat/kim/request": ("chat/kim/reply", "text"),
    "chat/kim/cancel": ("chat/kim/cancelled", "id"),
    "memory/kim/observe": ("memory/kim/observed", "text"),
    "memory/kim/context": ("memory/kim/context/result", "query"),
    "memory/kim/forget": ("memory/kim/forgotten", "what"),
    "memory/kim/get": ("memory/kim/state", "id"),
    "pending/kim/set": ("pending/kim/result", "text"),
}
"""Path of a request → path of its answer, and a field that it knows."""
OLLAMA = ("/api/chat", "/u/kim/api/chat", "/api/generate", "/v1/chat/completions")


def bad_bodies(field: str) -> dict[str, bytes]:
    known = field.encode()
    return {
        "not utf-8": b'{"' + known + b'":"' + SECRET.encode() + b'\xff"}',
        "broken": b'{"' + known + b'":"' + SECRET.encode(),
        "deep": DEEP,
        "deep inside": b'{"' + known + b'":' + DEEP,
        "a list": b'["' + SECRET.encode() + b'"]',
        "unknown field": b'{"' + known + b'":"last","' + SECRET.encode() + b'":1}',
        "NUL": b'{"' + known + b'":"a\\u0000' + SECRET.encode() + b'"}',
        "control": b'{"' + known + b'":"\\u001b[2J' + SECRET.encode() + b'"}',
        "half a character": b'{"' + known + b'":"\\ud800' + SECRET.encode() + b'"}',
        "wrong type": b'{"' + known + b'":{"' + SECRET.encode() + b'":1}}',
        "nothing": b'{"' + known + b'":null}',
        "ten megabytes": LONG_LINE,
    }


KINDS = (*bad_bodies("text"), "empty")
BY_HTTP = [(way, door, kind) for way in ("unix", "tcp") for door in HTTP for kind in KINDS]
BY_MQTT = [
    (path, kind)
    for path in MQTT
    for kind in KINDS
    if (path, kind) not in {("memory/kim/get", "empty"), ("chat/kim/cancel", "empty")}  # which are no mistakes
]


def error_of(reply: httpx.Response) -> tuple[str, str]:
    """Return code and sentence of an error, in whichever of the three shapes."""
    body = reply.json()
    error = body["error"]
    fields = body if isinstance(error, str) else error
    sentence = error if isinstance(error, str) else error.get("text") or error.get("message")
    return fields["code"], sentence


async def remembered(doors: Doors) -> list[str]:
    """Return what is remembered, once something is."""
    if KEY not in await doors.statements("kim"):
        await doors.unix.post("/memory/kim/observe", json={"text": KEY})
    return await doors.statements("kim")


async def check(doors: Doors, before: list[str], told: str, code: str, sentence: str) -> None:
    """Check an error, that nothing was lost or learned, and that the next request works."""
    assert SECRET not in told
    assert len(sentence.split()) > 2, "a sentence that helps"
    assert code in {"bad_request", "too_long"}
    assert await doors.statements("kim") == before
    block = await doors.unix.get("/memory/kim/context", params={"query": "Where is the spare key?"})
    assert "blue pot" in block.json()["text"]


@pytest.mark.parametrize(("way", "door", "kind"), BY_HTTP)
async def test_the_memory_api(doors: Doors, way: str, door: str, kind: str) -> None:
    before = await remembered(doors)
    method, path, field = HTTP[door]
    client = doors.unix if way == "unix" else doors.tcp
    content = bad_bodies(field).get(kind, b"")
    reply = await client.request(method, path, content=content, headers={"Content-Type": "application/json"})
    code, sentence = error_of(reply)
    assert reply.status_code == (413 if kind == "ten megabytes" else 400)
    await check(doors, before, reply.text, code, sentence)


@pytest.mark.parametrize(("path", "kind"), BY_MQTT)
async def test_mqtt(doors: Doors, path: str, kind: str) -> None:
    before = await remembered(doors)
    answer, field = MQTT[path]
    reply = await doors.request(path, bad_bodies(field).get(kind, b""), answer)
    assert (reply["ok"], reply["end"]) == (False, "failed")
    await check(doors, before, json.dumps(reply), reply["error"]["code"], reply["error"]["text"])


@pytest.mark.parametrize("path", OLLAMA)
@pytest.mark.parametrize("kind", ["not utf-8", "broken", "deep", "deep inside", "a list", "ten megabytes", "empty"])
async def test_the_ollama_routes(doors: Doors, path: str, kind: str) -> None:
    before = await remembered(doors)
    asked = len(doors.fake.asked)
    reply = await doors.tcp.post(
        path, content=bad_bodies("prompt").get(kind, b""), headers={"Content-Type": "application/json"}
    )
    code, sentence = error_of(reply)
    assert len(doors.fake.asked) == asked
    await check(doors, before, reply.text, code, sentence)


@pytest.mark.parametrize("path", OLLAMA)
@pytest.mark.parametrize("text", ["word " * 401, "a\0b\x1b[2J", "\u202e\u200b", " "], ids=["long", "NUL", "bidi", " "])
async def test_what_a_model_may_want_to_hear_is_passed_on_as_it_is(doors: Doors, path: str, text: str) -> None:
    before = await remembered(doors)
    words: dict[str, Any] = {"messages": [{"role": "user", "content": text}], "prompt": text}
    body = json.dumps({"model": MODEL, "odd": [1e3], **words}, indent=1).encode()
    reply = await doors.unix.post(path, content=body)
    assert reply.status_code == 200
    sent = doors.fake.asked[-1].json
    assert text in (sent["prompt"] if path == "/api/generate" else sent["messages"][-1]["content"])
    if len(text) > 2000:
        assert doors.fake.asked[-1].body == body
    if path != "/u/kim/api/chat":
        assert await doors.statements("kim") == before


@pytest.mark.parametrize("path", OLLAMA)
async def test_a_model_that_is_not_there(doors: Doors, path: str) -> None:
    words = {"messages": [{"role": "user", "content": "Hello there."}], "prompt": "Hello there."}
    reply = await doors.unix.post(path, json={"model": "nobody:7b", **words})
    code, sentence = error_of(reply)
    assert (reply.status_code, code) == (404, "model_missing")
    assert "nobody:7b" in sentence


@pytest.mark.parametrize("path", OLLAMA)
async def test_an_option_of_the_wrong_type_is_for_the_server_to_refuse(doors: Doors, path: str) -> None:
    doors.fake.next("400")
    words = {"messages": [{"role": "user", "content": "Hello you."}], "prompt": "Hello you."}
    reply = await doors.unix.post(path, json={"model": MODEL, "options": {"temperature": "hot"}, **words})
    assert doors.fake.asked[-1].json["options"] == {"temperature": "hot"}
    assert (reply.status_code, error_of(reply)[0]) == (400, "bad_request")


SCOPES = ["Kim", "王丽", "kim li", "a" * 65, "kim!", "a.b", "$kim"]


@pytest.mark.parametrize("scope", SCOPES)
async def test_a_name_that_cannot_be_a_scope(doors: Doors, scope: str) -> None:
    before = await remembered(doors)
    chat = {"model": MODEL, "messages": [{"role": "user", "content": SECRET}]}
    replies = [
        await doors.unix.post(f"/memory/{scope}/observe", json={"text": SECRET}),
        await doors.tcp.post(f"/memory/{scope}/say", json={"text": SECRET}),
        await doors.unix.post(f"/u/{scope}/api/chat", json=chat),
    ]
    assert {reply.status_code for reply in replies} == {404}
    assert {error_of(reply)[0] for reply in replies} <= {"unknown_scope", "unsupported"}
    for path in MQTT:
        errors = len(doors.heard.on(f"{BASE}/error"))
        await doors.publish(path.replace("kim", scope), {"text": SECRET})
        await eventually(lambda seen=errors: len(doors.heard.on(f"{BASE}/error")) > seen)  # type: ignore[misc]
        refused = json.loads(doors.heard.on(f"{BASE}/error")[-1])
        assert refused["error"]["code"] == "unknown_scope"
        assert SECRET not in json.dumps(refused)
    assert await doors.statements("kim") == before


async def test_a_text_too_long_for_our_own_doors(doors: Doors) -> None:
    before = await remembered(doors)
    for way in (doors.unix, doors.tcp):
        for path in ("/memory/kim/say", "/memory/kim/observe", "/memory/kim/pending"):
            reply = await way.post(path, json={"text": "word " * 401})
            assert (reply.status_code, error_of(reply)[0]) == (413, "too_long")
    for path in ("chat/kim/request", "memory/kim/observe", "pending/kim/set"):
        refused = await doors.request(path, {"text": "word " * 401}, MQTT[path][0])
        assert refused["error"]["code"] == "too_long"
    assert await doors.statements("kim") == before


async def test_after_all_this_the_daemon_answers_and_has_told_nothing(doors: Doors) -> None:
    await remembered(doors)
    ending = await doors.say("Where is the spare key?", "kim")
    assert ending["event"] == "final"
    assert "blue pot" in doors.fake.asked[-1].json["messages"][-1]["content"]
    health = (await doors.unix.get("/health")).json()
    assert "internal" not in health["errors"]
    doors.child.process.terminate()
    status, logged = doors.child.ends()
    assert status == 0
    assert SECRET not in logged
    assert "Traceback" not in logged
