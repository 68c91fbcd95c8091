from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from fakes.house import fill

if TYPE_CHECKING:
    from fakes.http_house import House

REMINDER = "提醒我明天上午10点给小王打电话。"


async def test_items_come_go_and_move(house: House) -> None:
    due = (house.sessions.now().wall + timedelta(days=1)).replace(second=0, microsecond=0)
    later = due + timedelta(hours=3)
    async with house.client() as client:
        empty = await client.get("/memory/kim/pending")
        added = await client.post(
            "/memory/kim/pending", json={"op": "add", "text": "measure blood pressure", "due": due.isoformat()}
        )
        task = await client.post("/memory/kim/pending", json={"text": "buy bread"})
        listed = (await client.get("/memory/kim/pending")).json()["items"]
        moved = await client.patch("/memory/kim/pending/p1", json={"op": "change", "due": later.isoformat()})
        after = (await client.get("/memory/kim/pending")).json()["items"][0]
        done = await client.patch("/memory/kim/pending/p1", json={"op": "done"})
        cancelled = await client.patch("/memory/kim/pending/p2", json={"op": "cancel"})
        left = (await client.get("/memory/kim/pending")).json()["items"]
    assert empty.json()["items"] == []
    assert (added.status_code, task.status_code) == (201, 201)
    assert [(item["id"], item["kind"], item["text"]) for item in listed] == [
        ("p1", "reminder", "measure blood pressure"),
        ("p2", "task", "buy bread"),
    ]
    assert [datetime.fromisoformat(when) for when in (listed[0]["due"], after["due"])] == [due, later]
    assert (moved.status_code, done.status_code, cancelled.status_code) == (200, 200, 200)
    assert left == []


async def test_a_snoozed_item_sounds_later(house: House) -> None:
    async with house.client() as client:
        await client.post("/memory/kim/pending", json={"text": "buy bread"})
        snoozed = await client.patch("/memory/kim/pending/p1", json={"op": "snooze", "for_s": 600})
        item = (await client.get("/memory/kim/pending")).json()["items"][0]
    assert snoozed.status_code == 200
    assert item["due"]


async def test_what_makes_no_sense_is_refused_and_changes_nothing(house: House) -> None:
    past = (house.sessions.now().wall - timedelta(days=1)).isoformat()
    async with house.client() as client:
        refused = [
            await client.post("/memory/kim/pending", json={"text": " "}),
            await client.post("/memory/kim/pending", json={"text": "buy bread", "due": past}),
            await client.post("/memory/kim/pending", json={"op": "done"}),
            await client.patch("/memory/kim/pending/p1", json={"op": "add", "text": "buy bread"}),
            await client.patch("/memory/kim/pending/p1", json={"op": "change"}),
            await client.patch("/memory/kim/pending/p1", json={"op": "done"}),
        ]
        items = (await client.get("/memory/kim/pending")).json()["items"]
    assert {reply.status_code for reply in refused} <= {400, 404}
    assert {reply.json()["error"]["code"] for reply in refused} <= {"bad_request", "unknown_scope"}
    assert items == []


async def test_a_reminder_that_was_spoken_is_pending(house: House) -> None:
    await house.say("Remind me to call Tom tomorrow at 10 am.", "kim")
    async with house.client() as client:
        item = (await client.get("/memory/kim/pending")).json()["items"][0]
    assert (item["state"], item["asked_at"]) == ("pending", "http:")


async def test_an_added_item_knows_its_door_and_device(house: House) -> None:
    async with house.client() as client:
        await client.post("/memory/kim/pending", json={"text": "buy bread", "device": "kitchen"})
        await client.post("/memory/kim/pending", json={"text": "buy salt"})
        items = (await client.get("/memory/kim/pending")).json()["items"]
    assert [item["asked_at"] for item in items] == ["http:kitchen", "http:"]


async def test_a_scope_takes_no_more_items_than_it_has_room_for(house: House) -> None:
    assert fill(house.sessions, "kim") > 100
    size_bytes = house.sessions.size_bytes()
    async with house.client() as client:
        refused = await client.post("/memory/kim/pending", json={"text": "buy bread" * 100})
        spoken = await client.post(
            "/memory/kim/say", json={"text": "提醒我明天上午10点给小王打电话。", "stream": False}
        )
        asked = await client.post("/memory/kim/say", json={"text": "今天星期几？", "stream": False})
        done = await client.patch("/memory/kim/pending/p1", json={"op": "done"})
        freed = [await client.patch(f"/memory/kim/pending/p{n}", json={"op": "cancel"}) for n in range(2, 9)]
        taken = await client.post("/memory/kim/pending", json={"text": "buy bread"})
    assert size_bytes < 2 << 20
    assert (refused.status_code, refused.json()["error"]["code"]) == (507, "full")
    assert refused.json()["error"]["hint"] == "finish, cancel or forget something first"
    assert (spoken.status_code, spoken.json()["error"]["code"]) == (507, "full")
    assert spoken.json()["error"]["text"].startswith("这里记满了")
    assert asked.json()["event"] == "final"
    assert {done.status_code, *(reply.status_code for reply in freed)} == {200}
    assert taken.status_code == 201


async def test_a_refused_item_makes_no_scope(house: House) -> None:
    async with house.client() as client:
        refused = await client.post("/memory/kim/pending", json={"text": "a" * 2001})
    assert refused.json()["error"]["code"] == "too_long"
    assert house.sessions.scopes() == ()


@pytest.mark.parametrize(
    "due", ["9999-12-31T23:59:59-12:00", "9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00+14:00", 253402300799]
)
async def test_a_year_that_is_none_in_some_zone_is_refused(house: House, due: str | int) -> None:
    async with house.client() as client:
        await client.post("/memory/kim/pending", json={"text": "buy bread"})
        added = await client.post("/memory/kim/pending", json={"text": "buy salt", "due": due})
        moved = await client.patch("/memory/kim/pending/p1", json={"op": "change", "due": due})
        items = (await client.get("/memory/kim/pending")).json()["items"]
    assert [reply.json()["error"]["code"] for reply in (added, moved)] == ["bad_request", "bad_request"]
    assert [(item["text"], item["due"]) for item in items] == [("buy bread", None)]
