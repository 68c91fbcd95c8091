"""Does a real small model use what stands in the block? Thresholds, not texts: processors differ in the last bit."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from claudemem_edge.model.client import ModelClient
from claudemem_edge.model.prompt import messages_for
from claudemem_edge.shapes.options import ModelOptions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = pytest.mark.real_model

Case = tuple[str, str, str]
ENGLISH: Sequence[Case] = (
    ("The user's name is Walter.", "What is my name?", "Walter"),
    ("The user is 74 years old.", "How old am I?", "74"),
    ("The user's feet swell since the user takes amlodipine.", "Which medicine makes my feet swell?", "amlodipine"),
    ("The user's son lives in Chicago.", "Where does my son live?", "Chicago"),
    ("The spare key is under the blue flowerpot.", "Where is the spare key?", "flowerpot"),
    ("The user's hotel room is number 418.", "What is my room number?", "418"),
    ("The user's cat is called Biscuit.", "What is my cat called?", "Biscuit"),
    ("The user is allergic to penicillin.", "What am I allergic to?", "penicillin"),
)
CHINESE: Sequence[Case] = (
    ("姓名：王芳", "我叫什么名字？", "王芳"),
    ("年龄：七十四岁", "我今年多大年纪？", "七十四"),
    ("副作用：吃氨氯地平脚肿", "吃什么药会脚肿？", "氨氯地平"),
    ("儿子：住在成都", "我儿子住在哪里？", "成都"),
    ("备用钥匙：在蓝色花盆下面", "备用钥匙在哪里？", "花盆"),
    ("房间号：418", "我的房间号是多少？", "418"),
    ("猫的名字：豆豆", "我的猫叫什么名字？", "豆豆"),
    ("过敏：青霉素", "我对什么过敏？", "青霉素"),
)


async def right_answers(socket: Path, language: str, cases: Sequence[Case], profile: str) -> tuple[int, int]:
    """Return how many answers are right with the fact in the block, and how many without."""
    client = ModelClient(ModelOptions(urls=(f"unix:{socket}",)))
    chosen = await client.chosen()
    assert chosen.profile.name == profile
    right = [0, 0]
    for fact, question, answer in cases:
        for number, block in enumerate((fact, "")):
            messages = messages_for(chosen.profile, language, block, question)
            deadline_s = asyncio.get_running_loop().time() + 60
            text = "".join([piece async for piece in client.stream(messages, chosen, deadline_s)])
            right[number] += answer.lower() in text.lower()
    await client.aclose()
    return right[0], right[1]


async def test_the_english_model_uses_the_block(smollm2: Path) -> None:
    with_block, without = await right_answers(smollm2, "en", ENGLISH, "smollm2")
    assert with_block >= 5
    assert without <= 1


async def test_the_chinese_model_uses_the_block(gemma: Path) -> None:
    with_block, without = await right_answers(gemma, "zh", CHINESE, "gemma3-base")
    assert with_block >= 5
    assert without <= 1
