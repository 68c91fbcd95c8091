from __future__ import annotations

from claudemem_edge.notices import QUEUE_MOST, Notices
from claudemem_edge.shapes.turn import Notice


def notice(scope: str, item: str = "p1") -> Notice:
    return Notice(scope, item, "due", "text", "2026-03-11T10:00:00+08:00")


async def test_a_notice_reaches_its_scope_and_those_who_hear_all() -> None:
    notices = Notices()
    mine, other, everyone = notices.subscribe("anna"), notices.subscribe("bert"), notices.subscribe()
    assert notices.listeners("anna") == 2
    assert notices.publish(notice("anna")) == 2
    notices.close()
    assert [one.scope async for one in mine] == ["anna"]
    assert [one.scope async for one in other] == []
    assert [one.scope async for one in everyone] == ["anna"]
    assert notices.listeners("anna") == 0


async def test_a_slow_listener_loses_the_oldest_and_is_told() -> None:
    notices = Notices()
    slow = notices.subscribe("anna")
    for number in range(QUEUE_MOST + 3):
        notices.publish(notice("anna", f"p{number}"))
    slow.close()
    items = [one.item async for one in slow]
    assert items[0] == "p3"
    assert len(items) == QUEUE_MOST
    assert slow.lost == 3


async def test_a_visit_that_is_over_takes_its_listeners_with_it() -> None:
    notices = Notices()
    visit, other, everyone = notices.subscribe("visit-1"), notices.subscribe("visit-2"), notices.subscribe()
    notices.publish(notice("visit-1"))
    notices.end("visit-1")
    notices.publish(notice("visit-1"))
    assert [one.scope async for one in visit] == [], "what waited was the last visitor's"
    notices.close()
    assert [one.scope async for one in everyone] == ["visit-1", "visit-1"]
    assert [one.ended for one in (visit, other, everyone)] == [True, False, False]
