from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from claudemem_edge.shapes.reading import Reading


@pytest.mark.parametrize("speaker", ["assistant", "event", "Bob"])
@pytest.mark.parametrize("text", ["提醒我明天吃药", "remind me to eat tomorrow"])
def test_only_the_user_asks_to_be_reminded(reads: Callable[..., Reading], text: str, speaker: str) -> None:
    assert not reads(text, speaker).reminders


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("Remind me to call Bob tomorrow. Remind me to eat tonight.", ["call Bob", "eat"]),
        ("提醒我明天给小明打电话。晚上八点提醒我吃药。", ["给小明打电话", "吃药"]),
        ("明天八点提醒我吃药，后天提醒我复查", ["吃药", "复查"]),
    ],
)
def test_several_come_from_left_to_right_each_with_its_own_time(
    reads: Callable[..., Reading], text: str, texts: list[str]
) -> None:
    reading = reads(text)
    assert [draft.text for draft in reading.reminders] == texts
    times = [draft.time for draft in reading.reminders]
    assert None not in times
    assert len({time.span for time in times if time}) == len(texts)
    assert reading.whole


def test_the_time_beside_the_words_wins_over_one_among_them(reads: Callable[..., Reading]) -> None:
    (draft,) = reads("今天晚上提醒我给明天的会议写稿").reminders
    assert draft.text == "给明天的会议写稿"
    assert draft.time is not None
    assert draft.time.text == "今天晚上"


def test_words_as_said_are_kept_in_case_and_script(reads: Callable[..., Reading]) -> None:
    assert reads("Remind me to email Dr. O'Neil about NASA").reminders[0].text == "email Dr. O'Neil about NASA"
    assert reads("提醒我給媽媽打電話").reminders[0].text == "給媽媽打電話"


def test_a_request_is_no_question_and_asserts_nothing(reads: Callable[..., Reading]) -> None:
    reading = reads("你能提醒我明天测血压吗？")
    assert not reading.question
    assert not any(clause.asserted for clause in reading.clauses)


def test_a_vague_time_is_unclear(reads: Callable[..., Reading]) -> None:
    (draft,) = reads("一会儿提醒我关火").reminders
    assert draft.time is None
    assert draft.unclear


def test_no_more_are_taken_than_anybody_says(reads: Callable[..., Reading]) -> None:
    assert len(reads("提醒我吃药。" * 300).reminders) <= 32
