"""Talk made from frames, as long as wanted: everyday sentences in both languages whose words keep changing."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from collections.abc import Iterator

START = datetime(2026, 3, 11, 9, 40, tzinfo=ZoneInfo("Asia/Shanghai"))
SYLLABLES = ("ba", "ko", "ri", "sun", "mel", "tor", "vin", "ash", "qua", "len", "dor", "pim", "zel", "gar", "hus")
CHARACTERS = "春江花月夜山水云林石桥柳竹兰梅松鹤雁鱼舟灯书琴棋画茶酒米面糖盐铁木土火金银玉珠"
EN = (
    "My neighbour {a} moved to {b} last week.",
    "I bought a {a} and a {b} at the market.",
    "The {a} in the kitchen makes a strange noise again.",
    "Remind me tomorrow at 10 am to call {a}.",
    "I don't like the taste of {a} very much.",
    "Do you know how far it is to {b}?",
    "My daughter works as a {a} in {b}.",
    "We talked about the {a} and the old {b} for hours.",
    "It rained all day, so I read a book about {a}.",
    "Actually, it was the {b}, not the {a}.",
)
ZH = (
    "我邻居{a}上周搬到{b}去了。",
    "我在市场买了{a}和{b}。",
    "厨房里的{a}又在响了。",
    "提醒我明天上午10点给{a}打电话。",
    "我不太喜欢{a}的味道。",
    "去{b}要多久？",
    "我女儿在{b}做{a}工作。",
    "我们聊{a}和老{b}聊了几个小时。",
    "下了一天雨，我看了一本讲{a}的书。",
    "其实是{b}，不是{a}。",
)


def talk(language: str, turns: int, seed: int = 1) -> Iterator[tuple[str, str, datetime]]:
    """Yield (speaker, text, said at) for so many turns, two minutes apart, every third one of the assistant."""
    chance = random.Random(seed)
    frames = ZH if language == "zh" else EN

    def word() -> str:
        if language == "zh":
            return "".join(chance.choices(CHARACTERS, k=2))
        return "".join(chance.choices(SYLLABLES, k=3))

    for turn in range(turns):
        text = chance.choice(frames).format(a=word(), b=word())
        yield ("assistant" if turn % 3 == 2 else "user"), text, START + timedelta(minutes=2 * turn)
