from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from claudemem_edge.input_filter.commands import covers

if TYPE_CHECKING:
    from collections.abc import Callable

    from claudemem_edge.shapes.reading import Reading


@pytest.mark.parametrize(
    ("text", "kinds", "whole"),
    [
        ("Okay, please forget what I just said, thank you!", ["forget_last"], True),
        ("Forget what I just said. My name is Bob.", ["forget_last"], False),
        ("What time is it? And what day is it?", ["ask_time", "ask_date"], True),
        ("Back to the previous topic. How much do I take?", ["return_topic"], False),
        ("forget Tom, forget Bob", ["forget_entity", "forget_entity"], True),
        ("好的，请忘掉刚才说的，谢谢！", ["forget_last"], True),
        ("忘掉刚才说的。我叫王芳。", ["forget_last"], False),
        ("现在几点了？今天几号？", ["ask_time", "ask_date"], True),
        ("忘掉小明，忘掉小红", ["forget_entity", "forget_entity"], True),
        ("没听清楚，请再说一遍", ["repeat"], True),
    ],
)
def test_several_orders_and_what_stands_around_them(
    reads: Callable[..., Reading], text: str, kinds: list[str], whole: object
) -> None:
    reading = reads(text)
    assert [command.kind for command in reading.commands] == kinds
    assert reading.whole is whole


def test_a_command_is_whole_alone_and_not_beside_another(reads: Callable[..., Reading]) -> None:
    assert reads("forget Tom").commands[0].whole
    assert not any(command.whole for command in reads("forget Tom, forget Bob").commands)


def test_the_same_order_twice_is_one(reads: Callable[..., Reading]) -> None:
    assert len(reads("再说一遍，再说一遍").commands) == 1


@pytest.mark.parametrize("name", ["Tom", "the red car", "O'Brien", "Dr. Smith", "COVID-19"])
def test_an_argument_keeps_its_spelling(reads: Callable[..., Reading], name: str) -> None:
    assert reads(f"forget about {name}").commands[0].argument == name


@pytest.mark.parametrize("speaker", ["assistant", "event", "Bob"])
def test_only_the_user_gives_orders(reads: Callable[..., Reading], speaker: str) -> None:
    reading = reads("forget everything", speaker)
    assert not reading.commands
    assert not reading.whole


def test_a_long_text_is_no_short_answer(reads: Callable[..., Reading]) -> None:
    assert [command.kind for command in reads("yes").commands] == ["yes"]
    assert not reads("yes and then we went to the market to buy some fish for dinner").commands


@pytest.mark.parametrize(
    ("text", "spans", "covered"),
    [
        ("forget it.", [(0, 9)], True),
        ("ok, forget it!", [(0, 2), (4, 13)], True),
        ("ok, forget it!", [(4, 13)], False),
        ("forget it now", [(0, 9)], False),
        ("", [], True),
        ("忘掉吧。", [(0, 3)], True),
        ("abcdef", [(0, 4), (1, 2), (4, 6)], True),
    ],
)
def test_what_spans_leave_over(text: str, spans: list[tuple[int, int]], covered: object) -> None:
    assert covers(text, spans) is covered
