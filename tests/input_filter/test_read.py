from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claudemem_edge.input_filter.read import read
from claudemem_edge.language.load import load
from claudemem_edge.shapes.terms import TermIndex

if TYPE_CHECKING:
    from collections.abc import Callable

    from claudemem_edge.shapes.reading import Reading
    from claudemem_edge.shapes.times import Moment

PIECES = st.sampled_from([
    *("我", "叫", "小明", "今年", "72岁", "忘掉", "刚才说的", "提醒我", "明天上午十点", "吃药", "不", "喜欢", "如果"),
    *("I'm ", "72 ", "years old", "forget ", "what I said", "remind me ", "tomorrow at 10 ", "to eat ", "don't "),
    *("like ", "if ", ", ", ". ", "? ", "，", "。", "？", "“", "”", " ", '"', "\n", "\u202e", "é", "７", "\ud800", "İ"),
])  # fmt: skip
TALK = st.lists(PIECES, max_size=14).map("".join)
SPEAKERS = st.sampled_from(["user", "assistant", "event", "王芳"])


@pytest.fixture(scope="module")
def moment() -> Moment:
    from datetime import UTC, datetime

    from claudemem_edge.shapes.times import Moment

    return Moment(datetime(2026, 3, 11, 9, 40, tzinfo=UTC), 0.0)


@given(text=TALK, speaker=SPEAKERS, hint=st.sampled_from(["", "zh-CN", "en", "fr", "x"]))
def test_any_talk_is_read_and_every_span_lies_in_the_text(moment: Moment, text: str, speaker: str, hint: str) -> None:
    lexicon = load(("zh", "en"))
    reading = read(text, speaker=speaker, now=moment, lexicon=lexicon, names=TermIndex(), hint=hint)
    kept, folded = reading.utterance.text, reading.utterance.folded
    assert len(kept) == len(folded)
    last = 0
    for clause in reading.clauses:
        start, end = clause.span
        assert last <= start < end <= len(kept)
        assert clause.text == kept[start:end]
        assert -1.0 <= clause.attitude <= 1.0
        assert not (clause.question and clause.asserted and "," not in folded[start:end])
        last = end
    for _, (start, end) in reading.fired:
        assert 0 <= start <= end <= len(kept)
    assert not (reading.whole and not (reading.commands or reading.reminders))
    assert read(text, speaker=speaker, now=moment, lexicon=lexicon, names=TermIndex(), hint=hint) == reading


@pytest.mark.parametrize(
    ("text", "hint", "language"),
    [
        ("我叫小明", "", "zh"),
        ("My name is Bob", "", "en"),
        ("Metoprolol twice daily with food", "", "en"),
        ("Meet me at the café near the Champs-Élysées", "", "en"),
        ("café", "", "en"),
        ("je ne sais pas ce que tu veux", "", ""),
        ("Ich heiße Hans und wohne in Berlin", "", ""),
        ("¿Qué medicamentos tomo por la mañana?", "", ""),
        ("tôi không hiểu bạn nói gì", "", ""),
        ("bonjour", "fr-FR", ""),
        ("good morning to you all", "fr-FR", "en"),
        ("明日の天気はどうですか", "", ""),
        ("오늘 날씨 어때요", "", ""),
        ("", "", ""),
        ("12345", "", ""),
        ("12345", "zh", "zh"),
    ],
)
def test_the_language_is_the_texts_own(reads: Callable[..., Reading], text: str, hint: str, language: str) -> None:
    assert reads(text, hint=hint).utterance.language == language


@pytest.mark.parametrize("text", ["je ne sais pas ce que tu veux?", "明日の天気はどうですか?", "да?"])
def test_a_language_without_a_pack_fires_no_rule_but_is_kept_and_found_by_its_words(
    reads: Callable[..., Reading], text: str
) -> None:
    reading = reads(text)
    assert not reading.fired
    assert reading.clauses[0].terms
    assert reading.question
    assert not any(clause.asserted for clause in reading.clauses)


def test_who_speaks_decides_what_counts(reads: Callable[..., Reading]) -> None:
    text = "I am 72 years old. Remind me to eat. Forget Tom."
    assert {name: bool(reads(text, name).commands) for name in ("user", "Bob", "assistant", "event")} == {
        "user": True, "Bob": False, "assistant": False, "event": False,
    }  # fmt: skip
    assert not any(clause.asserted for clause in reads(text, "assistant").clauses)
    assert reads(text, "Bob").clauses[0].asserted


def test_orders_assert_nothing_but_what_is_done_does(reads: Callable[..., Reading]) -> None:
    assert not reads("forget Tom").clauses[0].asserted
    assert reads("I've taken my pills").clauses[0].asserted


def test_questions_outside_of_requests_make_the_utterance_one(reads: Callable[..., Reading]) -> None:
    assert reads("Can you remind me to eat? How old am I?").question
    assert not reads("Can you remind me to eat?").question


def test_everything_that_fired_is_told(reads: Callable[..., Reading]) -> None:
    reading = reads("如果明天很冷，提醒我穿外套")
    ids = {rule for rule, _ in reading.fired}
    assert "core.questions.if" in ids
    assert {draft.rule for draft in reading.reminders} <= ids
    assert {time.rule for time in reading.times} <= ids
