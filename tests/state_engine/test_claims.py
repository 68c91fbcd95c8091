"""Claims: opened, repeated, corrected, denied; and statements that are no longer true are not shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from fakes.talk import mention, said_time

from claudemem_edge.shapes.reading import ClaimDraft

if TYPE_CHECKING:
    from fakes.talk import Talk


def _correct(talk: Talk, text: str, value: str, because: str = "", **found: Any) -> str:
    from claudemem_edge.shapes.reading import Command

    draft = ClaimDraft("", "", value, (0, 0), "test", corrects=True, because=because)
    order = Command("correct", value, (0, 0), "test")
    return talk.hear(text, claims=(draft,), commands=(order,), whole=True, **found).say


def test_a_claim_rests_on_its_statement(talk: Talk) -> None:
    outcome = talk.tell("I live in Leeds", "user", "lives_in", "Leeds")
    (claim,) = talk.state.claims.values()
    assert (claim.subject, claim.predicate, claim.object, claim.origin) == ("user", "lives_in", "Leeds", (1,))
    assert not outcome.complete
    assert [change.record for change in outcome.changed] == ["statement", "entity", "claim"]


def test_a_claim_rests_on_the_clause_that_holds_it(talk: Talk) -> None:
    text = "hello there, I live in Leeds"
    span = (text.index("I live"), len(text))
    talk.hear(
        text, clauses=("hello there", "I live in Leeds"), claims=(ClaimDraft("user", "lives_in", "Leeds", span, "t"),)
    )
    (claim,) = talk.state.claims.values()
    assert [talk.state.statements[one].text for one in claim.origin] == ["I live in Leeds"]


def test_the_same_value_again_is_no_new_claim(talk: Talk) -> None:
    talk.tell("I live in Leeds", "user", "lives_in", "Leeds")
    talk.tell("as I said, I live in leeds", "user", "lives_in", "leeds")
    (claim,) = talk.state.claims.values()
    assert len(claim.origin) == 2


def test_a_claim_told_very_often_rests_on_a_few(talk: Talk) -> None:
    for _ in range(50):
        talk.tell("I live in Leeds", "user", "lives_in", "Leeds")
    (claim,) = talk.state.claims.values()
    assert len(claim.origin) == 8
    assert claim.origin[0] == 1


def test_a_new_value_closes_the_old_one(talk: Talk) -> None:
    talk.tell("I live in Leeds", "user", "lives_in", "Leeds")
    talk.hear("the weather in Leeds is fine", "assistant")
    talk.tell("I have moved to York", "user", "lives_in", "York")
    old, new = talk.state.claims.values()
    assert old.until == talk.now.wall
    assert old.replaced_by == new.id
    assert talk.open_values() == {("user", "lives_in", "York")}
    assert talk.shown() == ["I have moved to York"]


def test_a_correction_that_names_the_old_value_is_hidden_too(talk: Talk) -> None:
    talk.tell("I weigh 72", "user", "attribute", "72")
    say = _correct(talk, "not 72 but 73", "73", "72")
    assert talk.open_values() == {("user", "attribute", "73")}
    assert talk.shown() == []
    assert "73" in say


def test_a_part_of_a_word_is_not_the_old_value(talk: Talk) -> None:
    talk.tell("I am 72", "user", "age", "72")
    for text in ("bus 172 is late", "it cost 72.5", "room 720"):
        talk.hear(text)
    talk.tell("I am 73", "user", "age", "73")
    assert talk.shown() == ["bus 172 is late", "it cost 72.5", "room 720", "I am 73"]


def test_a_statement_about_somebody_else_with_the_same_value_stays(talk: Talk) -> None:
    talk.tell("my son lives in Leeds", "son", "lives_in", "Leeds")
    talk.tell("I live in Leeds", "user", "lives_in", "Leeds")
    talk.tell("I have moved to York", "user", "lives_in", "York")
    assert talk.shown() == ["my son lives in Leeds", "I have moved to York"]


def test_values_stand_side_by_side_where_there_may_be_several(talk: Talk) -> None:
    talk.tell("I speak Welsh", "user", "speaks", "Welsh")
    talk.tell("I speak Dutch", "user", "speaks", "Dutch")
    assert len(talk.open_values()) == 2


def test_an_unknown_predicate_takes_several_values(talk: Talk) -> None:
    talk.tell("x", "user", "collects", "stamps")
    talk.tell("y", "user", "collects", "coins")
    assert len(talk.open_values()) == 2


def test_opposites_do_not_both_hold(talk: Talk) -> None:
    talk.tell("I like tea", "user", "likes", "tea")
    talk.tell("I like cake", "user", "likes", "cake")
    talk.tell("I don't like tea any more", "user", "dislikes", "tea")
    assert talk.open_values() == {("user", "dislikes", "tea"), ("user", "likes", "cake")}


def test_a_denial_closes_and_stays_visible(talk: Talk) -> None:
    talk.tell("I take aspirin", "user", "takes", "aspirin")
    talk.tell("I take zinc", "user", "takes", "zinc")
    talk.tell("I no longer take aspirin", "user", "takes", "aspirin", denies=True)
    assert talk.open_values() == {("user", "takes", "zinc")}
    assert talk.shown() == ["I take zinc", "I no longer take aspirin"]


@pytest.mark.parametrize(
    ("old", "because", "new", "expected"),
    [
        ("72", "", "73", "73"),
        ("72 kg", "", "73", "73 kg"),
        ("72 kg", "72", "73", "73 kg"),
        ("Leeds", "", "York", "York"),
        ("two pills of aspirin", "two", "three", "three pills of aspirin"),
    ],
)
def test_corrections_find_their_claim(talk: Talk, old: str, because: str, new: str, expected: str) -> None:
    talk.tell(f"it is {old}", "user", "attribute", old)
    _correct(talk, f"no, {new}", new, because)
    assert talk.open_values() == {("user", "attribute", expected)}


def test_a_number_corrects_the_last_number(talk: Talk) -> None:
    talk.tell("I am 72", "user", "age", "72")
    talk.tell("I live in Leeds", "user", "lives_in", "Leeds")
    _correct(talk, "no, 73", "73")
    assert talk.open_values() == {("user", "age", "73"), ("user", "lives_in", "Leeds")}


def test_a_correction_of_long_ago_is_no_correction(talk: Talk) -> None:
    talk.tell("I am 72", "user", "age", "72")
    for number in range(11):
        talk.hear(f"something else, part {number}")
    assert not _correct(talk, "no, 73", "73")
    assert talk.open_values() == {("user", "age", "72")}


def test_a_time_corrects_the_reminder(zh: Talk) -> None:
    zh.tell("I am 72", "user", "age", "72")
    zh.remind("remind me tomorrow at 10 to walk", "walk", said_time("tomorrow at 10", "2026-03-12T10:00"))
    eleven = said_time("eleven", "2026-03-11T11:00", ambiguous=True, rule="core.times.clock_hour")
    say = _correct(zh, "no, at eleven", "eleven", times=(eleven,))
    assert zh.due() == "2026-03-12T11:00"
    assert "11" in say
    assert zh.open_values() == {("user", "age", "72")}


def test_the_minutes_of_a_timer_are_corrected(zh: Talk) -> None:
    zh.remind("in 10 minutes", "tea", said_time("in 10 minutes", "2026-03-11T09:50:01", "minute", elapsed=True))
    from dataclasses import replace

    length = replace(said_time("twenty minutes", "2026-03-11T10:00"), start=None, duration_s=1200)
    _correct(zh, "no, twenty minutes", "twenty minutes", times=(length,))
    due = zh.item().due
    assert due is not None
    assert round(due.seconds_left(zh.now)) == 1200


def test_a_named_speaker_speaks_of_himself(talk: Talk) -> None:
    talk.hear("I live in Leeds", "Ann", claims=(ClaimDraft("user", "lives_in", "Leeds", (0, 0), "t"),))
    talk.hear("I live in York", "Bob", claims=(ClaimDraft("user", "lives_in", "York", (0, 0), "t"),))
    assert talk.open_values() == {("Ann", "lives_in", "Leeds"), ("Bob", "lives_in", "York")}


@pytest.mark.parametrize("speaker", ["assistant", "event"])
def test_others_make_no_claims(talk: Talk, speaker: str) -> None:
    talk.hear("you live in Leeds", speaker, claims=(ClaimDraft("user", "lives_in", "Leeds", (0, 0), "t"),))
    assert not talk.state.claims
    assert talk.shown() == ["you live in Leeds"]


def test_entities_keep_their_last_three_sightings(talk: Talk) -> None:
    for number in range(5):
        talk.hear(f"{number}: Tom was here", mentions=(mention("Tom"),))
    (entity,) = talk.state.entity_map.values()
    assert [one.turn for one in entity.sightings] == [3, 4, 5]
    assert entity.kind == "person"


def test_the_models_words_with_an_old_value_are_hidden_not_lost(talk: Talk) -> None:
    talk.tell("I live in Leeds", "user", "lives_in", "Leeds")
    talk.hear("Leeds is nice", "assistant")
    talk.tell("I live in York", "user", "lives_in", "York")
    assert talk.order("say that again", "repeat").say == "Leeds is nice"
    talk.order("what time is it", "ask_time")
    talk.door("forget_entity", "Bob")
    assert "Leeds is nice" in [one.text for one in talk.state.statements.values()]


def test_a_name_put_right_leaves_no_wrong_entity(talk: Talk) -> None:
    talk.tell("I am Tom", "user", "name", "Tom")
    talk.hear("Tom is me", mentions=(mention("Tom"),))
    talk.tell("I am Tim", "user", "name", "Tim")
    assert not talk.state.entity_map
