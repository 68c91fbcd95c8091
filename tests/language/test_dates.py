"""How times, lengths and recurrences are said, in both languages."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claudemem_edge.language.dates import short_date, spoken_clock, spoken_duration, spoken_recurrence, spoken_when
from claudemem_edge.language.load import load

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Language

NOW = datetime(2026, 11, 29, 9, 40, tzinfo=UTC)
LANGUAGES = load(("zh", "en")).languages
BOTH = pytest.mark.parametrize("code", ["zh", "en"])


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("start", "grain", "zh", "en"),
    [
        ("2026-11-29T12:30", "minute", "今天（11月29日，周日）中午12点30分", "today (Sun 29 Nov), 12:30"),
        ("2026-11-30T00:05", "minute", "明天（11月30日，周一）凌晨12点05分", "tomorrow (Mon 30 Nov), 00:05"),
        ("2026-12-01T10:00", "hour", "后天（12月1日，周二）上午10点", "Tue 1 Dec, 10:00"),
        ("2026-11-28T15:00", "hour", "昨天（11月28日，周六）下午3点", "yesterday (Sat 28 Nov), 15:00"),
        ("2026-12-24T20:00", "hour", "12月24日（周四）晚上8点", "Thu 24 Dec, 20:00"),
        ("2027-03-07T00:00", "day", "2027年3月7日（周日）", "Sun 7 Mar 2027"),
        ("2026-12-24T00:00", "week", "2026年12月21日那一周", "the week of 21 Dec 2026"),
        ("2027-05-01T00:00", "month", "2027年5月", "May 2027"),
        ("2027-05-01T00:00", "quarter", "2027年第2季度", "Q2 2027"),
        ("2027-05-01T00:00", "year", "2027年", "2027"),
    ],
)
def test_a_time_is_said_with_its_date(start: str, grain: str, zh: str, en: str) -> None:
    assert spoken_when(LANGUAGES["zh"], at(start), NOW, grain) == zh
    assert spoken_when(LANGUAGES["en"], at(start), NOW, grain) == en


def test_another_year_is_said_even_when_it_is_tomorrow() -> None:
    eve = at("2026-12-31T20:00")
    assert spoken_when(LANGUAGES["en"], at("2028-01-01T08:00"), eve, "hour") == "Sat 1 Jan 2028, 08:00"
    assert spoken_when(LANGUAGES["zh"], at("2028-01-01T08:00"), eve, "hour") == "2028年1月1日（周六）上午8点"


def test_a_time_of_another_zone_is_said_on_the_clock_of_now() -> None:
    elsewhere = at("2026-12-01T10:00").astimezone(datetime.fromisoformat("2026-01-01T00:00+08:00").tzinfo)
    assert spoken_when(LANGUAGES["en"], elsewhere, NOW, "hour") == "Tue 1 Dec, 10:00"


def test_a_short_date_has_the_year_and_no_padding() -> None:
    assert short_date(LANGUAGES["zh"], date(2023, 5, 7)) == "2023年5月7日"
    assert short_date(LANGUAGES["en"], date(2023, 5, 7)) == "7 May 2023"


@pytest.mark.parametrize(
    ("seconds", "zh", "en"),
    [
        (0, "0秒", "0 seconds"),
        (1, "1秒", "1 second"),
        (60, "1分钟", "1 minute"),
        (5400, "1小时30分钟", "1 hour 30 minutes"),
        (90061, "1天1小时1分钟1秒", "1 day 1 hour 1 minute 1 second"),
        (172800, "2天", "2 days"),
    ],
)
def test_a_length_is_said_in_whole_units(seconds: float, zh: str, en: str) -> None:
    assert spoken_duration(LANGUAGES["zh"], seconds) == zh
    assert spoken_duration(LANGUAGES["en"], seconds) == en


@pytest.mark.parametrize(
    ("rrule", "zh", "en"),
    [
        ("FREQ=DAILY", "每天", "every day"),
        ("FREQ=DAILY;BYHOUR=8;BYMINUTE=0", "每天上午8点", "every day at 08:00"),
        ("FREQ=DAILY;BYHOUR=8,20;BYMINUTE=30", "每天上午8点30分和晚上8点30分", "every day at 08:30 and 20:30"),
        ("FREQ=DAILY;INTERVAL=2", "每2天", "every 2 days"),
        ("FREQ=HOURLY", "每小时", "every hour"),
        ("FREQ=WEEKLY;BYDAY=MO,WE,FR", "每周一、周三和周五", "every Mon, Wed and Fri"),
        ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "每个工作日", "every weekday"),
        ("FREQ=WEEKLY;BYDAY=SA,SU", "每个周末", "every Saturday and Sunday"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", "每2周的周五", "every 2 weeks on Fri"),
        ("FREQ=MONTHLY;BYMONTHDAY=22", "每个月22号", "on the 22nd of every month"),
        ("FREQ=MONTHLY;BYMONTHDAY=11", "每个月11号", "on the 11th of every month"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "每月最后一天", "on the last day of every month"),
        ("FREQ=MONTHLY;BYDAY=1MO", "每月第1个周一", "on the 1st Mon of every month"),
        ("FREQ=MONTHLY;BYDAY=-1FR", "每月最后一个周五", "on the last Fri of every month"),
        ("FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=5", "每年3月5日", "every year on 5 Mar"),
        ("COUNT=3", "", ""),
    ],
)
def test_a_recurrence_is_said(rrule: str, zh: str, en: str) -> None:
    assert spoken_recurrence(LANGUAGES["zh"], rrule) == zh
    assert spoken_recurrence(LANGUAGES["en"], rrule) == en


@BOTH
@given(st.integers(0, 24 * 60))
def test_two_halves_of_a_day_never_sound_the_same(code: str, minutes: int) -> None:
    language: Language = LANGUAGES[code]
    start = NOW + timedelta(minutes=minutes)
    assert spoken_clock(language, start) != spoken_clock(language, start + timedelta(hours=12))


@BOTH
@given(st.integers(-4000, 4000))
def test_no_two_days_sound_the_same(code: str, days: int) -> None:
    language = LANGUAGES[code]
    day = NOW + timedelta(days=days)
    said = {spoken_when(language, day + timedelta(days=step), NOW, "day") for step in (0, 7, 365, 366)}
    assert len(said) == 4
