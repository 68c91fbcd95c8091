from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claudemem_edge.errors import PackError
from claudemem_edge.input_filter.mention_tables import mention_rules
from claudemem_edge.input_filter.proper_names import proper_end, proper_start
from claudemem_edge.input_filter.read import read
from claudemem_edge.language.load import load
from claudemem_edge.language.pack import Language, Rule
from claudemem_edge.shapes.terms import TermIndex
from claudemem_edge.shapes.times import Moment

if TYPE_CHECKING:
    from claudemem_edge.shapes.reading import Mention

NOW = Moment(datetime(2026, 3, 11, 9, 40, tzinfo=ZoneInfo("Asia/Shanghai")), 1000.0)


def mentioned(text: str, speaker: str = "user", names: dict[str, str] | None = None) -> tuple[Mention, ...]:
    known = TermIndex()
    for alias, name in (names or {}).items():
        known.add(alias, name)
    return read(text, speaker=speaker, now=NOW, lexicon=load(("zh", "en")), names=known).mentions


@pytest.mark.parametrize(
    ("text", "names", "wanted"),
    [
        ("络活喜还有吗", {}, [("氨氯地平", "medicine")]),
        ("I ran out of Norvasc.", {}, [("amlodipine", "medicine")]),
        ("客厅里的灯和卧室空调", {}, [("客厅灯", "device"), ("卧室空调", "device")]),
        ("the lamp in the hall", {}, [("hallway lamp", "device")]),
        ("王建国医生的药", {}, [("王建国医生", "person")]),
        ("她儿子和我女儿", {}, [("女儿", "person")]),
        ("我爸和我家猫", {}, [("爸爸", "person"), ("猫", "person")]),
        ("Aunt Rose and my aunt Rose", {}, [("Aunt Rose", "person"), ("aunt", "person"), ("Rose", "person")]),
        ("Tom's bike", {}, [("Tom", "person")]),
        ("Will Tom be there?", {}, [("Tom", "person")]),
        ("阿司匹林肠溶片", {}, [("阿司匹林", "medicine")]),
        ("我在吃普通的维生素d", {}, [("维生素D", "medicine")]),
        ("I flew to New York City.", {}, [("New York City", "place")]),
        ("ich wohne in Leeds", {}, []),
    ],
)
def test_finds_names_in_the_form_that_is_kept(text: str, names: dict[str, str], wanted: list[tuple[str, str]]) -> None:
    assert [(mention.name, mention.kind) for mention in mentioned(text, names=names)] == wanted


@pytest.mark.parametrize(
    ("text", "names", "wanted"),
    [
        ("建国来了", {"建国": "王建国"}, ("王建国", "")),
        ("I saw Norvasc there", {"norvasc": "my red pill"}, ("my red pill", "medicine")),
        ("tommy called", {"tommy": "Tom Baker"}, ("Tom Baker", "person")),
    ],
)
def test_what_the_memory_knows_comes_first(text: str, names: dict[str, str], wanted: tuple[str, str]) -> None:
    (mention,) = mentioned(text, names=names)
    assert (mention.name, mention.kind) == wanted
    assert mention.known


def test_a_longer_name_wins_over_a_known_part_of_it() -> None:
    (mention,) = mentioned("Dr. Tom Baker called", names={"tom": "Tom"})
    assert (mention.name, mention.known) == ("Dr. Tom Baker", False)


def test_a_named_speaker_owns_the_people_they_speak_of() -> None:
    assert [mention.name for mention in mentioned("我儿子来了", "小芳")] == ["小芳的儿子"]
    assert [mention.name for mention in mentioned("My son is here.", "Caroline")] == ["Caroline's son"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Tom Baker is", "Tom Baker"),
        ("Tom, Baker", "Tom"),
        ("tom baker is", "tom"),
        ("is Tom", ""),
        ("Tom Monday", "Tom"),
    ],
)
def test_a_proper_name_ends_with_its_capitals(text: str, wanted: str) -> None:
    assert text[: proper_end(text, 0, len(text), {"monday"})] == wanted


@pytest.mark.parametrize(
    ("text", "wanted"), [("to St. Mary's ", "St. Mary's "), ("the ", ""), ("At Leeds General ", "Leeds General ")]
)
def test_a_proper_name_begins_with_its_capitals(text: str, wanted: str) -> None:
    assert text[proper_start(text, 0, len(text), {"at"}) :] == wanted


@pytest.mark.parametrize(
    ("pattern", "fields"), [("(?P<name>x)", {}), ("(?P<name>x)", {"kind": "a", "odd": 1}), ("x", {"kind": "a"})]
)
def test_a_rule_of_another_shape_is_refused(pattern: str, fields: dict[str, object]) -> None:
    rule = Rule("core.mentions.odd", "odd", (), pattern, fields)
    language = Language("xx", "Test", "latin", joined=False, rules={"mentions": {rule.id: rule}})
    with pytest.raises(PackError, match=r"core\.mentions\.odd"):
        mention_rules(language)


WORDS = [
    "王医生",
    "我儿子",
    "小明",
    "在",
    "氨氯地平",
    "的",
    "客厅",
    "灯",
    "Dr. ",
    "my son ",
    "Tom ",
    "called ",
    "St. ",
    "Hospital ",
]


@given(st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=6)), max_size=10))
def test_whatever_is_said_names_are_apart_and_in_the_text(parts: list[str]) -> None:
    understood = read("".join(parts), speaker="user", now=NOW, lexicon=load(("zh", "en")), names=TermIndex())
    last = 0
    for mention in understood.mentions:
        assert last <= mention.span[0] < mention.span[1] <= len(understood.utterance.text)
        assert mention.name
        assert mention.kind
        last = mention.span[1]
