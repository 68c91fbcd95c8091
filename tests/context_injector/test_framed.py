"""Where there are no capitals, frames tell the names; in little room they come first."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from claudemem_edge import Memory

NOW = datetime(2026, 3, 11, 9, 40, tzinfo=UTC)
LONG = "这几天降温了出门记得多穿一点衣服，路上车也多，慢慢走不要着急，到了以后给家里打个电话报平安，我们都等着听消息。"


def asked(turns: tuple[tuple[str, str], ...], question: str, limit_chars: int = 30) -> list[str]:
    """Return the names told as such in the block after these turns."""
    memory = Memory()
    for speaker, text in (("user", LONG), *turns):
        memory.observe(speaker, text, at=NOW)
    lines = memory.context(question, limit_chars=limit_chars, now=NOW).lines
    return [line.text for line in lines if line.kind == "name"]


@pytest.mark.parametrize(
    ("turns", "question", "name"),
    [
        ((("assistant", "推荐您去悦来小馆用餐，人均消费六十元。"), ("user", "好的。")), "它的地址在哪？", "悦来小馆"),
        ((("assistant", "没有评分高的，建议您去人均四十元的柳泉面馆吃饭。"),), "这家的电话是多少？", "柳泉面馆"),
        ((("user", "那就去云栖山庄吧，听说不错。"),), "它周边有什么景点？", "云栖山庄"),
        ((("user", "我打算去听雨茶楼(西街店)用餐，它的营业时间是几点？"),), "它的电话呢？", "听雨茶楼(西街店)"),
        ((("assistant", "周边只有一个景点，您看望江亭可以吗？"),), "它的门票多少钱？", "望江亭"),
        (
            (
                ("user", "帮我找个景点。"), ("assistant", "推荐您去望江亭游玩。"), ("user", "再找一家餐馆。"),
                ("assistant", "推荐您去悦来小馆用餐。"), ("user", "好的。"),
            ),
            "这个景点的门票多少钱？",
            "望江亭",
        ),
    ],
)  # fmt: skip
def test_what_a_question_points_to_comes_first(turns: tuple[tuple[str, str], ...], question: str, name: str) -> None:
    assert asked(turns, question)[0] == name


@pytest.mark.parametrize(
    "turns",
    [
        (("assistant", "抱歉，价格没有符合您要求的。"),),
        (("user", "我想去那儿看看，价格是多少？"),),
        (("assistant", "推荐您去这家(在街角。"),),
    ],
)
def test_words_that_only_fill_a_frame_are_no_names(turns: tuple[tuple[str, str], ...]) -> None:
    assert asked(turns, "它的电话是多少？") == []


def test_where_there_is_room_names_stand_in_what_was_said() -> None:
    turns = (("assistant", "推荐您去悦来小馆用餐，人均消费六十元。"),)
    assert asked(turns, "它的地址在哪？", 150) == []
