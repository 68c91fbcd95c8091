from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from fakes.asked import MakeTalk

SAID = {
    "en": (
        "I broke the blue teapot on Sunday.",
        ("assistant", "Shall I look for another teapot?"),
        "Yes, one of stoneware please.",
        ("assistant", "The shop in Mill Lane sells stoneware at 40 euro."),
    ),
    "zh": (
        "星期天我把蓝茶壶打碎了。",
        ("assistant", "要不要再找一把茶壶？"),
        "好，要紫砂的。",
        ("assistant", "磨坊巷的店里卖紫砂壶，四百块。"),
    ),
}


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "How do volcanoes erupt?"),
        ("en", "What is the longest river in Peru?"),
        ("en", "Who invented the zipper?"),
        ("en", "Write a limerick about gravity."),
        ("en", "Translate 'forest' into Finnish."),
        ("en", "How many moons does Jupiter have?"),
        ("zh", "火山为什么会喷发？"),
        ("zh", "秘鲁最长的河是哪条？"),
        ("zh", "拉链是谁发明的？"),
        ("zh", "写一首关于重力的打油诗。"),
        ("zh", "木星有几颗卫星？"),
        ("zh", "什么是量子计算？"),
        ("zh", "帮我把森林翻译成芬兰语。"),
        ("zh", "给我讲个笑话。"),
    ],
)
def test_an_unrelated_question_gets_no_block(
    talk: MakeTalk, chatter: dict[str, tuple[str, ...]], language: str, question: str
) -> None:
    assert str(talk(*chatter[language], *SAID[language]).ask(question)) == ""


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "What is the address?"),
        ("en", "How much is it?"),
        ("en", "Anything else?"),
        ("en", "Yes."),
        ("en", "What colour was the teapot?"),
        ("en", "Do they deliver?"),
        ("en", "What did we talk about?"),
        ("en", "I want to order two."),
        ("en", "When does the shop open?"),
        ("zh", "地址是哪里？"),
        ("zh", "多少钱？"),
        ("zh", "还有别的吗？"),
        ("zh", "好的。"),
        ("zh", "茶壶是什么颜色的？"),
        ("zh", "他们送货吗？"),
        ("zh", "你还记得我打碎了什么吗？"),
        ("zh", "我想订两把。"),
        ("zh", "那家店几点开门？"),
    ],
)
def test_a_question_about_the_talk_gets_one(
    talk: MakeTalk, chatter: dict[str, tuple[str, ...]], language: str, question: str
) -> None:
    assert str(talk(*chatter[language], *SAID[language]).ask(question))


@pytest.mark.parametrize("question", ["Hello?", "你好？", "How do volcanoes erupt?"])
def test_an_empty_memory_gives_nothing(talk: MakeTalk, question: str) -> None:
    assert str(talk().ask(question)) == ""
