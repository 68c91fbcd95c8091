from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from claudemem_edge.alarm import Alarm
from claudemem_edge.memory import Memory
from claudemem_edge.model.echo import EchoModel
from claudemem_edge.notices import Notices, Subscription
from claudemem_edge.sessions import Sessions
from claudemem_edge.shapes.options import AlarmOptions, SessionOptions, TurnOptions
from claudemem_edge.shapes.times import Moment

if TYPE_CHECKING:
    from datetime import tzinfo

    from claudemem_edge.shapes.turn import Notice

SHANGHAI = ZoneInfo("Asia/Shanghai")


class Clock:
    """Two clocks that move only when told to."""

    def __init__(self) -> None:
        self.wall = datetime(2026, 3, 11, 9, 40, tzinfo=SHANGHAI)
        self.boot_s = 1000.0

    def __call__(self, zone: tzinfo) -> Moment:
        return Moment(self.wall.astimezone(zone), self.boot_s)

    def advance(self, **passed: float) -> None:
        self.wall += timedelta(**passed)
        self.boot_s += timedelta(**passed).total_seconds()


class House:
    """Sessions, an alarm and somebody who listens, on a clock of their own."""

    def __init__(self, options: AlarmOptions) -> None:
        self.clock = Clock()
        self.sessions = Sessions(
            EchoModel(),
            new_memory=Memory,
            options=SessionOptions(),
            turn_options=TurnOptions(),
            zone=SHANGHAI,
            clock=self.clock,
        )
        self.notices = Notices()
        self.alarm = Alarm(self.sessions, self.notices, options)
        self.heard: Subscription = self.notices.subscribe()

    def say(self, text: str) -> None:
        self.sessions.observe("anna", "user", text, door="mqtt:kitchen")

    async def told(self) -> list[Notice]:
        """Return the notices since the last look."""
        self.alarm.fire_due()
        self.heard.close()
        found = [notice async for notice in self.heard]
        self.heard = self.notices.subscribe()
        return found


@pytest.fixture
async def house() -> House:
    return House(AlarmOptions(repeat_every_s=300, repeat_most=3))


async def test_an_appointment_fires_once_at_its_minute_and_names_its_door(house: House) -> None:
    house.say("提醒我明天上午10点测血压")
    house.clock.advance(hours=24, minutes=19)
    assert await house.told() == []
    house.clock.advance(minutes=1)
    (notice,) = await house.told()
    assert (notice.kind, notice.text, notice.scope) == ("due", "测血压", "anna")
    assert notice.due == "2026-03-12T10:00:00+08:00"
    assert notice.asked_at_door == "mqtt:kitchen"
    assert await house.told() == []


async def test_a_distance_counts_on_the_boot_clock_whatever_the_wall_clock_does(house: House) -> None:
    house.say("Remind me in twenty minutes to take the pills.")
    house.clock.wall += timedelta(days=30)
    assert await house.told() == []
    house.clock.wall -= timedelta(days=60)
    house.clock.boot_s += 1200
    (notice,) = await house.told()
    assert notice.kind == "due"


async def test_an_appointment_counts_on_the_wall_clock(house: House) -> None:
    house.say("Remind me tomorrow at 10 am to call Bob.")
    house.clock.wall += timedelta(days=2)
    (notice,) = await house.told()
    assert notice.kind == "missed"


async def test_a_notice_repeats_until_it_is_answered(house: House) -> None:
    house.say("Remind me in ten minutes to take the pills.")
    house.clock.advance(minutes=10)
    assert [one.repeat for one in await house.told()] == [0]
    house.clock.advance(minutes=5)
    assert [(one.kind, one.repeat) for one in await house.told()] == [("overdue", 1)]
    house.sessions.command("anna", "done", house.sessions.peek("anna").pending()[0].id)
    house.clock.advance(minutes=5)
    assert await house.told() == []


async def test_a_notice_repeats_only_so_often(house: House) -> None:
    house.say("Remind me in ten minutes to take the pills.")
    house.clock.advance(minutes=10)
    count = 0
    for _ in range(9):
        count += len(await house.told())
        house.clock.advance(minutes=5)
    assert count == 3


async def test_a_recurring_item_goes_on_to_its_next_time_when_nobody_answers(house: House) -> None:
    house.say("Remind me every day at 10 am to take the pills.")
    kinds = []
    for _ in range(2):
        house.clock.wall = house.clock.wall.replace(hour=10, minute=0)
        for _ in range(5):
            kinds += [one.kind for one in await house.told()]
            house.clock.advance(minutes=5)
        house.clock.advance(days=1)
    assert kinds == ["due", "overdue", "overdue"] * 2


async def test_quiet_hours_hold_repeats_back_but_not_the_first_notice() -> None:
    house = House(AlarmOptions(repeat_every_s=300, repeat_most=3, quiet="09:00-11:00"))
    house.say("Remind me in ten minutes to take the pills.")
    house.clock.advance(minutes=10)
    assert len(await house.told()) == 1
    house.clock.advance(minutes=5)
    assert await house.told() == []
    house.clock.advance(hours=2)
    assert [one.kind for one in await house.told()] == ["overdue"]


