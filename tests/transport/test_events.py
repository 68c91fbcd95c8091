"""Streams of what becomes due: of one scope, and on the Unix socket of all."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from fakes.http_house import House, open_house
from fakes.real_mosquitto import eventually

from claudemem_edge.alarm import Alarm
from claudemem_edge.notices import QUEUE_MOST
from claudemem_edge.shapes.options import AlarmOptions
from claudemem_edge.shapes.turn import Notice
from claudemem_edge.transport import events_routes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from fakes.fake_ollama import FakeOllama

SSE = {"Accept": "text/event-stream"}
TOKENS = (("key-of-kim", ("kim",)), ("key-of-all", ("*",)))


def notice(item: str, scope: str = "kim") -> Notice:
    return Notice(scope, item, "due", "measure blood pressure", "2026-03-12T10:00:00+08:00", "en")


async def following(lines: AsyncIterator[str]) -> dict[str, Any]:
    """Return the next row of a stream."""
    async with asyncio.timeout(20):
        row: dict[str, Any] = json.loads(await anext(lines))
    return row


async def test_events_tell_what_becomes_due(house: House) -> None:
    async with house.client() as client, client.stream("GET", "/memory/kim/events") as reply:
        rows = reply.aiter_lines()
        assert await following(rows) == {"event": "listening", "scope": "kim", "boot_id": house.sessions.boot_id}
        house.notices.publish(notice("p0", "ann"))
        house.notices.publish(notice("p1"))
        event = await following(rows)
    assert (event["event"], event["id"], event["text"]) == ("due", "p1", "measure blood pressure")


async def test_the_socket_has_the_events_of_all_scopes(house: House) -> None:
    async with house.client() as client, client.stream("GET", "/events") as reply:
        rows = reply.aiter_lines()
        assert await following(rows) == {"event": "listening", "scope": "*", "boot_id": house.sessions.boot_id}
        for scope in ("kim", "visit-3"):
            house.notices.publish(notice("p1", scope))
        house.notices.end("visit-3")
        found = [await following(rows), await following(rows)]
        house.notices.close()
        assert [row async for row in rows] == [], "this stream outlives visits"
    assert [(row["event"], row["scope"], row["id"]) for row in found] == [
        ("due", "kim", "p1"),
        ("due", "visit-3", "p1"),
    ]


@pytest.mark.parametrize("path", ["/memory/kim/events", "/events"])
async def test_events_as_server_sent_events(house: House, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events_routes, "KEEP_ALIVE_S", 0.01)
    async with house.client() as client, client.stream("GET", path, headers=SSE) as reply:
        rows = reply.aiter_lines()
        assert await anext(rows) == "event: listening"
        await anext(rows)
        await anext(rows)
        assert await anext(rows) == ": still here"
        house.notices.publish(notice("p1"))
        house.notices.close()
        async with asyncio.timeout(20):
            found = [row async for row in rows if row.startswith(("event", "data"))]
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert found[0] == "event: due"
    assert json.loads(found[1].removeprefix("data: "))["id"] == "p1"


@pytest.mark.parametrize("path", ["/memory/kim/events", "/events"])
async def test_a_slow_listener_loses_the_oldest_and_is_told(house: House, path: str) -> None:
    async with house.client() as client, client.stream("GET", path) as reply:
        rows = reply.aiter_lines()
        await following(rows)
        for number in range(QUEUE_MOST + 3):
            house.notices.publish(notice(f"p{number}"))
        assert await following(rows) == {"event": "lost", "count": 3}
        assert (await following(rows))["id"] == "p3"


async def test_a_listener_that_hangs_up_is_no_listener_any_more(house: House) -> None:
    async with house.client() as client:
        async with client.stream("GET", "/memory/kim/events") as reply:
            await following(reply.aiter_lines())
            assert house.notices.listeners("kim") == 1
        await eventually(lambda: house.notices.listeners("kim") == 0)


@pytest.mark.parametrize(
    ("tcp", "token", "status"),
    [
        (True, "key-of-all", 403),
        (True, "key-of-kim", 403),
        (True, "", 401),
        (False, "key-of-kim", 403),
        (False, "wrong", 401),
        (False, "key-of-all", 200),
        (False, "", 200),
    ],
)
async def test_who_may_hear_of_all_scopes(
    tmp_path: Path, fake: FakeOllama, *, tcp: bool, token: str, status: int
) -> None:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        open_house(tmp_path, fake, tokens=TOKENS) as house,
        house.client(tcp=tcp, headers=headers) as client,
        client.stream("GET", "/events") as reply,
    ):
        assert reply.status_code == status
        if status != 200:
            error = json.loads(await reply.aread())["error"]
            assert error["code"] == "forbidden"
            assert error["hint"]


async def test_on_tcp_nobody_hears_of_all_scopes_without_tokens_either(house: House) -> None:
    async with house.client(tcp=True) as client:
        reply = await client.get("/events", headers=SSE)
    assert (reply.status_code, reply.json()["error"]["code"]) == (403, "forbidden")
    assert "/memory/<scope>/events" in reply.json()["error"]["hint"]


@pytest.mark.parametrize(("path", "headers"), [("/u/kim/events", {}), ("/events", {"X-Claudemem-Scope": "kim"})])
async def test_who_names_a_scope_does_not_get_all_of_them(house: House, path: str, headers: dict[str, str]) -> None:
    async with house.client() as client:
        reply = await client.get(path, headers=headers)
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, "bad_request")


@pytest.mark.parametrize(("scope", "ended"), [("visit-3", True), ("kim", False)])
async def test_the_end_of_a_visit_ends_its_stream_and_that_of_a_name_does_not(
    house: House, scope: str, *, ended: bool
) -> None:
    Alarm(house.sessions, house.notices, AlarmOptions())
    async with house.client() as client, house.client() as listener:
        await client.post(f"/memory/{scope}/observe", json={"text": "Hello."})
        async with listener.stream("GET", f"/memory/{scope}/events") as reply:
            rows = reply.aiter_lines()
            await following(rows)
            answers = [(await client.post(f"/memory/{scope}/end")).json()["ended"] for _ in range(2)]
            house.notices.publish(notice("p9", scope))
            house.notices.close()
            found = [json.loads(row) async for row in rows]
    assert answers == [True, False]
    if ended:
        assert found == [{"event": "ended", "scope": scope}]
    else:
        assert [row["id"] for row in found] == ["p9"]
