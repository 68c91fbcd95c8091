from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claudemem_edge import Memory

if TYPE_CHECKING:
    from claudemem_edge.shapes.memory import MemoryState

START = datetime.fromisoformat("2026-03-11T09:40:00+08:00")
GARDEN = [
    ("user", "I want to plant tomatoes along the garden wall."),
    ("assistant", "Tomatoes like a warm wall; give them stakes and a rich soil."),
    ("user", "Should the stakes be bamboo or hazel?"),
    ("assistant", "Hazel stakes hold tomatoes better."),
]
CAR = [
    ("user", "By the way, the car makes a grinding noise when I brake."),
    ("assistant", "Worn brake pads grind; have the pads checked this week."),
    ("user", "Which garage checks brake pads on Saturdays?"),
    ("assistant", "The garage near the station is open on Saturdays."),
]
GARDEN_ZH = [
    ("user", "我想在院墙边种番茄。"),
    ("assistant", "番茄喜欢朝阳的院墙，要搭支架。"),
    ("user", "支架用竹竿还是用铁丝？"),
    ("assistant", "竹竿搭的支架更牢。"),
]
CAR_ZH = [
    ("user", "对了，车子刹车的时候有响声。"),
    ("assistant", "刹车片磨损了会响，这周检查一下刹车片。"),
    ("user", "哪家修理厂周六检查刹车片？"),
    ("assistant", "车站旁边的修理厂周六开门。"),
]


def talked(turns: list[tuple[str, str]]) -> MemoryState:
    memory = Memory()
    for number, (speaker, text) in enumerate(turns):
        memory.observe(speaker, text, at=START + timedelta(seconds=20 * number))
    return memory._state


def topics(state: MemoryState) -> list[int]:
    """The topic of each turn, numbered in the order of their beginning."""
    by_turn = {one.turn: one.topic for one in state.statements.values()}
    numbers: dict[int, int] = {}
    return [numbers.setdefault(topic, len(numbers)) for _, topic in sorted(by_turn.items())]


@pytest.mark.parametrize(("first", "second"), [(GARDEN, CAR), (GARDEN_ZH, CAR_ZH)])
def test_a_word_that_opens_a_subject_begins_a_topic(
    first: list[tuple[str, str]], second: list[tuple[str, str]]
) -> None:
    assert topics(talked([*first, *second])) == [0, 0, 0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("first", "second", "back"),
    [
        (GARDEN, CAR, "Back to what we were discussing before: when is the soil warm enough?"),
        (GARDEN, CAR, "Going back to the tomatoes, how deep do the stakes go?"),
        (GARDEN_ZH, CAR_ZH, "回到刚才的话题，什么时候下种？"),
        (GARDEN_ZH, CAR_ZH, "说回番茄，支架要多高？"),
    ],
)
def test_a_return_adds_a_stretch_to_the_topic_before(
    first: list[tuple[str, str]], second: list[tuple[str, str]], back: str
) -> None:
    state = talked([*first, *second, ("user", back)])
    assert topics(state)[-1] == 0
    assert [len(topic.spans) for topic in state.topic_chain] == [2, 1]


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (GARDEN, CAR, "Tomatoes need stakes in rich soil."),
        (GARDEN_ZH, CAR_ZH, "番茄的支架用竹竿。"),
    ],
)
def test_words_of_an_earlier_topic_lead_back_to_it(
    first: list[tuple[str, str]], second: list[tuple[str, str]], said: str
) -> None:
    assert topics(talked([*first, *second, ("user", said)]))[-1] == 0


def test_an_answer_changes_no_subject() -> None:
    assert topics(talked([*GARDEN, ("assistant", "By the way, the car needs oil.")]))[-1] == 0


def test_taking_leave_belongs_to_the_subject_it_leaves() -> None:
    assert topics(talked([*GARDEN, *CAR, ("user", "Thanks, that's all.")]))[-1] == 1


def test_salience_keeps_few_keys_and_no_words() -> None:
    state = talked([*GARDEN, *CAR])
    for topic in state.topic_chain:
        assert 0 < len(topic.salience) <= 4
        assert all(0 <= key < 1 << 30 and weight > 0 for key, weight in topic.salience.items())


SAID = st.sampled_from(
    [text for _, text in [*GARDEN, *CAR, *GARDEN_ZH, *CAR_ZH]] + ["Hello!", "Thanks.", "Yes.", "回到刚才的话题。"]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "Ann"]), SAID), max_size=14))
def test_every_statement_lies_in_a_stretch_of_its_topic(turns: list[tuple[str, str]]) -> None:
    state = talked(turns)
    chain = {topic.id: topic for topic in state.topic_chain}
    for statement in state.statements.values():
        if statement.shown:
            assert any(first <= statement.id <= last for first, last in chain[statement.topic].spans)
    for topic in state.topic_chain:
        assert topic.spans == sorted(topic.spans)
        assert all(first <= last for first, last in topic.spans)
