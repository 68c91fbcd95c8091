"""When recurring items are due next, through both clock changes."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claudemem_edge.state_engine.recurrence import has_clock, next_after, parse, with_clock

LONDON = ZoneInfo("Europe/London")
SHANGHAI = ZoneInfo("Asia/Shanghai")
NINE = time(9)


def _next(rule: str, after: str, first: str = "2026-03-11", clock: time = NINE, zone: ZoneInfo = LONDON) -> str:
    found = next_after(rule, date.fromisoformat(first), clock, zone, datetime.fromisoformat(after).replace(tzinfo=zone))
    return found.strftime("%Y-%m-%dT%H:%M") if found else ""


@pytest.mark.parametrize(
    ("rule", "after", "expected"),
    [
        ("FREQ=DAILY", "2026-03-11T08:59", "2026-03-11T09:00"),
        ("FREQ=DAILY", "2026-03-11T09:00", "2026-03-12T09:00"),
        ("FREQ=DAILY;BYHOUR=20;BYMINUTE=30", "2026-03-11T09:00", "2026-03-11T20:30"),
        ("FREQ=DAILY;BYHOUR=8,20", "2026-03-11T09:00", "2026-03-11T20:00"),
        ("FREQ=DAILY;BYHOUR=8,20", "2026-03-11T21:00", "2026-03-12T08:00"),
        ("FREQ=DAILY;INTERVAL=2", "2026-03-11T10:00", "2026-03-13T09:00"),
        ("FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR", "2026-03-13T10:00", "2026-03-16T09:00"),
        ("FREQ=DAILY;UNTIL=20260312", "2026-03-12T10:00", ""),
        ("FREQ=WEEKLY", "2026-03-11T10:00", "2026-03-18T09:00"),
        ("FREQ=WEEKLY;BYDAY=MO,FR", "2026-03-11T10:00", "2026-03-13T09:00"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "2026-03-11T10:00", "2026-03-23T09:00"),
        ("FREQ=MONTHLY;BYMONTHDAY=1", "2026-03-11T10:00", "2026-04-01T09:00"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "2026-03-31T10:00", "2026-04-30T09:00"),
        ("FREQ=MONTHLY;BYMONTHDAY=31", "2026-03-31T10:00", "2026-05-31T09:00"),
        ("FREQ=MONTHLY;BYDAY=1MO", "2026-03-11T10:00", "2026-04-06T09:00"),
        ("FREQ=MONTHLY;BYDAY=-1FR", "2026-03-11T10:00", "2026-03-27T09:00"),
        ("FREQ=MONTHLY;INTERVAL=3", "2026-03-11T10:00", "2026-06-11T09:00"),
        ("FREQ=YEARLY", "2026-03-11T10:00", "2027-03-11T09:00"),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "2026-03-11T10:00", "2028-02-29T09:00"),
        ("FREQ=HOURLY;INTERVAL=2", "2026-03-11T10:30", "2026-03-11T11:00"),
        ("FREQ=MINUTELY;INTERVAL=30", "2026-03-11T09:00", "2026-03-11T09:30"),
        ("FREQ=MONTHLY;BYMONTHDAY=30;BYMONTH=2", "2026-03-11T10:00", ""),
    ],
)
def test_next_occurrence(rule: str, after: str, expected: str) -> None:
    assert _next(rule, after) == expected


@pytest.mark.parametrize(
    ("clock", "after", "expected_utc"),
    [
        # 29 March 2026, 01:00 to 02:00 does not exist in London.
        (time(9), "2026-03-28T09:00", "2026-03-29T08:00"),
        (time(1, 30), "2026-03-28T02:00", "2026-03-29T01:30"),
        # 25 October 2026, 01:00 to 02:00 comes twice.
        (time(9), "2026-10-24T09:00", "2026-10-25T09:00"),
        (time(1, 30), "2026-10-24T02:00", "2026-10-25T00:30"),
    ],
)
def test_wall_time_holds_through_clock_changes(clock: time, after: str, expected_utc: str) -> None:
    found = next_after(
        "FREQ=DAILY", date(2026, 3, 1), clock, LONDON, datetime.fromisoformat(after).replace(tzinfo=LONDON)
    )
    assert found is not None
    assert found.astimezone(ZoneInfo("UTC")).strftime("%Y-%m-%dT%H:%M") == expected_utc


def test_an_hour_that_comes_twice_is_due_once() -> None:
    first = next_after(
        "FREQ=DAILY", date(2026, 10, 1), time(1, 30), LONDON, datetime(2026, 10, 25, 0, 30, tzinfo=LONDON)
    )
    assert first is not None
    second = next_after("FREQ=DAILY", date(2026, 10, 1), time(1, 30), LONDON, first)
    assert second is not None
    assert second.date() == date(2026, 10, 26)


def test_hours_pass_by_the_instant() -> None:
    before = datetime(2026, 3, 29, 0, 30, tzinfo=LONDON)
    found = next_after("FREQ=HOURLY;INTERVAL=2", before.date(), time(0, 30), LONDON, before)
    assert found is not None
    assert found.timestamp() - before.timestamp() == 7200


@pytest.mark.parametrize(
    "rule", ["", "FREQ=SOMETIMES", "BYDAY=MO", "FREQ=WEEKLY;BYDAY=XX", "FREQ=DAILY;INTERVAL=x", "x"]
)
def test_what_is_no_rule(rule: str) -> None:
    with pytest.raises(ValueError, match=r"rule|literal"):
        parse(rule)


def test_a_clock_is_put_in_place_of_the_old_one() -> None:
    assert with_clock("FREQ=DAILY;BYHOUR=8;BYMINUTE=30", time(21)) == "FREQ=DAILY;BYHOUR=21;BYMINUTE=0"
    assert has_clock("FREQ=DAILY;BYHOUR=8")
    assert has_clock("FREQ=HOURLY")
    assert not has_clock("FREQ=DAILY")


RULES = st.sampled_from([
    "FREQ=DAILY", "FREQ=DAILY;INTERVAL=3", "FREQ=WEEKLY;BYDAY=TU,SA", "FREQ=MONTHLY;BYMONTHDAY=15",
    "FREQ=YEARLY", "FREQ=HOURLY;INTERVAL=5", "FREQ=WEEKLY;INTERVAL=2",
])  # fmt: skip


@given(
    RULES,
    st.dates(date(2024, 1, 1), date(2027, 1, 1)),
    st.times().map(lambda clock: clock.replace(second=0, microsecond=0)),
    st.sampled_from([LONDON, SHANGHAI, ZoneInfo("America/New_York"), ZoneInfo("Australia/Lord_Howe")]),
    st.timedeltas(timedelta(days=-3), timedelta(days=800)),
)
def test_the_next_occurrence_is_later_and_nothing_lies_between(
    rule: str, first: date, clock: time, zone: ZoneInfo, later: timedelta
) -> None:
    after = datetime.combine(first, time(12), tzinfo=zone) + later
    found = next_after(rule, first, clock, zone, after)
    assert found is not None
    assert found.timestamp() > after.timestamp()
    just_before = datetime.fromtimestamp(found.timestamp() - 1, zone)
    assert just_before.timestamp() < after.timestamp() or next_after(rule, first, clock, zone, just_before) == found
