"""What is held to be true and what is still to come: which of it a block holds, and how it is worded."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from claudemem_edge.memory import Memory
from claudemem_edge.shapes.context import Profile

if TYPE_CHECKING:
    from fakes.asked import MakeTalk

    from claudemem_edge.shapes.context import Context

PERSON = {
    "en": ("My name is Ruth Ames.", "I live in Bristol.", "I'm allergic to walnuts."),
    "zh": ("我叫李梅。", "我住在苏州。", "我对核桃过敏。"),
}


def kinds(context: Context) -> list[str]:
    return [line.kind for line in context.lines]


@pytest.mark.parametrize(
    ("language", "question", "wanted", "others"),
    [
        ("en", "What is my name?", "Ruth Ames", ["Bristol", "walnuts", "lighthouse"]),
        ("en", "Where do I live?", "Bristol", ["Ruth", "walnuts", "lighthouse"]),
        ("zh", "我叫什么名字？", "李梅", ["苏州", "核桃", "灯塔"]),
        ("zh", "我住在哪里？", "苏州", ["李梅", "核桃", "灯塔"]),
    ],
)
def test_a_fact_that_answers_stands_alone(
    talk: MakeTalk,
    chatter: dict[str, tuple[str, ...]],
    language: str,
    question: str,
    wanted: str,
    others: list[str],
) -> None:
    told = talk(*PERSON[language], *chatter[language], *chatter[language], *chatter[language])
    context = told.ask(question)
    assert kinds(context) == ["claim"]
    assert wanted in str(context)
    assert not any(one in str(context) for one in others)


@pytest.mark.parametrize(
    ("language", "said", "question", "wanted"),
    [
        ("en", "The Gull Inn has a room for you.", "Could you give me its address, before I leave home?", "Gull Inn"),
        ("zh", "海鸥客栈还有一间房。", "那家客栈的地址是什么，我好告诉家里人。", "海鸥客栈"),
    ],
)
def test_a_question_that_points_back_is_not_answered_by_a_fact_about_the_speaker(
    talk: MakeTalk, chatter: dict[str, tuple[str, ...]], language: str, said: str, question: str, wanted: str
) -> None:
    context = talk(*PERSON[language], *chatter[language], *chatter[language], ("assistant", said)).ask(question)
    assert wanted in str(context)


@pytest.mark.parametrize("limit", [60, 120, 220])
@pytest.mark.parametrize(
    ("language", "question"),
    [("en", "And is Bristol far from the walnuts?"), ("zh", "苏州离核桃树远吗？")],
)
def test_claims_that_were_not_asked_for_take_a_third_of_the_room_at_most(
    talk: MakeTalk, chatter: dict[str, tuple[str, ...]], language: str, question: str, limit: int
) -> None:
    context = talk(*PERSON[language], *chatter[language], *chatter[language], *chatter[language]).ask(question, limit)
    assert sum(len(line.text) for line in context.lines if line.kind == "claim") <= limit / 3


@pytest.mark.parametrize(("language", "question"), [("en", "What should I cook for dinner?"), ("zh", "晚饭吃什么好？")])
def test_what_fits_as_said_is_not_said_again_as_a_claim(talk: MakeTalk, language: str, question: str) -> None:
    context = talk(*PERSON[language]).ask(question)
    assert str(context).split("\n") == [one.rstrip("。.") for one in PERSON[language]]


@pytest.mark.parametrize(
    ("language", "question", "wanted"),
    [("en", "What should I cook for dinner?", "walnuts"), ("zh", "晚饭吃什么好？", "核桃")],
)
def test_what_must_not_be_eaten_is_told_to_who_asks_about_food(
    talk: MakeTalk, chatter: dict[str, tuple[str, ...]], language: str, question: str, wanted: str
) -> None:
    context = talk(*PERSON[language], *chatter[language], *chatter[language], *chatter[language]).ask(question)
    assert context.lines[0].kind == "claim"
    assert wanted in context.lines[0].text


@pytest.mark.parametrize(
    ("said", "corrected", "question", "old", "new"),
    [
        (
            "I live in Bristol.",
            "Actually I live in Bath.",
            "Where did I live before?",
            "The user used to live in Bristol",
            "The user lives in Bath",
        ),
        ("我住在苏州。", "不对，我住在无锡。", "我以前住在哪里？", "用户以前住在苏州", "用户住在无锡"),
    ],
)
def test_a_closed_claim_is_worded_as_past_and_comes_before_the_one_that_replaced_it(
    talk: MakeTalk, chatter: dict[str, tuple[str, ...]], said: str, corrected: str, question: str, old: str, new: str
) -> None:
    language = "zh" if "住" in said else "en"
    context = talk(said, *chatter[language], corrected, *chatter[language]).ask(question)
    assert [line.text for line in context.lines if line.kind == "claim"] == [old, new]


@pytest.mark.parametrize(
    ("question", "limit", "dated"),
    [
        ("What is there to do today?", 220, True),
        ("What is there to do today?", 120, True),
        ("What is there to do today?", 119, False),
        ("What is there to do?", 220, False),
        ("今天要做什么？", 220, True),
        ("今天要做什么？", 120, True),
        ("今天要做什么？", 119, False),
        ("要做什么？", 220, False),
    ],
)
def test_today_is_told_when_a_time_is_asked_about_and_there_is_room(
    talk: MakeTalk, chatter: dict[str, tuple[str, ...]], question: str, limit: int, *, dated: bool
) -> None:
    told = talk(*chatter["zh" if "做" in question else "en"])
    told.say("提醒我今天下午三点浇花。" if "做" in question else "Remind me today at three pm to water the figs.")
    context = told.ask(question, limit)
    assert ("date" in kinds(context)) is dated


@pytest.mark.parametrize(
    ("orders", "question", "wanted", "other"),
    [
        (
            (
                "Remind me tomorrow at ten am to prune the roses.",
                "Remind me on Saturday at four pm to call the roofer.",
            ),
            "What must I do tomorrow?",
            "prune the roses",
            "roofer",
        ),
        (
            ("提醒我明天上午十点修剪月季。", "提醒我星期六下午四点给瓦匠打电话。"),
            "明天我要做什么？",
            "修剪月季",
            "瓦匠",
        ),
    ],
)
def test_only_what_is_due_then_is_told(
    talk: MakeTalk,
    chatter: dict[str, tuple[str, ...]],
    orders: tuple[str, ...],
    question: str,
    wanted: str,
    other: str,
) -> None:
    language = "zh" if "我" in question else "en"
    told = talk(orders[0], *chatter[language], orders[1], *chatter[language], *chatter[language])
    items = [line.text for line in told.ask(question).lines if line.kind == "item"]
    assert len(items) == 1
    assert wanted in items[0]
    assert other not in items[0]


@pytest.mark.parametrize(
    ("language", "question", "style", "line"),
    [
        ("en", "Where do I live?", "sentence", "The user lives in Bristol"),
        ("en", "Where do I live?", "tags", "【home】Bristol"),
        ("en", "Where do I live?", "key_value", "home: Bristol"),
        ("zh", "我住在哪里？", "sentence", "用户住在苏州"),
        ("zh", "我住在哪里？", "tags", "【住处】苏州"),
        ("zh", "我住在哪里？", "key_value", "住处: 苏州"),
    ],
)
def test_a_profile_has_its_style(
    talk: MakeTalk, chatter: dict[str, tuple[str, ...]], language: str, question: str, style: str, line: str
) -> None:
    told = talk(*PERSON[language], *chatter[language], *chatter[language], *chatter[language])
    assert str(told.memory.context(question, now=told.now, profile=Profile(style=style))) == line


def test_a_claim_whose_words_the_client_shows_is_left_out(talk: MakeTalk, chatter: dict[str, tuple[str, ...]]) -> None:
    told = talk(*PERSON["en"], *chatter["en"], *chatter["en"])
    assert "Bristol" not in str(told.ask("Where do I live?", shown=told.memory.digests("I live in Bristol.")))


@pytest.mark.parametrize(
    ("language", "said", "question", "wanted"),
    [
        ("en", ("My nephew Colin studies in Derby.", "No, he's in Hull now, not Derby."), "How is Colin?", "at Hull"),
        ("zh", ("我侄子小林在北京读大学。", "不对，他在上海，不是北京。"), "小林怎么样？", "上海"),
    ],
)
def test_a_fact_that_no_sentence_may_say_stands_wherever_its_subject_is_named(
    talk: MakeTalk,
    chatter: dict[str, tuple[str, ...]],
    language: str,
    said: tuple[str, ...],
    question: str,
    wanted: str,
) -> None:
    block = str(talk(*said, *chatter[language], *chatter[language], *chatter[language]).ask(question))
    assert wanted in block
    assert not any(old in block for old in ("Derby", "北京"))


@pytest.mark.parametrize(("question", "dates"), [("海鸥客栈几点关门？", 0), ("现在几点了，客栈关门没有？", 1)])
def test_the_date_of_today_is_told_to_who_asks_about_now(
    talk: MakeTalk, chatter: dict[str, tuple[str, ...]], question: str, dates: int
) -> None:
    context = talk(*chatter["zh"], "海鸥客栈晚上九点关门。").ask(question)
    assert kinds(context).count("date") == dates


@pytest.mark.parametrize(
    ("told", "question", "wanted"),
    [
        (
            ("My name is Ruth Miller.", "I read a novel in the library today, Silver Tides."),
            "I once read a novel in the library, what was its name?",
            "Silver Tides",
        ),
        (
            ("我叫王桂兰。", "今天我在图书馆读了一本小说，叫《银潮》。"),
            "我曾经在图书馆读过一本小说，它的名字是？",
            "银潮",
        ),
    ],
)
def test_the_name_of_something_else_is_not_ones_own(told: tuple[str, ...], question: str, wanted: str) -> None:
    memory, now = Memory(), datetime(2026, 3, 11, 9, tzinfo=UTC)
    chatter = (
        "It rained the whole morning and the bus was late again, so everybody was cross."
        if question.isascii()
        else ("早上一直在下雨，公交车又晚点了，大家都有点不高兴，后来雨停了才好一些，路上也不堵了。")
    )
    for words in (*told, *(f"{chatter} {number}" for number in range(12))):
        memory.observe("user", words, at=now)
    assert wanted in memory.context(question, now=now).text


@pytest.mark.parametrize(
    ("told", "question", "wanted"),
    [
        (("I take amlodipine, once a day.",), "Which medicine do I take?", "amlodipine"),
        (("我在吃氨氯地平，一天一次。",), "我在吃什么药？", "氨氯地平"),
        (("The press on line two has the address 192.168.1.100.",), "Which device has 192.168.1.100?", "press"),
        (("二号线的压机是S7-1500。",), "哪台设备是S7-1500？", "压机"),
    ],
)
def test_what_all_fits_is_given_where_the_question_is_about_it(
    told: tuple[str, ...], question: str, wanted: str
) -> None:
    memory, now = Memory(), datetime(2026, 3, 11, 9, tzinfo=UTC)
    rain = ("It rained the whole morning and the bus was late.", "Somebody rang the wrong bell, and the tea got cold.")
    drizzle = (
        "早上一直在下雨，公交车又晚点了，大家都不高兴，后来雨停了。",
        "有人按错了门铃，说了半天的话，茶都放凉了，重新泡了一壶。",
        "院子里的花都开了，隔壁的孩子来看了好几次，还拍了照片带回去。",
        "晚饭后打了会儿牌，输了两把，赢了一把，十点多才收拾好桌子。",
    )
    for words in (*told, *(rain if question.isascii() else drizzle)):
        memory.observe("user", words, at=now)
    assert wanted in memory.context(question, now=now).text
