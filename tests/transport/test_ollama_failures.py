from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from fakes.http_house import House, chat, open_house, plain, rows, user

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fakes.fake_ollama import FakeOllama

from claudemem_edge.shapes.options import SessionOptions, TurnOptions
from claudemem_edge.transport import connection, ollama_relay
from claudemem_edge.transport.ollama_relay import with_code

KEY = "The spare key is under the blue pot."
WHERE = "Where is the spare key?"


async def _until(met: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not met():  # noqa: ASYNC110 (the condition is another task's, without an event of its own)
            await asyncio.sleep(0)


@pytest.mark.parametrize("mode", ["no_done", "reset", "half_line", "error_line"])
async def test_an_answer_that_breaks_off_ends_in_an_error_line_and_is_not_recorded(house: House, mode: str) -> None:
    house.fake.next(mode, after=2)
    async with house.client() as client:
        reply = await client.post("/api/chat", json=chat(user(KEY)))
        later = await client.post("/api/chat", json=chat(user("Go on.")))
    got = rows(reply)
    assert [row.get("message", {}).get("content") for row in got[:2]] == ["It", " is"]
    assert isinstance(got[-1]["error"], str)
    assert house.said("user") == [plain(KEY), "Go on"]
    assert house.said("assistant") == ["It is kept"], "only the later answer was whole"
    assert rows(later)[-1]["done"] is True


EVENTS_BREAK_OFF = ["no_done", "reset", "half_line", "half_event", "error_line", "bad_line"]


@pytest.mark.parametrize("mode", EVENTS_BREAK_OFF)
async def test_events_that_break_off_end_in_an_event_of_their_own(house: House, mode: str) -> None:
    house.fake.next(mode, after=2)
    async with house.client() as client:
        reply = await client.post("/v1/chat/completions", json=chat(user(KEY), stream=True))
    events = [line.removeprefix("data: ") for part in reply.text.split("\n\n") for line in [part.strip()] if line]
    told = [json.loads(event) for event in events if event.startswith("{") and event.endswith("}")]
    assert [row["choices"][0]["delta"]["content"] for row in told[:2]] == ["It", " is"]
    assert {"message", "type", "code"} <= told[-1]["error"].keys()
    assert house.said("assistant") == []


@pytest.mark.parametrize("path", ["/api/chat", "/v1/chat/completions"])
async def test_what_goes_wrong_after_the_end_of_an_answer_is_no_concern_of_the_client(house: House, path: str) -> None:
    house.fake.next("past_end")
    async with house.client() as client:
        reply = await client.post(path, json=chat(user(KEY), stream=True))
    last = reply.text.splitlines()[-1 if path == "/api/chat" else -2]
    assert last == "data: [DONE]" or json.loads(last)["done"] is True
    assert "error" not in reply.text
    assert house.said("assistant") == ["It is kept"]


async def test_a_document_without_measure_is_given_up(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ollama_relay, "DOCUMENT_MOST_BYTES", 100)
    async with house.client() as client:
        reply = await client.post("/api/chat", json=chat(user(KEY), stream=False))
    assert (reply.status_code, reply.json()["code"]) == (502, "backend_unreachable")


@pytest.mark.parametrize("mode", ["400", "404", "429", "500", "503", "redirect", "not_json"])
@pytest.mark.parametrize("path", ["/api/show", "/v1/embeddings", "/u/kim/v1/chat/completions", "/u/kim/api/generate"])
async def test_a_refusal_has_the_shape_its_client_reads(house: House, path: str, mode: str) -> None:
    house.fake.next(mode, path=path.removeprefix("/u/kim"))
    async with house.client() as client:
        reply = await client.post(path, json=chat(user(KEY), prompt=KEY))
    assert (reply.status_code >= 400, reply.headers["content-type"]) == (True, "application/json")
    error = reply.json()["error"]
    assert isinstance(error["message"] if "/v1/" in path else error, str)
    assert "<html>" not in reply.text


@pytest.mark.parametrize(("body", "told"), [(b"<html>", "status 500"), (b"[]", "status 500"), (b'{"error":1}', "500")])
def test_a_refusal_that_is_none_of_ollamas_becomes_one(body: bytes, told: str) -> None:
    assert told in json.loads(with_code(body, 500, "/api/chat"))["error"]
    assert told in json.loads(with_code(body, 500, "/v1/models"))["error"]["message"]


def test_openais_own_error_keeps_its_words_and_is_a_sentence_elsewhere() -> None:
    error = {"message": "no such model", "type": "api_error", "param": None}
    body = json.dumps({"error": {**error, "code": None}}).encode()
    named = json.dumps({"error": {**error, "code": "its_own"}}).encode()
    assert json.loads(with_code(body, 404, "/v1/models/x")) == {"error": {**error, "code": "model_missing"}}
    assert json.loads(with_code(named, 404, "/v1/models/x")) == json.loads(named)
    assert json.loads(with_code(body, 404, "/api/chat")) == {"code": "model_missing", "error": "no such model"}


@pytest.mark.parametrize(
    ("mode", "status", "code"),
    [
        ("404", 404, "model_missing"),
        ("400", 400, "bad_request"),
        ("500", 500, "backend_unreachable"),
        ("503", 503, "busy"),
        ("429", 429, "busy"),
        ("redirect", 502, "backend_unreachable"),
        ("not_json", 502, "backend_unreachable"),
    ],
)
async def test_a_refusal_of_the_model_has_a_code_and_the_words_stay_learned(
    house: House, mode: str, status: int, code: str
) -> None:
    house.fake.next(mode)
    async with house.client() as client:
        reply = await client.post("/api/chat", json=chat(user(KEY)))
    assert (reply.status_code, reply.json()["code"]) == (status, code)
    assert isinstance(reply.json()["error"], str)
    assert house.said("user") == [plain(KEY)]


async def test_a_model_that_is_down_is_a_typed_error_and_the_words_stay_learned(house: House) -> None:
    await house.fake.stop()
    async with house.client() as client:
        reply = await client.post("/api/chat", json=chat(user(KEY)))
        tags = await client.get("/api/tags")
    assert (reply.status_code, reply.json()["code"], reply.json()["heard"]) == (502, "backend_unreachable", True)
    assert (tags.status_code, tags.json()["code"]) == (502, "backend_unreachable")
    assert house.said("user") == [plain(KEY)]


async def test_a_full_queue_is_busy_and_the_words_stay_learned(tmp_path: Path, fake: FakeOllama) -> None:
    async with open_house(tmp_path, fake, turn=TurnOptions(queue_per_model=0)) as house, house.client() as client:
        house.fake.next("gated")
        running = asyncio.ensure_future(client.post("/api/chat", json=chat(user("Tell me a story."))))
        await house.fake.wait_asked()
        refused = await client.post("/u/kim/api/chat", json=chat(user(KEY)))
        off = {"X-Claudemem-Memory": "off"}
        unheard = await client.post("/u/kim/api/chat", json=chat(user(KEY)), headers=off)
        house.fake.release(4)
        assert (await running).status_code == 200
        again = await client.post("/u/kim/api/chat", json=chat(user(KEY)))
    assert (refused.status_code, refused.json()["code"], refused.json()["heard"]) == (503, "busy", True)
    assert (unheard.status_code, unheard.json()["code"]) == (503, "busy")
    assert "heard" not in unheard.json(), "nothing was learned of what is passed on untouched"
    assert int(refused.headers["retry-after"]) >= 1
    assert again.status_code == 200
    assert house.said("user", "kim") == [plain(KEY)], "asking again is a retry"


@pytest.mark.parametrize("path", ["/api/chat", "/api/generate", "/v1/chat/completions"])
async def test_no_room_for_another_scope_is_told_in_the_clients_own_shape(
    tmp_path: Path, fake: FakeOllama, path: str
) -> None:
    async with open_house(tmp_path, fake, session=SessionOptions(max_scopes=1)) as house, house.client() as client:
        await client.post("/u/kim/api/chat", json=chat(user("Remind me to call Tom tomorrow at 10 am.")))
        refused = await client.post(f"/u/ann{path}", json=chat(user(KEY), prompt=KEY))
    error = refused.json()["error"]
    assert (refused.status_code, isinstance(error["message"] if "/v1/" in path else error, str)) == (507, True)
    assert (error if "/v1/" in path else refused.json())["code"] == "full"
    assert fake.asked == []


@pytest.mark.parametrize("stream", [True, False])
async def test_hanging_up_stops_the_model_and_frees_its_slot(house: House, *, stream: bool) -> None:
    house.fake.next("gated")
    house.fake.release(1)
    async with house.client() as client:
        asked = asyncio.ensure_future(client.post("/api/chat", json=chat(user(KEY), stream=stream)))
        await house.fake.wait_asked()
        asked.cancel()
        await house.fake.wait_closed()
        reply = await client.post("/api/chat", json=chat(user("Next.")))
    assert reply.status_code == 200
    assert house.said("assistant") == ["It is kept"]


async def test_a_reader_that_takes_nothing_loses_its_answer(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "STUCK_READER_S", 0.05)
    house.fake.next("endless")
    body = json.dumps(chat(user(KEY))).encode()
    reader, writer = await asyncio.open_unix_connection(house.socket, limit=1024)
    writer.write(b"POST /api/chat HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
    await reader.readline()
    await house.fake.wait_closed()
    await _until(lambda: house.sessions.queue == 0)
    writer.close()
    assert house.said("assistant") == []


@pytest.mark.parametrize("begun", [False, True])
async def test_closing_the_door_gives_what_is_being_answered_its_ending(
    tmp_path: Path, fake: FakeOllama, caplog: pytest.LogCaptureFixture, *, begun: bool
) -> None:
    fake.next("stall" if begun else "silent", after=2)
    async with open_house(tmp_path, fake) as house, house.client() as client:
        running = asyncio.ensure_future(client.post("/api/chat", json=chat(user(KEY))))
        await fake.wait_asked()
        await house.door.stop()
        reply = await running
        await fake.wait_closed()
        assert house.said("assistant") == []
        assert house.counters.errors() == {"shutdown": 1}
    assert reply.status_code == (200 if begun else 503)
    assert rows(reply)[-1]["code"] == "shutdown"
    assert "Traceback" not in caplog.text


async def test_hanging_up_while_waiting_leaves_the_queue(house: House) -> None:
    house.fake.next("gated")
    async with house.client() as client:
        running = asyncio.ensure_future(client.post("/api/chat", json=chat(user("Tell me a story."))))
        await house.fake.wait_asked()
        waiting = asyncio.ensure_future(client.post("/u/kim/api/chat", json=chat(user(KEY))))
        await _until(lambda: house.sessions.queue == 2)
        waiting.cancel()
        await _until(lambda: house.sessions.queue == 1)
        house.fake.release(4)
        assert (await running).status_code == 200
    assert len(house.fake.asked) == 1


async def test_an_answer_given_while_something_was_forgotten_is_not_recorded(house: House) -> None:
    house.fake.next("gated")
    async with house.client() as client:
        running = asyncio.ensure_future(client.post("/api/chat", json=chat(user("Tell me a story."))))
        await house.fake.wait_asked()
        await client.post("/memory/default/end")
        await client.post("/memory/default/observe", json={"text": "Now something else."})
        reply = await running
    assert (reply.status_code, reply.json()["code"]) == (410, "expired")
    await house.fake.wait_closed()
    assert house.said("assistant") == []


async def test_blank_lines_of_the_server_are_left_out(house: House) -> None:
    house.fake.next("blank_lines")
    async with house.client() as client:
        reply = await client.post("/api/chat", json=chat(user(KEY)))
    assert "\n\n" not in reply.text
    assert len(rows(reply)) == 5
