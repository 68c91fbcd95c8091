"""What is chosen for a question: sentences of our own, in both languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from fakes.asked import MakeTalk, Talked

    from claudemem_edge.shapes.memory import Statement


@pytest.mark.parametrize(
    ("language", "text", "question"),
    [("en", "The boiler is serviced by Quirke.", "Who services the boiler?"), ("zh", "锅炉归老关修。", "锅炉归谁修？")],
)
@pytest.mark.parametrize("among", [0, 3])
def test_what_was_said_again_is_told_once(
    talk: MakeTalk, chatter: dict[str, tuple[str, ...]], language: str, text: str, question: str, among: int
) -> None:
    block = str(talk(text, *chatter[language] * among, text, *chatter[language] * among, text).ask(question))
    assert block.count(text[:-1]) == 1


def test_the_same_short_answer_to_two_questions_stays_twice(talk: MakeTalk) -> None:
    said = ("Do you like tea?", ("assistant", "Yes."), "Do you like mud?", ("assistant", "Yes."))
    assert str(talk(*said).ask("Tell me more.")).count("Yes") == 2


@pytest.mark.parametrize(
    ("language", "said", "question", "wanted"),
    [
        ("en", ["The spare key hangs behind the barometer."], "Where does the spare key hang?", "barometer"),
        (
            "en",
            ["Which stop does the ferry leave from?", ("assistant", "From pier seven.")],
            "Which stop does the ferry use?",
            "pier seven",
        ),
        ("en", ["We chose walnut for the shelves."], "What wood did we choose for the shelf?", "walnut"),
        ("zh", ["备用钥匙挂在气压表后面。"], "备用钥匙挂在哪里？", "气压表"),
        ("zh", ["轮渡从哪个码头开？", ("assistant", "七号码头。")], "轮渡的码头是几号？", "七号码头"),
        ("zh", ["书架选了胡桃木。"], "书架选了什么木头？", "胡桃木"),
    ],
)
def test_the_words_of_a_question_find_its_answer(
    talk: MakeTalk,
    chatter: dict[str, tuple[str, ...]],
    language: str,
    said: list[str | tuple[str, str]],
    question: str,
    wanted: str,
) -> None:
    block = str(talk(*chatter[language][:4], *said, *chatter[language], *chatter[language]).ask(question, 120))
    assert wanted in block


def test_the_speaker_asked_about_counts(talk: MakeTalk, chatter: dict[str, tuple[str, ...]]) -> None:
    both = [("Ann", "I collect brass compasses."), ("Ben", "I collect enamel signs.")]
    for name, wanted in (("Ann", "compasses"), ("Ben", "signs")):
        block = str(
            talk(*both, *chatter["en"], ("Ann", "Good."), ("Ben", "Fine.")).ask(f"What does {name} collect?", 40)
        )
        assert block.split("\n", maxsplit=1)[0].endswith(wanted)


@pytest.mark.parametrize(
    ("turns", "lines"),
    [
        (
            ["Hello there.", ("assistant", "Hi! What can I do?"), "The tap drips."],
            ["Hello there", "You said: Hi! What can I do?", "The tap drips"],
        ),
        ([("Ann", "The tap drips."), ("Ben", "Since when?")], ["Ann: The tap drips", "Ben: Since when?"]),
        (["水龙头在滴水。", ("assistant", "从什么时候开始的？")], ["水龙头在滴水", "你说过：从什么时候开始的？"]),
        ([("event", "bedroom light on"), "Who is there?"], ["Seen: bedroom light on", "Who is there?"]),
    ],
)
def test_all_is_given_as_said_and_in_order_when_it_fits(
    talk: MakeTalk, turns: list[str | tuple[str, str]], lines: list[str]
) -> None:
    question = "那怎么办？" if "水" in lines[0] else "And what next?"
    assert str(talk(*turns).ask(question)).split("\n") == lines


RIVER = [
    "The kayak needs a new paddle.",
    ("assistant", "A carbon paddle weighs least."),
    "Carbon is too dear, ash wood will do.",
    ("assistant", "Ash wood bends well and costs half."),
]
WEDDING = [
    "By the way, my niece Clara marries in June.",
    ("assistant", "Lovely! Is the hall booked?"),
    "The hall and the band are booked.",
    ("assistant", "Then flowers come next."),
    "Peonies, if the florist has any.",
]
RIVER_ZH = [
    "皮划艇要换一支桨。",
    ("assistant", "碳纤维的桨最轻。"),
    "碳纤维太贵，白蜡木就行。",
    ("assistant", "白蜡木有韧性，价钱便宜一半。"),
]
WEDDING_ZH = [
    "对了，侄女六月要办婚礼。",
    ("assistant", "恭喜！宴会厅订好了吗？"),
    "宴会厅和乐队都订好了。",
    ("assistant", "接下来该选花了。"),
    "花店要是有芍药就选芍药。",
]


@pytest.mark.parametrize(
    ("first", "second", "question", "wanted"),
    [
        (RIVER, WEDDING, "Back to what we were discussing before: which one did I settle on?", "ash wood"),
        (RIVER_ZH, WEDDING_ZH, "回到刚才的话题，我最后选了哪种？", "白蜡木"),
    ],
)
def test_a_cue_returns_to_the_subject_before(
    talk: MakeTalk, first: list[str | tuple[str, str]], second: list[str | tuple[str, str]], question: str, wanted: str
) -> None:
    assert wanted in str(talk(*first, *second).ask(question, 60)).lower()


@pytest.mark.parametrize(
    ("first", "second", "leave", "question", "wanted"),
    [
        (
            RIVER,
            WEDDING,
            [("user", "Thanks, that's all."), ("assistant", "Have a nice day!")],
            "Yes, please order it.",
            "ash",
        ),
        (
            RIVER_ZH,
            WEDDING_ZH,
            [("user", "好的，谢谢。"), ("assistant", "不客气，再见。")],
            "嗯，那就订它吧。",
            "白蜡木",
        ),
    ],
)
def test_after_leave_was_taken_the_subject_before_may_be_meant(
    talk: MakeTalk,
    first: list[str | tuple[str, str]],
    second: list[str | tuple[str, str]],
    leave: list[str | tuple[str, str]],
    question: str,
    wanted: str,
) -> None:
    assert wanted in str(talk(*first, *second, *leave).ask(question, 140)).lower()


def test_a_question_that_points_back_gets_the_names_first(talk: MakeTalk, chatter: dict[str, tuple[str, ...]]) -> None:
    told: list[str | tuple[str, str]] = [
        "Have you heard of Clara Winding?",
        ("assistant", "Clara Winding builds harpsichords in Ghent."),
    ]
    block = str(talk(*chatter["en"], *told).ask("Where did she learn that?", 60))
    assert block.startswith("Clara Winding")


@pytest.mark.parametrize(
    ("language", "turns", "question", "wanted"),
    [
        (
            "en",
            ["Find me a room in Ghent for two nights.", ("assistant", "The Mill House has one at 95 euro.")],
            "And does it have a garden?",
            ["Mill House", "Ghent"],
        ),
        (
            "zh",
            ["在绍兴找一间住两晚的房间。", ("assistant", "水磨坊客栈有一间，九十五块。")],
            "那有院子吗？",
            ["水磨坊客栈", "绍兴"],
        ),
    ],
)
def test_a_short_follow_up_gets_the_last_talk_as_a_telegram(
    talk: MakeTalk,
    chatter: dict[str, tuple[str, ...]],
    language: str,
    turns: list[str | tuple[str, str]],
    question: str,
    wanted: list[str],
) -> None:
    block = str(talk(*chatter[language], *turns).ask(question, 80))
    assert all(one in block for one in wanted)


@pytest.mark.parametrize(("style", "kept"), [("en", "not allergic"), ("zh", "没有过敏")])
def test_a_negation_stays_with_what_it_denies(
    talk: MakeTalk, chatter: dict[str, tuple[str, ...]], style: str, kept: str
) -> None:
    said = {"en": "The rash shows that Tom is not allergic to bees.", "zh": "检查说老周对蜜蜂没有过敏。"}[style]
    question = {"en": "Is Tom allergic to bees?", "zh": "老周对蜜蜂过敏吗？"}[style]
    assert kept in str(talk(said, *chatter[style], *chatter[style]).ask(question, 60))


@pytest.mark.parametrize(
    ("said", "question", "wanted"),
    [
        ("Yesterday the roofer mended the chimney.", "When did the roofer mend the chimney?", "2026-03-11"),
        ("瓦匠昨天修好了烟囱。", "瓦匠什么时候修的烟囱？", "2026年3月11日"),
    ],
)
def test_a_question_that_asks_when_gets_dates(
    talk: MakeTalk, chatter: dict[str, tuple[str, ...]], said: str, question: str, wanted: str
) -> None:
    told = talk().say(said, minutes=60 * 24)
    told.say(*chatter["zh" if "瓦" in said else "en"], minutes=60 * 30)
    assert wanted in str(told.ask(question))


def test_what_the_client_shows_is_not_said_again(talk: MakeTalk) -> None:
    told = talk("The spare key hangs behind the barometer.", "The boat key lies in the blue jar.")
    shown = told.memory.digests("Yes. The spare key hangs behind the barometer!")
    block = str(told.ask("Where are the keys, the spare one too?", shown=shown))
    assert "barometer" not in block
    assert "blue jar" in block


def hidden(told: Talked) -> list[Statement]:
    return [one for one in told.memory._state.statements.values() if not one.shown]


@pytest.mark.parametrize(
    ("said", "corrected", "question", "old", "new"),
    [
        ("I live in Bristol.", "Actually I live in Bath.", "Where do I live?", "Bristol", "Bath"),
        ("我住在苏州。", "不对，我住在无锡。", "我住在哪里？", "苏州", "无锡"),
    ],
)
def test_an_old_value_is_shown_only_to_who_asks_for_it(
    talk: MakeTalk, chatter: dict[str, tuple[str, ...]], said: str, corrected: str, question: str, old: str, new: str
) -> None:
    told = talk(said, *chatter["zh" if old == "苏州" else "en"], corrected)
    assert [one.text for one in hidden(told) if old in one.text]
    block = str(told.ask(question))
    assert new in block
    assert old not in block
    before = {"Bristol": "Where did I live before?", "苏州": "我以前住在哪里？"}[old]
    assert old in str(told.ask(before))


@pytest.mark.parametrize(
    ("said", "question", "once"),
    [("My name is Ruth Ames.", "What is my name?", "Ruth Ames"), ("我叫李梅。", "我叫什么名字？", "李梅")],
)
def test_a_claim_and_its_statement_are_never_both_shown(
    talk: MakeTalk, chatter: dict[str, tuple[str, ...]], said: str, question: str, once: str
) -> None:
    context = talk(said, *chatter["zh" if once == "李梅" else "en"]).ask(question)
    assert str(context).count(once) == 1
    assert context.lines[0].kind == "claim"


def test_two_equal_referents_both_stand_in_the_block(talk: MakeTalk, chatter: dict[str, tuple[str, ...]]) -> None:
    block = str(talk(*chatter["en"], "I take amlodipine and metformin.").ask("How often do I take that medicine?"))
    assert "amlodipine" in block
    assert "metformin" in block


@pytest.mark.parametrize(
    ("question", "wanted"), [("What must I do tomorrow?", "water the figs"), ("明天我要做什么？", "浇花")]
)
def test_items_due_in_the_time_asked_about_are_shown_after_the_date(talk: MakeTalk, question: str, wanted: str) -> None:
    orders = ["Remind me tomorrow at ten in the morning to water the figs.", "提醒我明天上午九点浇花。"]
    context = talk(orders["浇" in wanted]).ask(question)
    kinds = [line.kind for line in context.lines]
    assert wanted in str(context)
    assert kinds.index("date") < kinds.index("item")


def test_what_the_question_itself_says_is_no_fact_for_it(talk: MakeTalk, chatter: dict[str, tuple[str, ...]]) -> None:
    told = talk(*chatter["en"], "The sledge stands in the red shed.")
    block = str(told.ask("I live in Ghent. Where does the sledge stand?"))
    assert [one.object for one in told.memory._state.claims.values()] == ["Ghent"]
    assert "Ghent" not in block
    assert "red shed" in block


@pytest.mark.parametrize(
    ("language", "said", "date", "question"),
    [
        ("en", "The chimney sweep comes on Friday", " [2026-03-13]", "When does the chimney sweep come?"),
        ("zh", "扫烟囱的师傅周五来", "[2026年3月13日]", "扫烟囱的师傅什么时候来？"),
    ],
)
def test_what_answers_best_is_told_in_a_whole_sentence(
    talk: MakeTalk, chatter: dict[str, tuple[str, ...]], language: str, said: str, date: str, question: str
) -> None:
    block = str(talk(*chatter[language][:4], said, *chatter[language], *chatter[language]).ask(question))
    assert said in block.replace(date, "")
