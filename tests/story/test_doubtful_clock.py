"""A machine whose clock nobody has set: distances work, set times are refused, and deeds keep their true time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from claudemem_edge import Memory
from claudemem_edge.errors import BadRequest
from claudemem_edge.shapes.times import ElapsedDue, Moment

BERLIN = ZoneInfo("Europe/Berlin")
TURNED_ON = datetime(1970, 1, 1, 1, 0, tzinfo=BERLIN)
WAS_THEN = datetime(2026, 3, 28, 23, 30, tzinfo=BERLIN)
"""What a right clock would have shown at that moment."""


class Machine:
    """A memory on a machine that was just switched on, in the night of a clock change."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.boot_s = 20.0
        self.is_set = False

    def now(self) -> Moment:
        passed = timedelta(seconds=self.boot_s - 20.0)
        if self.is_set:
            return Moment((WAS_THEN.astimezone(UTC) + passed).astimezone(BERLIN), self.boot_s)
        return Moment(TURNED_ON + passed, self.boot_s, "year")

    def say(self, text: str) -> str:
        self.outcome = self.memory.observe("user", text, at=self.now())
        return self.outcome.say

    def context(self, question: str) -> str:
        return self.memory.context(question, now=self.now()).text


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.mark.parametrize(
    ("text", "seconds", "told"),
    [
        ("Remind me in twenty minutes to take the pills.", 1200, "in 20 minutes"),
        ("Set a timer for 90 seconds.", 90, "in 1 minute 30 seconds"),
        ("Remind me in three days to call Bob.", 3 * 86400, "in 3 days"),
        ("两小时后提醒我浇花", 7200, "2小时后"),
        ("半个小时后提醒我吃药", 1800, "30分钟后"),
    ],
)
def test_a_distance_works_and_is_told_as_one(text: str, seconds: int, told: str, machine: Machine) -> None:
    reply = machine.say(text)
    (item,) = machine.memory.pending()
    assert isinstance(item.due, ElapsedDue)
    assert item.due.boot_s == machine.boot_s + seconds
    assert told in reply
    assert ":" not in reply.partition(told)[0]
    assert "1970" not in reply


@pytest.mark.parametrize(
    "text",
    [
        "Remind me tomorrow at 10 am to call Bob.",
        "Remind me every day at 8 am to take the pills.",
        "Remind me on Friday to call Bob.",
        "Remind me at eight to call Bob.",
        "提醒我明天上午10点测血压",
        "每周一三五早上八点提醒我吃药",
        "月底前提醒我交电费",
    ],
)
def test_a_set_time_is_refused_and_a_distance_asked_for(text: str, machine: Machine) -> None:
    reply = machine.say(text)
    (item,) = machine.memory.pending()
    assert item.due is None
    assert "clock" in reply or "时钟" in reply
    assert ("refused", "item") in {(one.kind, one.record) for one in machine.outcome.changed}
    answer = machine.say("in two hours" if text.isascii() else "两小时后")
    (item,) = machine.memory.pending()
    assert isinstance(item.due, ElapsedDue)
    assert ("in 2 hours" if text.isascii() else "2小时后") in answer


@pytest.mark.parametrize("answer", ["at ten", "ten", "tomorrow", "half past nine in the evening"])
def test_a_set_time_is_no_answer_either(answer: str, machine: Machine) -> None:
    machine.say("Remind me to call Bob.")
    assert "clock" in machine.say(answer)
    assert machine.memory.pending()[0].due is None


def test_moving_and_putting_off_need_the_clock_only_for_set_times(machine: Machine) -> None:
    machine.say("Remind me in ten minutes to take the pills.")
    assert "clock" in machine.say("Move the pills to 11 am.")
    assert machine.memory.pending()[0].due == ElapsedDue(620.0, TURNED_ON + timedelta(minutes=10))
    machine.boot_s = 620.0
    machine.memory.command("fire", "p1", at=machine.now())
    assert "in 20 minutes" in machine.say("Snooze for twenty minutes.")
    with pytest.raises(BadRequest, match="clock"):
        machine.memory.command("change", "p1 2026-03-12T10:00", at=machine.now())


@pytest.mark.parametrize("text", ["What time is it?", "What's the date today?", "现在几点？", "今天几号？"])
def test_nobody_is_told_a_time_that_may_be_wrong(text: str, machine: Machine) -> None:
    reply = machine.say(text)
    assert "clock" in reply or "时钟" in reply
    assert "1970" not in reply
    assert "1970" not in machine.context(text)


def test_a_deed_is_told_by_how_long_ago_it_was_and_keeps_its_time(machine: Machine) -> None:
    assert "just now" in machine.say("I took my pill.")
    machine.boot_s += 1200
    assert "20 minutes ago" in machine.say("Did I take my pill today?")
    assert "20 minutes ago" in machine.say("Have I taken my pill this morning?")
    machine.is_set = True
    assert "23:30" in machine.say("Did I take my pill today?")
    machine.boot_s += 4 * 3600
    assert "not heard" in machine.say("Did I take my pill today?")
    assert "23:30" in machine.say("Did I take my pill yesterday?")


def test_what_counts_down_is_told_by_the_right_clock_once_there_is_one(machine: Machine) -> None:
    machine.say("Remind me in three hours to take the pills.")
    machine.boot_s += 3600
    assert "in 2 hours" in machine.say("What is pending?")
    machine.is_set = True
    reply = machine.say("What is pending?")
    assert "03:30" in reply, "half past two does not exist in that night"
    (item,) = machine.memory.pending()
    assert item.due is not None
    assert item.due.seconds_left(machine.now()) == 7200
    assert "10:00" in machine.say("Remind me tomorrow at 10 am to call Bob.")


def test_a_day_said_without_a_clock_is_not_dated(machine: Machine) -> None:
    machine.say("Yesterday my sister Ellen moved to Bath.")
    machine.boot_s += 3 * 86400
    assert "1970" not in machine.context("When did Ellen move?")
    machine.is_set = True
    block = machine.context("When did Ellen move?")
    machine.say("Hello there.")
    assert "1970" not in block + machine.context("When did Ellen move?")


def test_a_refused_turn_leaves_the_clock_as_it_was(machine: Machine) -> None:
    machine.say("I took my pill.")
    machine.is_set = True
    with pytest.raises(BadRequest):
        machine.memory.command("done", "p9", at=machine.now())
    assert "23:30" in machine.say("Did I take my pill today?")
