"""What a block holds when the words of a question found their answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from fakes.asked import MakeTalk


@pytest.mark.parametrize(
    ("language", "said", "question", "wanted"),
    [
        (
            "en",
            (
                "The roofer is a cheerful man.",
                "The roofer came yesterday about the gutter.",
                "The roofer has a red van.",
            ),
            "When did the roofer come?",
            "2026-03-10",
        ),
        (
            "zh",
            ("瓦匠是个爽快人。", "瓦匠昨天来看了水槽。", "瓦匠开一辆红车。"),
            "瓦匠是什么时候来的？",
            "2026年3月10日",
        ),
    ],
)
def test_where_a_time_is_asked_for_what_holds_one_comes_first(
    talk: MakeTalk,
    chatter: dict[str, tuple[str, ...]],
    language: str,
    said: tuple[str, ...],
    question: str,
    wanted: str,
) -> None:
    told = talk(*said, *chatter[language], *chatter[language], *chatter[language])
    told.say(*chatter[language], minutes=60 * 20)
    assert wanted in told.ask(question, 60).lines[0].text


@pytest.mark.parametrize(
    ("language", "said", "question", "wanted"),
    [
        ("en", "The spare key hangs behind the barometer.", "Where does the spare key hang?", "barometer"),
        ("zh", "备用钥匙挂在气压表后面。", "备用钥匙挂在哪里？", "气压表"),
    ],
)
def test_strong_evidence_in_a_long_talk_stands_without_what_was_said_last(
    talk: MakeTalk, chatter: dict[str, tuple[str, ...]], language: str, said: str, question: str, wanted: str
) -> None:
    told = talk(*chatter[language] * 2, said, *chatter[language] * 4)
    block = str(told.ask(question))
    assert wanted in block
    assert not any(one.rstrip(".。") in block for one in chatter[language][3:7])


@pytest.mark.parametrize(
    ("language", "said", "others", "question", "wanted"),
    [
        (
            "en",
            ("Have you seen Marigold Lane?", "Sure, twice.", "I liked it a lot.", "The end made me cry.", "Same here.",
             "It was directed by Tessa Quill."),
            "That other film was directed by somebody from {} Street, I think.",
            "Who directed Marigold Lane?",
            "Tessa Quill",
        ),
        (
            "zh",
            ("你看过《金盏巷》吗？", "看过，看了两遍。", "我也很喜欢。", "结局让我哭了。", "我也是。",
             "导演是沈知秋。"),
            "另外那部片子的导演好像是住在{}路的一位老先生，我也不太确定。",
            "《金盏巷》的导演是谁？",
            "沈知秋",
        ),
    ],
)  # fmt: skip
def test_talk_goes_on_about_what_was_named(
    talk: MakeTalk,
    chatter: dict[str, tuple[str, ...]],
    language: str,
    said: tuple[str, ...],
    others: str,
    question: str,
    wanted: str,
) -> None:
    distractors = [others.format(name) for name in ("Elm", "Oak", "Ash", "Yew", "Fir", "Pine", "Beech", "Birch")]
    told = talk(*chatter[language], *said, *chatter[language] * 2, *distractors, *chatter[language])
    assert wanted in str(told.ask(question, 80))
