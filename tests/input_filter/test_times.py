"""What times mean, by tables: `times.zh.txt` and `times.en.txt` beside this file.

A line is `text -> words = meaning | words = meaning`. A meaning is a point (2026-03-12T10:00), a span (start..end, one
of them may be open), a length (5400s) or a recurrence (RRULE from its first time); `?` marks what one would ask back
about. `-> unclear words` is a time that is said but not understood; nothing after the arrow is no time at all.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claudemem_edge.input_filter.times import read_times
from claudemem_edge.language.load import load
from claudemem_edge.shapes.times import Moment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from claudemem_edge.shapes.times import TimeMention

LEXICON = load(("zh", "en"))
FOLDER = Path(__file__).parent
SHANGHAI = ZoneInfo("Asia/Shanghai")
WHOLE = frozenset({"day", "week", "month", "quarter", "year"})


def moment(text: str, zone: ZoneInfo = SHANGHAI) -> Moment:
    return Moment(datetime.fromisoformat(text).replace(tzinfo=zone), 1000.0)


def written(at: datetime | None) -> str:
    if at is None:
        return ""
    text = at.replace(tzinfo=None).isoformat()
    return text[:10] if text.endswith("T00:00:00") else text if at.second else text[:16]


def told(mention: TimeMention) -> str:
    if mention.recurrence:
        meaning = mention.recurrence + (f" from {written(mention.start)}" if mention.start else "")
    elif mention.duration_s is not None:
        meaning = f"{mention.duration_s}s"
    elif mention.start is None or mention.end is not None:
        meaning = f"{written(mention.start)}..{written(mention.end)}"
    else:
        open_end = mention.grain in WHOLE or mention.rule.rpartition(".")[2] in {"after", "since", "or_later"}
        meaning = written(mention.start) + (".." if open_end else "")
    return meaning + "?" * mention.ambiguous


def read(text: str, at: str = "2026-03-11T09:40") -> list[str]:
    return [told(mention) for mention in read_times(text, moment(at), LEXICON).mentions]


def _lines() -> Iterator[tuple[str, str]]:
    for path in sorted(FOLDER.glob("times.*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                text, _, meaning = line.partition(" ->")
                yield text, meaning.strip()


LINES = list(_lines())


@pytest.mark.parametrize(("text", "meaning"), LINES)
def test_a_line_is_understood(text: str, meaning: str) -> None:
    found = read_times(text, moment("2026-03-11T09:40"), LEXICON)
    said = " | ".join(f"{mention.text} = {told(mention)}" for mention in found.mentions)
    lost = " | ".join(text[start:end] for start, end in found.unclear)
    assert said + (f"unclear {lost}" if lost else "") == meaning


@pytest.mark.parametrize(
    ("text", "at", "meaning"),
    [
        # Weeks begin on Monday, whatever day it is.
        ("下周一", "2026-03-15T10:00", "2026-03-16..2026-03-17"),
        ("next monday", "2026-03-15T10:00", "2026-03-16..2026-03-17"),
        ("这周日", "2026-03-09T10:00", "2026-03-15..2026-03-16"),
        ("this sunday", "2026-03-09T10:00", "2026-03-15..2026-03-16"),
        ("周三", "2026-03-11T10:00", "2026-03-11..2026-03-12"),
        ("周三上午九点", "2026-03-11T10:00", "2026-03-18T09:00"),
        ("wednesday at 9 am", "2026-03-11T10:00", "2026-03-18T09:00"),
        # Turns of months and years.
        ("明天", "2026-12-31T10:00", "2027-01-01..2027-01-02"),
        ("tomorrow", "2024-02-28T10:00", "2024-02-29..2024-03-01"),
        ("下个月", "2026-12-31T10:00", "2027-01-01..2027-02-01"),
        ("一个月后", "2026-01-31T10:00", "2026-02-28..2026-03-01"),
        ("in a month", "2026-01-31T10:00", "2026-02-28..2026-03-01"),
        ("a year ago", "2024-02-29T10:00", "2023-02-28..2023-03-01"),
        ("31号", "2026-04-05T10:00", "2026-05-31..2026-06-01"),
        ("on the 31st", "2026-04-05T10:00", "2026-05-31..2026-06-01"),
        ("2月29日", "2026-03-05T10:00", "2028-02-29..2028-03-01"),
        ("last quarter", "2026-01-28T10:00", "2025-10-01..2026-01-01"),
        ("上个季度", "2026-01-28T10:00", "2025-10-01..2026-01-01"),
        # Clocks that went by are tomorrow's; both halves to come are asked about.
        ("at 8", "2026-03-11T07:00", "2026-03-11T08:00?"),
        ("at 8", "2026-03-11T09:00", "2026-03-11T20:00"),
        ("at 8", "2026-03-11T21:00", "2026-03-12T08:00"),
        ("八点", "2026-03-11T07:00", "2026-03-11T08:00?"),
        ("八点", "2026-03-11T09:00", "2026-03-11T20:00"),
        ("八点", "2026-03-11T21:00", "2026-03-12T08:00"),
        ("今天八点", "2026-03-11T09:00", "2026-03-11T20:00"),
        ("上午八点", "2026-03-11T09:00", "2026-03-12T08:00"),
        ("4pm - 5pm", "2026-03-11T16:12", "2026-03-12T16:00..2026-03-12T17:00"),
        ("下午五点到凌晨三点", "2026-03-11T09:00", "2026-03-11T17:00..2026-03-12T03:00"),
        # Midnight ends the day it is said with; in the small hours tonight is the night that runs.
        ("晚上十二点", "2026-03-11T09:00", "2026-03-12"),
        ("tomorrow at midnight", "2026-03-11T09:00", "2026-03-13"),
        ("tonight at 1 am", "2026-03-11T09:00", "2026-03-12T01:00"),
        ("tonight at 1 am", "2026-03-11T00:30", "2026-03-11T01:00"),
        ("今晚一点", "2026-03-11T20:00", "2026-03-12T01:00"),
        # The past tense takes the past.
        ("我周五去过医院", "2026-03-11T09:00", "2026-03-06..2026-03-07"),
        ("周五去医院", "2026-03-11T09:00", "2026-03-13..2026-03-14"),
        ("i saw him in june", "2026-03-11T09:00", "2025-06-01..2025-07-01"),
        ("i will see him in june", "2026-03-11T09:00", "2026-06-01..2026-07-01"),
        ("we met on may 5th", "2026-03-11T09:00", "2025-05-05..2025-05-06"),
        # Holidays that move, lunar ones, and the lunar year that ends in the next solar one.
        ("thanksgiving", "2026-11-27T09:00", "2027-11-25..2027-11-26"),
        ("easter", "2026-04-05T09:00", "2026-04-05..2026-04-06"),
        ("next easter", "2026-04-05T09:00", "2027-03-28..2027-03-29"),
        ("除夕", "2026-01-05T09:00", "2026-02-16..2026-02-17"),
        ("腊八节", "2026-01-05T09:00", "2026-01-26..2026-01-27"),
        ("正月十五", "2026-02-01T09:00", "2026-03-03..2026-03-04"),
        ("清明节", "2026-01-05T09:00", "2026-04-05..2026-04-06"),
        ("冬至", "2021-01-05T09:00", "2021-12-21..2021-12-22"),
        ("闰六月", "2025-01-05T09:00", "2025-07-25..2025-08-23"),
        # A year of two digits is at most thirty ahead, and none ahead in the past tense.
        ("06年端午", "2026-01-05T09:00", "2006-05-31..2006-06-01"),
        ("born 5/5/71", "2026-01-05T09:00", "1971-05-05..1971-05-06"),
        ("he was born in april of 46", "2026-01-05T09:00", "1946-04-01..1946-05-01"),
        ("50年三月", "2026-01-05T09:00", "2050-03-01..2050-04-01"),
        # Ends that are not sure follow the end that is.
        ("11am to 1", "2026-03-11T09:00", "2026-03-11T11:00..2026-03-11T13:00"),
        ("from 13 to 15 of july", "2026-03-11T09:00", "2026-07-13..2026-07-16"),
        ("nov 18 - dec 19, 2027", "2026-03-11T09:00", "2027-11-18..2027-12-20"),
        ("12月30日到1月2日", "2026-03-11T09:00", "2026-12-30..2027-01-03"),
    ],
)
def test_now_decides(text: str, at: str, meaning: str) -> None:
    assert read(text, at) == [meaning]


@pytest.mark.parametrize(
    ("traditional", "simplified"),
    [
        ("下週三下午三點半", "下周三下午三点半"),
        ("這個禮拜天", "这个礼拜天"),
        ("三十分鐘後", "三十分钟后"),
        ("大後天晚上八點鐘", "大后天晚上八点钟"),
        ("農曆八月十五", "农历八月十五"),
        ("每個星期一", "每个星期一"),
    ],
)
def test_traditional_script_means_the_same(traditional: str, simplified: str) -> None:
    assert read(traditional) == read(simplified) != []


@pytest.mark.parametrize("text", ["明天下午三点五", "tomorrow half past", "8 o'clock past", "friday 5/12"])
def test_a_time_word_left_over_makes_it_unclear(text: str) -> None:
    found = read_times(text, moment("2026-03-11T09:40"), LEXICON)
    assert found.mentions == ()
    assert found.unclear


def test_spans_are_in_the_text_as_given() -> None:
    text = "  Remind me\u200b  TOMORROW\tat ８：３０ pm!"
    (mention,) = read_times(text, moment("2026-03-11T09:40"), LEXICON).mentions
    assert mention.text == text[mention.span[0] : mention.span[1]] == "TOMORROW\tat ８：３０ pm"
    assert told(mention) == "2026-03-12T20:30"


def test_a_distance_is_elapsed_time_and_a_day_is_wall_time() -> None:
    zone = ZoneInfo("Europe/Berlin")
    now = moment("2026-03-28T22:00", zone)  # the clocks go forward that night
    hours, day = (read_times(text, now, LEXICON).mentions[0] for text in ("in 6 hours", "tomorrow at 4 am"))
    assert (hours.elapsed, day.elapsed) == (True, False)
    assert hours.start is not None
    assert hours.start.astimezone(ZoneInfo("UTC")) - now.wall.astimezone(ZoneInfo("UTC")) == timedelta(hours=6)
    assert (written(hours.start), written(day.start)) == ("2026-03-29T05:00", "2026-03-29T04:00")


def test_digits_alone_are_read_in_the_first_language() -> None:
    assert read("15:30") == ["2026-03-11T15:30"]


def test_a_language_without_a_pack_gives_nothing() -> None:
    assert read("あした三時に") == []


PIECES = "零一二两三四五十廿百点半刻分时天日月年周前后上下个第到和每晚早明今9:-/ 3"
WORDS = sorted({word for text, _ in LINES for word in text.replace(" ", "\0").split("\0")})


@given(
    st.one_of(
        st.text(max_size=60),
        st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join),
        st.lists(st.sampled_from(PIECES), max_size=16).map("".join),
    ),
    st.datetimes(datetime(1902, 1, 1), datetime(2098, 12, 31)),  # noqa: DTZ001 (the strategy wants naive bounds)
)
def test_any_text_is_read_without_error_and_spans_fit(text: str, wall: datetime) -> None:
    found = read_times(text, Moment(wall.replace(tzinfo=SHANGHAI), 0.0), LEXICON)
    last = 0
    for mention in found.mentions:
        start, end = mention.span
        assert last <= start < end <= len(text)
        assert text[start:end] == mention.text
        assert mention.rule.startswith("core.times.")
        assert mention.start is None or mention.start.tzinfo is not None
        if mention.start is not None and mention.end is not None:
            assert mention.start < mention.end
        last = end
    for start, end in found.unclear:
        assert 0 <= start < end <= len(text)


@pytest.mark.parametrize("text", ["三月下旬元旦", "月下旬中秋"])
def test_what_contradicts_itself_is_not_understood(text: str, now: Moment) -> None:
    found = read_times(text, now, load(("zh", "en")))
    assert found.mentions == ()
    assert found.unclear
