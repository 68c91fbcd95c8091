"""Statements as they are kept, turns as they are counted, and the view of it all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from fakes.talk import mention, said_time

from claudemem_edge.state_engine.statements import holds
from claudemem_edge.state_engine.view import view

if TYPE_CHECKING:
    from fakes.talk import Talk


def test_a_statement_keeps_what_the_clause_says(talk: Talk) -> None:
    text = "hello, see you tomorrow at 10?"
    talk.hear(
        text, clauses=("hello", "see you tomorrow at 10?"), times=(said_time("tomorrow at 10", "2026-03-12T10:00"),)
    )
    hello, see = talk.state.statements.values()
    assert (hello.text, hello.times, hello.question) == ("hello", (), False)
    assert (see.turn, see.speaker, see.language, see.question) == (1, "user", "en", True)
    (time,) = see.times
    assert see.text[slice(*time.span)] == "tomorrow at 10"
    assert see.said_at == talk.now.wall


def test_the_same_words_have_the_same_digest(talk: Talk) -> None:
    talk.hear("Good morning")
    talk.hear("good morning")
    talk.hear("good evening")
    first, second, third = (one.digest for one in talk.state.statements.values())
    assert first == second != third


@pytest.mark.parametrize("speaker", ["user", "assistant", "event", "Ann"])
def test_everybody_is_kept_and_counted(talk: Talk, speaker: str) -> None:
    outcome = talk.hear("the light is on", speaker)
    assert outcome.turn == 1
    assert talk.state.index.find(talk.state.index.key("light")) == (1,)


def test_doors_do_not_count(talk: Talk) -> None:
    assert talk.door("list_pending").turn == 0
    assert not talk.state.statements


def test_orders_are_not_kept_but_what_was_told_beside_them_is(talk: Talk) -> None:
    from claudemem_edge.shapes.reading import Command

    text = "what is on my list, I saw Tom"
    talk.hear(
        text,
        clauses=("what is on my list", "I saw Tom"),
        commands=(Command("list_pending", "", (0, 18), "t", whole=False),),
    )
    assert talk.shown() == ["I saw Tom"]


def test_the_last_reply_is_the_models(talk: Talk) -> None:
    talk.hear("one thing? and another", "assistant", clauses=("one thing", "and another"))
    assert talk.state.last_reply == len(talk.state.statements)


def test_topics_are_given(talk: Talk) -> None:
    talk.hear("the roses are dry")
    (statement,) = talk.state.statements.values()
    assert [topic.id for topic in talk.state.topic_chain] == [statement.topic]


def test_where_it_was_asked_is_kept(talk: Talk) -> None:
    from claudemem_edge.shapes.reading import ReminderDraft

    reading = talk.reading("remind me", reminders=(ReminderDraft("swim", (0, 0), "t"),), whole=True)
    talk.advance(reading, door="mqtt:kitchen")
    assert talk.item().asked_at_door == "mqtt:kitchen"


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("I weigh 72 kg", "72", True),
        ("I weigh 72kg", "72", True),
        ("room 172", "72", False),
        ("it is 72.5", "72", False),
        ("it is 5.72", "72", False),
        ("that is 72.", "72", True),
        ("Tomorrow", "Tom", False),
        ("ask TOM", "Tom", True),
        ("我住在杭州", "杭州", True),
        ("anything", "", False),
    ],
)
def test_a_text_holds_a_value_as_a_whole(text: str, value: str, *, expected: bool) -> None:
    assert holds(text, value) is expected


def test_the_view_is_plain_json_and_leaves_nothing_out(talk: Talk) -> None:
    talk.tell("I live in Leeds", "user", "lives_in", "Leeds")
    talk.tell("I live in York", "user", "lives_in", "York")
    talk.hear("Tom was here", mentions=(mention("Tom"),))
    talk.remind("remind me to swim", "swim")
    shown = json.loads(json.dumps(view(talk.state, talk.now)))
    assert shown["turn"] == 4
    assert shown["size_bytes"] == talk.state.size > 0
    old, new = shown["claims"]
    assert (old["object"], old["open"], old["until"] is not None, old["replaced_by"]) == (
        "Leeds",
        False,
        True,
        new["id"],
    )
    assert (new["turns"], new["since"][:10]) == ([2], "2026-03-11")
    (item,) = shown["items"]
    assert (item["id"], item["text"], item["due"], item["state"]) == ("p1", "swim", None, "pending")
    assert [(one["name"], one["kind"], one["seen"]) for one in shown["entities"]] == [
        ("York", "place", [2]),
        ("Tom", "person", [3]),
    ]
    assert [one["text"] for one in shown["statements"]][:3] == ["I live in Leeds", "I live in York", "Tom was here"]
    assert shown["open_question"]["kind"] == "item_time"
    assert shown["topics"]
    talk.door("change", "p1 2026-03-12T10:00")
    assert view(talk.state, talk.now)["items"][0]["due"] == "2026-03-12T10:00:00+08:00"
