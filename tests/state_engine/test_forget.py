"""Forgetting: what goes, what stays, and that it is said without the words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fakes.talk import mention, said_time

from claudemem_edge.shapes.reading import ClaimDraft

if TYPE_CHECKING:
    from fakes.talk import Talk

TOMORROW = said_time("tomorrow at 10", "2026-03-12T10:00")


def test_the_last_utterance_goes_with_all_that_rests_on_it(talk: Talk) -> None:
    talk.tell("I live in Leeds", "user", "lives_in", "Leeds")
    talk.remind("remind me tomorrow at 10 to see Tom", "see Tom", TOMORROW)
    talk.hear("Fine, I shall say so.", "assistant")
    outcome = talk.order("forget what I just said", "forget_last")
    assert not talk.state.pending_items
    assert talk.shown() == ["I live in Leeds"]
    assert talk.open_values() == {("user", "lives_in", "Leeds")}
    assert talk.state.epoch == 1
    assert "Tom" not in outcome.say
    (change,) = [one for one in outcome.changed if one.kind == "forgot"]
    assert dict(change.detail) == {"count": "3", "statements": "2", "claims": "0", "items": "1", "entities": "0"}


def test_all_clauses_of_the_last_utterance_go(talk: Talk) -> None:
    talk.hear("first words")
    talk.hear("one thing, another thing", clauses=("one thing", "another thing"))
    talk.order("forget that", "forget_last")
    assert talk.shown() == ["first words"]


def test_what_rests_on_something_else_too_stays(talk: Talk) -> None:
    talk.tell("I live in Leeds", "user", "lives_in", "Leeds")
    talk.tell("yes, in Leeds", "user", "lives_in", "Leeds")
    talk.order("forget that", "forget_last")
    (claim,) = talk.state.claims.values()
    assert claim.origin == (1,)


def test_a_forgotten_correction_lets_the_old_value_hold_again(talk: Talk) -> None:
    talk.tell("I live in Leeds", "user", "lives_in", "Leeds")
    talk.tell("I live in York", "user", "lives_in", "York")
    talk.order("forget that", "forget_last")
    assert talk.open_values() == {("user", "lives_in", "Leeds")}
    assert talk.shown() == ["I live in Leeds"]


def test_nothing_to_forget_is_said(talk: Talk) -> None:
    outcome = talk.order("forget that", "forget_last")
    assert outcome.say == talk.lexicon.languages["en"].say("forgot_nothing")


def test_this_task(talk: Talk) -> None:
    talk.remind("remind me tomorrow at 10 to see Tom", "see Tom", TOMORROW)
    talk.remind("remind me tomorrow at 10 to swim", "swim", TOMORROW)
    talk.hear("Yes, swim tomorrow.", "assistant")
    talk.order("forget this task", "forget_task", "swim")
    assert list(talk.state.pending_items) == ["p1"]
    assert talk.shown() == ["remind me tomorrow at 10 to see Tom"]


def test_a_task_of_a_door_goes_too(talk: Talk) -> None:
    talk.door("add", "buy milk")
    talk.door("forget_task", "p1")
    assert not talk.state.pending_items


def test_the_running_topic(talk: Talk) -> None:
    talk.hear("the garden needs water and the roses are dry")
    talk.hear("the roses in the garden need some water soon")
    talk.order("forget this topic", "forget_topic")
    assert talk.shown() == []
    assert not talk.state.topic_chain


def test_a_topic_by_its_words(talk: Talk) -> None:
    talk.hear("the garden needs water")
    talk.hear("the bank is closed on sundays")
    first, second = talk.state.statements.values()
    talk.state.topic_chain[:] = []
    first.topic = second.topic = 0
    talk.order("forget about the garden", "forget_topic", "garden")
    assert talk.shown() == ["the bank is closed on sundays"]


@pytest.mark.parametrize("name", ["Tom", "tom", "my Tom"])
def test_somebody_under_every_name(talk: Talk, name: str) -> None:
    talk.hear("Tom came by", mentions=(mention("Tom"),))
    talk.tell("my son is called Tom", "user", "son", "Tom")
    talk.tell("my son lives in Leeds", "son", "lives_in", "Leeds")
    talk.hear("I like tea", claims=(ClaimDraft("user", "likes", "tea", (0, 0), "t"),))
    talk.remind("remind me to call my son", "call my son", TOMORROW)
    talk.hear("the tomcat came by, and my sonata is done")
    talk.hear("I say hello", "Tom")
    talk.order(f"forget about {name}", "forget_entity", name)
    assert talk.shown() == ["I like tea", "the tomcat came by, and my sonata is done"]
    assert talk.open_values() == {("user", "likes", "tea")}
    assert not talk.state.entity_map
    assert not talk.state.pending_items
    assert not talk.state.names.count


def test_traditional_script_is_found_by_the_simplified_name(zh: Talk) -> None:
    from dataclasses import replace

    from claudemem_edge.shapes.reading import Clause

    reading = zh.reading("我喜歡張偉")
    folded = "我喜欢张伟"
    from claudemem_edge.language.terms import terms

    clause = Clause(reading.utterance.text, (0, 5), terms(folded, zh.lexicon.languages["zh"]))
    zh.advance(replace(reading, utterance=replace(reading.utterance, folded=folded), clauses=(clause,)))
    zh.order("忘掉张伟", "forget_entity", "张伟")
    assert zh.shown() == []


def test_an_order_to_forget_teaches_nothing(talk: Talk) -> None:
    talk.order(
        "forget that Tom lives in Leeds",
        "forget_entity",
        "Tom",
        claims=(ClaimDraft("Tom", "lives_in", "Leeds", (0, 0), "t"),),
        mentions=(mention("Tom"),),
    )
    assert not talk.state.entity_map
    assert not talk.state.claims
    assert talk.shown() == []


def test_everything_asks_once(talk: Talk) -> None:
    talk.tell("I live in Leeds", "user", "lives_in", "Leeds")
    outcome = talk.order("forget everything", "forget_all")
    assert outcome.open_question is not None
    assert outcome.complete
    assert talk.state.claims
    outcome = talk.order("yes", "yes")
    assert not talk.state.claims
    assert talk.state.epoch == 1
    assert outcome.complete


@pytest.mark.parametrize("answer", ["no", "other"])
def test_everything_is_kept_without_a_yes(talk: Talk, answer: str) -> None:
    talk.tell("I live in Leeds", "user", "lives_in", "Leeds")
    talk.order("forget everything", "forget_all")
    if answer == "no":
        assert talk.order("no", "no").complete
    else:
        assert not talk.hear("the weather is fine").complete
    assert talk.state.claims
    assert talk.state.open_question is None
    talk.order("yes", "yes")
    assert talk.state.claims


def test_numbers_go_on_after_forgetting(talk: Talk) -> None:
    talk.remind("remind me tomorrow at 10 to swim", "swim", TOMORROW)
    last = max(talk.state.statements)
    talk.door("forget_all", "confirmed")
    talk.remind("remind me tomorrow at 10 to swim", "swim", TOMORROW)
    assert list(talk.state.pending_items) == ["p2"]
    assert min(talk.state.statements) > last


def test_the_language_asked_for_survives(talk: Talk) -> None:
    talk.order("answer in Chinese", "reply_language", "zh")
    talk.door("forget_all", "confirmed")
    assert talk.state.reply_language == "zh"


def test_a_word_goes_from_records_that_rest_on_other_words_too(talk: Talk) -> None:
    talk.tell("I take zinc because of Tom", "user", "takes", "zinc", because="because of Tom")
    talk.tell("I take zinc", "user", "takes", "zinc")
    talk.remind("remind me when Tom comes", "cook", trigger="when Tom comes")
    talk.remind("then, you know when, remind me", "cook", trigger="when Tom comes")
    talk.door("forget_entity", "Tom")
    assert not talk.state.claims
    assert not talk.state.pending_items


def test_our_own_replies_go_even_at_a_door(talk: Talk) -> None:
    talk.remind("remind me tomorrow at 10 to see Tom", "see Tom", TOMORROW)
    talk.remind("remind me tomorrow at 10 to swim", "swim", TOMORROW)
    talk.order("what is on my list", "list_pending")
    talk.door("forget_last", "")
    assert all(one.shown for one in talk.state.statements.values())
