"""What the daemon says by itself, in the language it should."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fakes.talk import said_time

if TYPE_CHECKING:
    from fakes.talk import Talk

    from claudemem_edge.language.pack import Lexicon

TOMORROW = said_time("tomorrow at 10", "2026-03-12T10:00")


def test_both_languages_have_the_same_phrases_with_the_same_fields(lexicon: Lexicon) -> None:
    from string import Formatter

    def shape(phrases: dict[str, str]) -> set[str]:
        return set(phrases)

    zh, en = (lexicon.languages[code].phrases for code in ("zh", "en"))
    assert shape(zh) == shape(en)
    for key, text in zh.items():
        for phrase in (text, en[key]):
            assert all(field is None or field.isidentifier() for _, field, _, _ in Formatter().parse(phrase))


def test_nothing_known_yet(talk: Talk) -> None:
    assert talk.order("what do you know", "list_memory").say == talk.lexicon.languages["en"].say("knows_nothing")


def test_the_name_comes_first_and_the_rest_is_counted(talk: Talk) -> None:
    talk.tell("I am Ann", "user", "name", "Ann")
    for thing in ("tea", "cake", "rain", "jazz", "dogs"):
        talk.tell(f"I like {thing}", "user", "likes", thing)
    talk.remind("remind me tomorrow at 10 to swim", "swim", TOMORROW)
    outcome = talk.order("what do you know", "list_memory")
    assert outcome.complete
    assert outcome.say.index("Ann") < outcome.say.index("dogs")
    assert "tea" in outcome.say
    assert "swim" not in outcome.say
    assert "1 more" in outcome.say


def test_what_has_run_out_is_not_told(talk: Talk) -> None:
    talk.tell("my head hurts", "user", "symptom", "headache")
    assert "headache" in talk.order("what do you know", "list_memory").say
    talk.wait(31 * 86400)
    assert "headache" not in talk.order("what do you know", "list_memory").say


def test_pending_things_with_their_dates_soonest_first(talk: Talk) -> None:
    talk.remind("remind me", "swim", said_time("on friday", "2026-03-13T10:00"))
    talk.remind("remind me", "call", TOMORROW)
    say = talk.order("what is on my list", "list_pending").say
    assert say.index("call") < say.index("swim")
    assert "12" in say
    assert "13" in say


def test_the_reply_is_repeated_whole(talk: Talk) -> None:
    talk.hear("Take it at noon. Drink water with it.", "assistant", clauses=("Take it at noon", "Drink water with it"))
    say = talk.order("say that again", "repeat").say
    assert say == "Take it at noon. Drink water with it"
    assert talk.order("say that again", "repeat").say == say


def test_our_own_words_are_repeated_and_never_shown(talk: Talk) -> None:
    said = talk.remind("remind me tomorrow at 10 to swim", "swim", TOMORROW).say
    assert talk.order("say that again", "repeat").say == said
    assert said not in talk.shown()
    talk.order("what time is it", "ask_time")
    own = [one for one in talk.state.statements.values() if not one.shown]
    assert len(own) == 1


def test_nothing_to_repeat(talk: Talk) -> None:
    assert talk.order("say that again", "repeat").say == talk.lexicon.languages["en"].say("nothing_to_repeat")


def test_time_and_date(talk: Talk) -> None:
    assert "9:40" in talk.order("what time is it", "ask_time").say
    assert "2026" in talk.order("what day is it", "ask_date").say


@pytest.mark.parametrize(("argument", "code"), [("zh", "zh"), ("zh-CN", "zh"), ("English", "en"), ("中文", "zh")])
def test_the_language_of_replies_can_be_changed(talk: Talk, argument: str, code: str) -> None:
    outcome = talk.order("answer in …", "reply_language", argument)
    assert outcome.language == code
    assert outcome.say == talk.lexicon.languages[code].say("language_changed")
    assert talk.order("what do you know", "list_memory").say == talk.lexicon.languages[code].say("knows_nothing")


def test_an_unknown_language_is_said(talk: Talk) -> None:
    outcome = talk.order("answer in Klingon", "reply_language", "tlh")
    assert outcome.say == talk.lexicon.languages["en"].say("language_unknown")
    assert not talk.state.reply_language


def test_whose_memory(talk: Talk) -> None:
    assert talk.order("whose is it", "whose_memory").say == talk.lexicon.languages["en"].say("memory_of_user")
    talk.tell("I am Ann", "user", "name", "Ann")
    assert "Ann" in talk.order("whose is it", "whose_memory").say


@pytest.mark.parametrize("kind", ["return_topic", "yes", "no", "correct"])
def test_what_is_not_answered_here(talk: Talk, kind: str) -> None:
    outcome = talk.order("…", kind)
    assert not outcome.say
    assert not outcome.complete


def test_a_mixed_utterance_is_answered_and_goes_on(talk: Talk) -> None:
    from claudemem_edge.shapes.reading import Command

    outcome = talk.hear(
        "what time is it and who are you", commands=(Command("ask_time", "", (0, 15), "t", whole=False),)
    )
    assert outcome.say
    assert not outcome.complete


def test_the_reply_is_in_the_language_spoken(talk: Talk) -> None:
    talk.language = "zh"
    outcome = talk.order("你知道什么", "list_memory")
    assert outcome.language == "zh"
    talk.language = ""
    assert talk.order("?", "list_memory").language == "zh"


def test_the_assistant_does_not_set_the_language(talk: Talk) -> None:
    talk.hear("hello")
    talk.language = "zh"
    talk.hear("您好", "assistant")
    assert talk.state.language == "en"


def test_only_the_user_is_answered(talk: Talk) -> None:
    from claudemem_edge.shapes.reading import Command

    for speaker in ("assistant", "event", "Ann"):
        outcome = talk.hear("what time is it", speaker, commands=(Command("ask_time", "", (0, 0), "t"),), whole=True)
        assert not outcome.say


def test_without_a_pack_nothing_is_said(talk: Talk) -> None:
    from claudemem_edge.language.pack import Lexicon

    talk.lexicon = Lexicon({})
    outcome = talk.order("what time is it", "ask_time")
    assert not outcome.say
    assert not outcome.complete


@pytest.mark.parametrize(
    ("language", "told"), [("zh", "您的儿子来看过您：2026年2月"), ("en", "your son visited you: Feb 2026")]
)
def test_claims_are_told_to_the_person_they_are_about(talk: Talk, language: str, told: str) -> None:
    talk.language = language
    son = "儿子" if language == "zh" else "son"
    talk.tell("he came to see me", son, "visited", "2026-02")
    assert told in talk.order("what do you know", "list_memory").say