async def test_looking_at_items_is_no_use_of_a_scope(house: House) -> None:
    house.say("Remind me tomorrow at 10 am to call Bob.")
    house.sessions.observe("bert", "user", "Hello.")
    house.alarm.fire_due()
    assert house.sessions.scopes() == ("anna", "bert")


@pytest.mark.parametrize(("order", "about"), [("forget_all", "confirmed"), ("done", "p1"), ("cancel", "p1")])
async def test_what_is_over_or_forgotten_is_not_told_to_a_slow_reader(house: House, order: str, about: str) -> None:
    house.say("Remind me in ten minutes to take the pills.")
    house.say("Remind me in ten minutes to call Bob.")
    house.clock.advance(minutes=10)
    house.alarm.fire_due()
    house.sessions.command("anna", order, about)
    left = [one.text for one in await house.told()]
    assert left == ([] if order == "forget_all" else ["call Bob"])


async def test_the_end_of_a_scope_takes_its_notices_back(house: House) -> None:
    house.say("Remind me in ten minutes to take the pills.")
    house.clock.advance(minutes=10)
    house.alarm.fire_due()
    house.sessions.end("anna")
    assert await house.told() == []


async def test_what_a_device_sees_lets_a_reminder_sound_at_once(house: House) -> None:
    house.say("Remind me to close the windows when it rains.")
    house.sessions.observe("anna", "event", "It will rain tomorrow.")
    assert await house.told() == []
    house.sessions.observe("anna", "event", "It is raining")
    (notice,) = await house.told()
    assert (notice.kind, notice.text, notice.asked_at_door) == ("due", "close the windows", "mqtt:kitchen")
    house.say("done")
    house.sessions.observe("anna", "event", "It is raining")
    assert await house.told() == [], "an event that was waited for once"


async def test_a_reminder_for_every_time_waits_again(house: House) -> None:
    house.say("每次下雨提醒我关窗")
    for _ in range(2):
        house.sessions.observe("anna", "event", "下雨了")
        (notice,) = await house.told()
        assert notice.text == "关窗"
        house.say("关好了")
        house.say("完成了")


async def test_what_is_urgent_repeats_in_quiet_hours_too() -> None:
    house = House(AlarmOptions(repeat_every_s=300, repeat_most=3, quiet="09:00-12:00"))
    house.say("Urgent: remind me at 10 am to pay the bill.")
    house.say("Remind me at 10 am to water the plants.")
    house.clock.advance(minutes=20)
    assert {(one.text, one.urgent) for one in await house.told()} == {
        ("pay the bill", True),
        ("water the plants", False),
    }
    house.clock.advance(minutes=5)
    assert [one.text for one in await house.told()] == ["pay the bill"]


@pytest.mark.parametrize(
    ("reminder", "heard", "asked", "told"),
    [
        ("Remind me in ten minutes to turn off the stove.", "Got it.", "What did you remind me of?", "09:50"),
        ("提醒我十分钟后关火", "知道了", "刚才提醒我什么", "9点50分"),
    ],
)
async def test_a_notice_that_is_acknowledged_is_not_repeated_and_stays_answerable(
    house: House, reminder: str, heard: str, asked: str, told: str
) -> None:
    house.say(reminder)
    house.clock.advance(minutes=10)
    assert len(await house.told()) == 1
    house.say(heard)
    house.clock.advance(minutes=6)
    assert await house.told() == []
    said = house.sessions.observe("anna", "user", asked).say
    assert told in said
    house.clock.advance(hours=25)
    await house.told()
    await house.told()
    assert house.sessions.peek("anna").pending() == ()
    assert told not in house.sessions.observe("anna", "user", asked).say


async def test_the_same_words_long_after_a_notice_are_about_something_else(house: House) -> None:
    house.say("Remind me in ten minutes to turn off the stove.")
    house.clock.advance(minutes=10)
    await house.told()
    house.clock.advance(minutes=4)
    house.say("Got it.")
    house.clock.advance(minutes=2)
    assert [one.kind for one in await house.told()] == ["overdue"]
    house.clock.advance(minutes=1)
    house.say("Got it.")
    house.clock.advance(minutes=6)
    assert await house.told() == [], "each repeat can be acknowledged"


async def test_a_recurring_one_that_is_acknowledged_waits_for_its_next_time(house: House) -> None:
    house.say("Every day at 10 am remind me to take the pills.")
    house.clock.advance(minutes=20)
    assert len(await house.told()) == 1
    house.sessions.command("anna", "acknowledge", "p1")
    house.clock.advance(minutes=6)
    assert await house.told() == []
    (item,) = house.sessions.peek("anna").pending()
    assert (item.state, item.due.at().day if item.due else 0) == ("pending", 12)
    house.clock.advance(days=1)
    assert len(await house.told()) == 1
