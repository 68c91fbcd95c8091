"""The daemon as a process on a machine whose wall clock is stepped, changes to summer time or was never set."""

from __future__ import annotations

import contextlib
import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from fakes.child_daemon import WAIT_S, Child
from fakes.set_clock import SetClock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import httpx

PROGRAM = "from claudemem_edge import alarm, cli; alarm.SLEEP_MOST_S = 0.1; cli.main(prog_name='claudemem-edge')"
"""The clock is only set for this process, of which the kernel tells nobody: so it looks more often."""


class Machine:
    """A daemon on a clock that the test sets, and one who listens for what becomes due."""

    def __init__(self, clock: SetClock, http: httpx.Client, rows: Iterator[str]) -> None:
        self.clock = clock
        self._http = http
        self._rows = rows

    def say(self, text: str) -> str:
        reply = self._http.post("/memory/kim/observe", json={"role": "user", "text": text})
        assert reply.status_code == 200, reply.text
        return str(reply.json()["say"])

    def told(self) -> dict[str, Any]:
        """Wait for the next notice."""
        row: dict[str, Any] = json.loads(next(self._rows))
        return row

    def get(self, path: str) -> Any:
        return self._http.get(path).json()

    def waits_for_clock(self, state: str) -> None:
        deadline_s = time.monotonic() + WAIT_S
        while self.get("/health")["clock"] != state:
            assert time.monotonic() < deadline_s
            time.sleep(0.02)


@contextlib.contextmanager
def machine(folder: Path, shows: str, zone: str = "Europe/Berlin", **environment: str) -> Iterator[Machine]:
    clock = SetClock(folder, shows, zone)
    child = Child(folder, "--no-tcp", "--model", "echo", program=("-c", PROGRAM), **clock.environment, **environment)
    try:
        child.hears("READY=1")
        with child.http() as http, http.stream("GET", "/memory/kim/events") as reply:
            rows = (line for line in reply.iter_lines() if line)
            assert json.loads(next(rows))["event"] == "listening"
            yield Machine(clock, http, rows)
    finally:
        child.close()


@pytest.mark.parametrize(
    ("shows", "said", "told", "step"),
    [
        ("2026-06-10T09:00+02:00", "Remind me at 10 am to call Bob.", "10:00", "2026-06-10T09:59:59.5+02:00"),
        ("2026-06-10T09:00+02:00", "Remind me on Friday at 5 pm to call Bob.", "17:00", "2026-06-12T16:59:59.5+02:00"),
        ("2026-03-28T20:00+01:00", "Remind me tomorrow at 10 am to call Bob.", "10:00", "2026-03-29T09:59:59.5+02:00"),
        ("2026-10-24T20:00+02:00", "Remind me tomorrow at 10 am to call Bob.", "10:00", "2026-10-25T09:59:59.5+01:00"),
        ("2026-03-28T20:00+01:00", "Remind me every day at 8 am to call Bob.", "08:00", "2026-03-29T07:59:59.5+02:00"),
        ("2026-12-31T20:00+01:00", "明天早上八点提醒我打电话", "上午8点", "2027-01-01T07:59:59.5+01:00"),
    ],
)
def test_an_appointment_sounds_at_its_minute_of_the_wall_clock(
    shows: str, said: str, told: str, step: str, tmp_path: Path
) -> None:
    with machine(tmp_path, shows) as it:
        assert told in it.say(said)
        it.say("Remind me in three hours to take the pills.")
        it.clock.set(step)
        notice = it.told()
        assert (notice["event"], notice["text"]) == ("due", "call Bob" if said.isascii() else "打电话")
        (waiting,) = [one for one in it.get("/memory/kim/pending")["items"] if one["state"] == "pending"]
        assert waiting["text"] == "take the pills", "a distance does not move with the wall clock"


def test_a_clock_set_far_ahead_tells_what_was_missed_and_loses_nothing(tmp_path: Path) -> None:
    with machine(tmp_path, "2026-06-10T09:00+02:00") as it:
        it.say("Remind me at 10 am to call Bob.")
        it.say("Remind me at 11 am to call Ann.")
        it.clock.set("2026-06-12T09:00+02:00")
        it.say("Remind me in one second to stand up.")
        notices = [it.told() for _ in range(3)]
        assert {(one["event"], one["text"]) for one in notices} == {
            ("missed", "call Bob"),
            ("missed", "call Ann"),
            ("due", "stand up"),
        }


def test_a_clock_set_back_lets_a_distance_sound_in_time(tmp_path: Path) -> None:
    with machine(tmp_path, "2026-06-10T09:00+02:00") as it:
        it.say("Remind me in two seconds to stand up.")
        it.say("Remind me at 10 am to call Bob.")
        it.clock.set("2026-06-10T05:00+02:00")
        notice = it.told()
        assert (notice["event"], notice["text"]) == ("due", "stand up")
        assert "(Wed 10 Jun), 10:00" in it.say("What is pending?")


def test_a_machine_that_wakes_up_in_1970(tmp_path: Path) -> None:
    with machine(tmp_path, "1970-01-01T00:00:30+00:00") as it:
        assert it.get("/health")["clock"] == "year"
        assert it.get("/health")["status"] == "degraded"
        assert "in 2 seconds" in it.say("Remind me in two seconds to stand up.")
        assert "clock" in it.say("Remind me tomorrow at 10 am to call Bob.")
        assert "时钟" in it.say("现在几点？")
        it.say("I took my pill.")
        assert it.told()["text"] == "stand up"
        it.clock.set("2026-06-10T08:30:40+02:00")
        it.waits_for_clock("ok")
        assert "08:30" in it.say("Did I take my pill today?"), "told before the clock was set, and dated right"
        assert "tomorrow (Thu 11 Jun), 10:00" in it.say("Remind me tomorrow at 10 am to call Ann.")


def test_the_setting_distrusts_a_clock_that_looks_right(tmp_path: Path) -> None:
    with machine(tmp_path, "2026-06-10T09:00+02:00", CLAUDEMEM_CLOCK__TRUSTED="no") as it:
        assert it.get("/health")["clock"] == "setting"
        assert "clock" in it.say("Remind me at 10 am to call Bob.")
